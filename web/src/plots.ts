// The live plots: energies, time per step, damping curve. Their legends tell the last values as text.
import { Calm } from './calm';
import type { Connection } from './connection';
import { Chart, type Axis, type ChartData, type Dot, type Line } from './chart';
import { energyColor, paneColor, scenery } from './colors';
import { byId, make, setAttribute, setText } from './dom';
import { digits, small, withUnit } from './format';
import { column } from './protocol';
import { changed, isBack, on, state } from './state';

type EnergyName = 'total' | 'kinetic' | 'elastic' | 'gravitational' | 'contact' | 'other' | 'lost';
const energyNames: EnergyName[] = ['total', 'kinetic', 'elastic', 'gravitational', 'contact', 'other', 'lost'];
const energyTexts: Record<EnergyName, string> = {
  total: 'Total', kinetic: 'Kinetic', elastic: 'Elastic', gravitational: 'Gravity', contact: 'Contact', other: 'Other',
  lost: 'Lost',
};

interface LegendEntry {
  text: string;
  color: string;
  value?: string;
  shape?: 'line' | 'dashed' | 'spot' | 'ring';
  /** Whether it is drawn; without it the entry is no switch. */
  pressed?: boolean;
  press?: () => void;
}

/** One figure of the page: title, controls, legend, chart. */
class Figure {
  readonly chart: Chart;
  readonly controls = make('span', { class: 'plot-controls' });
  hover: number | null = null;
  private readonly legend = make('ul', { class: 'legend' });
  private readonly message = make('p', { class: 'message' });
  private readonly root: HTMLElement;
  private legendShape = '';

  constructor(parent: HTMLElement, title: string, private readonly label: string) {
    const canvas = make('canvas', { role: 'img', 'aria-label': label });
    this.chart = new Chart(canvas, () => changed('size'));
    this.root = make('figure', { class: 'plot' },
      make('figcaption', {}, make('h2', {}, title), this.controls, this.legend),
      make('div', { class: 'area' }, canvas, this.message));
    parent.append(this.root);
    canvas.addEventListener('pointermove', (event) => this.point(this.chart.valueAt(event.clientX)));
    canvas.addEventListener('pointerleave', () => this.point(null));
  }

  set hidden(hidden: boolean) {
    this.root.hidden = hidden;
  }

  private point(value: number | null): void {
    this.hover = value;
    changed('view');
  }

  show(data: ChartData | null, entries: LegendEntry[], message: string): void {
    this.fillLegend(entries);
    setText(this.message, message);
    const theme = scenery[state.theme];
    const background = state.theme === 'light' ? '#ffffff' : '#181d22';
    const empty: Axis = { min: 0, max: 1, log: false, title: '' };
    this.chart.draw(data ?? { x: empty, y: empty, lines: [], dots: [], mark: null }, { ...theme, background });
    const values = entries.filter((e) => e.value).map((e) => `${e.text} ${e.value}`).join(', ');
    setAttribute(this.chart.canvas, 'aria-label', values ? `${this.label}: ${values}` : this.label);
  }

  /** Builds the entries anew only when there are others; else only their values change, and the focus stays. */
  private fillLegend(entries: LegendEntry[]): void {
    const shape = entries.map((e) => `${e.text}|${e.color}|${e.shape}|${e.pressed}`).join(';');
    if (shape !== this.legendShape) {
      const focused = [...this.legend.children].findIndex((li) => li.contains(document.activeElement));
      this.legendShape = shape;
      this.legend.replaceChildren(...entries.map((entry) => this.makeEntry(entry)));
      if (focused >= 0) (this.legend.children[focused]?.firstElementChild as HTMLElement | null)?.focus();
    }
    entries.forEach((entry, i) => {
      const value = this.legend.children[i].querySelector('.value');
      if (value) setText(value, entry.value ?? '');
    });
  }

  private makeEntry(entry: LegendEntry): HTMLElement {
    const shape = entry.shape && entry.shape !== 'line' ? ` ${entry.shape}` : '';
    const swatch = make('span', { class: `swatch${shape}` });
    swatch.style.setProperty('--series', entry.color);
    const parts = [swatch, make('span', {}, entry.text), make('span', { class: 'value' })];
    if (!entry.press) return make('li', {}, make('span', { class: 'entry' }, ...parts));
    const button = make('button', { type: 'button', 'aria-pressed': String(entry.pressed) }, ...parts);
    button.addEventListener('click', entry.press);
    return make('li', {}, button);
  }
}

const redrawEvery = 150;  // ms
const mostObserved = 40;  // points that are drawn

export class Plots {
  private readonly root = byId('plots');
  private readonly energy = new Figure(this.root, 'Energy', 'Energy over time');
  private readonly step = new Figure(this.root, 'Step time', 'Computing time per step');
  private readonly damping = new Figure(this.root, 'Numerical damping', 'Damping curve of the methods');
  private readonly fit = new Figure(this.root, 'Fit', 'What was observed, and the fitted motion');
  private readonly fitColumn = make('select', { 'aria-label': 'Which column is drawn' });
  private readonly compare = make('select', { 'aria-label': 'Which energy is compared' });
  private readonly scale = make('button', { type: 'button', class: 'small' }, 'Log scale');
  private shownEnergies = new Set<EnergyName>(['total', 'kinetic', 'elastic']);
  private compared: EnergyName = 'total';
  private logDamping = false;
  private asked = '';
  private readonly calm = new Calm(
    ['tick', 'curve', 'fitting', 'view', 'theme', 'size', 'scene', 'selected'], redrawEvery, () => this.drawAll());

  constructor(private readonly connection: () => Connection) {
    for (const name of energyNames) this.compare.append(make('option', { value: name }, energyTexts[name]));
    this.compare.addEventListener('change', () => {
      this.compared = this.compare.value as EnergyName;
      this.redraw();
    });
    this.scale.addEventListener('click', () => {
      this.logDamping = !this.logDamping;
      this.redraw();
    });
    this.fitColumn.addEventListener('change', () => {
      state.fit.column = this.fitColumn.selectedIndex;
      this.redraw();
    });
    this.fit.controls.append(this.fitColumn);
    on(['fit'], () => this.fillFit());
    this.fillFit();
    this.energy.controls.append(this.compare);
    this.damping.controls.append(this.scale);
    on(['view'], () => { this.root.hidden = !state.view.plots; });
    on(['scene', 'tick', 'view'], () => this.askForCurves());
  }

  private redraw(): void {
    this.calm.hurry();
    changed('view');
  }

  /** Draws what has changed, a few times a second; returns whether something is left to draw. */
  draw(now: number): boolean {
    return state.view.plots && this.calm.run(now);
  }

  private drawAll(): void {
    this.drawEnergy();
    this.drawSteps();
    this.drawDamping();
    if (state.fit.observed) this.drawFit();
  }

  /** The figure is there while there are observations. */
  private fillFit(): void {
    const columns = state.fit.observed?.columns ?? [];
    this.fit.hidden = columns.length === 0;
    this.root.classList.toggle('with-fit', columns.length > 0);
    this.fitColumn.replaceChildren(...columns.map((c, i) => make('option', { selected: i === state.fit.column }, c.name)));
    this.fitColumn.hidden = columns.length < 2;
    this.redraw();
  }

  private drawFit(): void {
    const { observed, motion, column: at, progress, result } = state.fit;
    const all = observed!.columns[at];
    // Few enough that the line shows between them.
    const every = Math.ceil(all.times.length / mostObserved);
    const seen = { ...all, times: all.times.filter((_, i) => i % every === 0), values: all.values.filter((_, i) => i % every === 0) };
    const moved = motion[at];
    const color = paneColor(state.theme, 0);
    const fitted = paneColor(state.theme, 1);
    const values = [...seen.values, ...(moved?.values ?? [])];
    const times = [...seen.times, ...(moved?.times ?? [])];
    const [low, high] = values.reduce(([l, h], v) => [Math.min(l, v), Math.max(h, v)], [Infinity, -Infinity]);
    const pad = 0.06 * (high - low) || 1e-3;
    const end = times.reduce((a, b) => Math.max(a, b), 0);
    const rms = result?.rms ?? progress?.rms;
    this.fit.show({
      x: { min: 0, max: end > 0 ? end : 1, log: false, title: 'Time [s]' },
      y: { min: low - pad, max: high + pad, log: false, title: 'm' },
      lines: moved ? [{ color: fitted, count: moved.times.length, x: (i) => moved.times[i], y: (i) => moved.values[i] }] : [],
      dots: seen.times.map((t, i) => ({ x: t, y: seen.values[i], color, ring: false, size: 2.5 })), mark: null,
    }, [
      { text: observed!.columns.length < 2 ? `${seen.name} observed` : 'Observed', color, shape: 'spot' },
      { text: 'Fitted', color: fitted, value: rms === undefined || rms === null ? '' : `rms ${withUnit(rms, 'm')}` },
    ], '');
  }

  /** Once for each stage, when its first tick has come. */
  private askForCurves(): void {
    const { scene, tick } = state;
    if (!scene || !tick || tick.session !== scene.session || !state.view.plots) return;
    const stage = `${scene.session}`;
    if (stage === this.asked) return;
    this.asked = stage;
    state.curveError = '';
    scene.panes.forEach((_, pane) => this.connection().send({ do: 'curve', pane }));
  }

  private drawEnergy(): void {
    const several = state.histories.length > 1;
    this.compare.hidden = !several;
    const all: { text: string; color: string; pane: number; name: EnergyName; on: boolean }[] = several
      ? state.histories.map((_, pane) => (
          { text: paneName(pane), color: paneColor(state.theme, pane), pane, name: this.compared, on: true }))
      : energyNames.filter((name) => name !== 'contact' && name !== 'other' || hasValues(column[name])).map((name) => (
          { text: energyTexts[name], color: energyColor(state.theme, name), pane: 0, name, on: this.shownEnergies.has(name) }));
    const shown = all.filter((s) => s.on && state.histories[s.pane]);
    const at = this.energy.hover ?? shownTime();
    const range = rangeOf(shown.map((s) => ({ pane: s.pane, column: column[s.name] })));
    const [scale, unit] = energyScale(range);
    // The total is drawn last, on top.
    const lines = shown.map((s) => lineOf(s.pane, column[s.name], s.color, 1 / scale)).reverse();
    this.energy.show(lines.length > 0 ? {
      x: timeAxis(), y: { min: range[0] / scale, max: range[1] / scale, log: false, title: unit }, lines, dots: [],
      mark: at,
    } : null, all.map((s) => ({
      text: s.text, color: s.color, value: s.on ? valueText(s.pane, column[s.name], at, 'J') : '', pressed: several ? undefined : s.on,
      press: several ? undefined : () => this.toggle(s.name),
    })), rowsMessage());
  }

  private toggle(name: EnergyName): void {
    if (!this.shownEnergies.delete(name)) this.shownEnergies.add(name);
    this.redraw();
  }

  private drawSteps(): void {
    const at = this.step.hover ?? shownTime();
    const panes = state.histories.map((_, pane) => pane);
    const top = Math.max(rangeOf(panes.map((pane) => ({ pane, column: column.stepMs })))[1], 1e-3);
    const lines = panes.map((pane) => lineOf(pane, column.stepMs, paneColor(state.theme, pane), 1));
    const entries: LegendEntry[] = panes.map((pane) => ({
      text: paneName(pane), color: paneColor(state.theme, pane), value: valueText(pane, column.stepMs, at, 'ms'),
    }));
    const h = 1000 * (state.scene?.panes[state.selected]?.step ?? 0);
    let max = 1.1 * top;
    if (h > 0 && h < 4 * top) {
      max = Math.max(max, 1.15 * h);
      const axis = timeAxis();
      lines.unshift({ color: scenery[state.theme].axis, count: 2, x: (i) => (i === 0 ? axis.min : axis.max), y: () => h, dashed: true, width: 1.5 });
      entries.push({ text: 'Real time', color: scenery[state.theme].axis, value: `${digits(h, 3)} ms`, shape: 'dashed' });
    }
    const y: Axis = { min: 0, max, log: false, title: 'ms' };
    this.step.show({ x: timeAxis(), y, lines, dots: [], mark: at }, entries, rowsMessage());
  }

  private drawDamping(): void {
    setText(this.scale, this.logDamping ? 'Linear scale' : 'Log scale');
    const curves = state.curves.filter((c) => c !== null);
    const lines: Line[] = [];
    const dots: Dot[] = [];
    const entries: LegendEntry[] = [];
    let low = 0;
    let high = 0.1;
    let split = 0;
    let other = 0;
    for (const curve of curves) {
      const color = paneColor(state.theme, curve.pane);
      const points = curve.points.filter((point): point is [number, number] => point[1] !== null);
      lines.push({ color, count: points.length, x: (i) => points[i][0], y: (i) => points[i][1] });
      for (const [, ratio] of points) {
        low = Math.min(low, ratio);
        high = Math.max(high, ratio);
      }
      for (const mode of curve.modes) {
        if (mode.ratio === null) continue;
        dots.push({ x: mode.theta, y: mode.ratio, color, ring: mode.split });
        if (mode.split) split++;
        else other++;
      }
      // Alone there is room to say what it does to the lowest mode.
      const first = curves.length === 1 ? curve.modes[0] : undefined;
      const known = first && first.ratio !== null;
      entries.push({ text: curve.method, color, value: known ? `${small(first.ratio!)} at ${digits(first.frequency, 3)} Hz` : '' });
    }
    const color = scenery[state.theme].axis;
    if (other > 0) entries.push({ text: curves.length > 1 ? 'Mode' : 'Mode of the body', color, shape: 'spot' });
    if (split > 0) entries.push({ text: curves.length > 1 ? 'Split off' : 'Split off: exact while small', color, shape: 'ring' });
    const y: Axis = this.logDamping
      ? { min: 1e-4, max: Math.max(1, high), log: true, title: 'd/ω' }
      : { min: Math.max(low * 1.1, -1), max: Math.min(high * 1.1, 2), log: false, title: 'd/ω' };
    const message = state.curveError || (curves.length === 0 ? 'No curve yet' : '');
    this.damping.show({ x: { min: 0.01, max: 100, log: true, title: 'hω' }, y, lines, dots, mark: null }, entries, message);
  }
}

function paneName(pane: number): string {
  return state.scene?.panes[pane]?.method ?? `Pane ${pane + 1}`;
}

function rowsMessage(): string {
  if (state.histories.some((h) => h.length > 0)) return '';
  return state.scene?.replay ? 'This run has no energies that can be read' : 'Nothing yet: play or step';
}

/** Whether an energy is ever other than zero; those that are not need no entry. */
function hasValues(which: number): boolean {
  const history = state.histories[0];
  for (let i = 0; history && i < history.length; i++) if (history.at(i, which) !== 0) return true;
  return false;
}

function lineOf(pane: number, which: number, color: string, scale: number): Line {
  const history = state.histories[pane];
  return { color, count: history.length, x: (i) => history.at(i, column.time), y: (i) => history.at(i, which) * scale };
}

function rangeOf(series: { pane: number; column: number }[]): [number, number] {
  let low = 0;
  let high = 0;
  for (const { pane, column: which } of series) {
    const history = state.histories[pane];
    for (let i = 0; i < history.length; i++) {
      const value = history.at(i, which);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const pad = 0.06 * (high - low);
  return high > low ? [low < 0 ? low - pad : 0, high > 0 ? high + pad : 0] : [0, 1];
}

function energyScale([low, high]: [number, number]): [number, string] {
  const size = Math.max(-low, high);
  for (const [scale, unit] of [[1e9, 'GJ'], [1e6, 'MJ'], [1e3, 'kJ'], [1, 'J'], [1e-3, 'mJ'], [1e-6, 'µJ']] as [number, string][]) {
    if (size >= scale) return [scale, unit];
  }
  return [1e-9, 'nJ'];
}

function timeAxis(): Axis {
  // Of a recorded run all its time, also where rows are missing.
  const frames = state.scene?.frame_times ?? [];
  const end = Math.max(...state.histories.map((h) => h.last?.[column.time] ?? 0), frames.at(-1) ?? 0);
  const start = Math.min(...state.histories.map((h) => (h.length > 0 ? h.at(0, column.time) : end)), frames[0] ?? end);
  // A page that was opened late has no rows from before.
  const min = start > 0.1 * end ? start : 0;
  return { min, max: end > min ? end : min + 1, log: false, title: 'Time [s]' };
}

function shownTime(): number | null {
  return isBack() ? (state.tick?.frame_time ?? null) : null;
}

/** The value at a time, or the last. */
function valueText(pane: number, which: number, time: number | null, unit: string): string {
  const history = state.histories[pane];
  if (!history?.last) return '';
  const row = time === null ? -1 : Math.min(history.countBefore(time), history.length - 1);
  const value = (row < 0 ? history.last[which] : history.at(row, which)) ?? NaN;
  return unit === 'ms' ? `${digits(value, 3)} ms` : withUnit(value, unit);
}
