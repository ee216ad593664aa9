// The panel: method, bodies, what is shown, saving and recording. Built from the state; a change goes out through Actions.
import { colorings, type Actions } from './actions';
import { AdvicePanel } from './advice';
import { BodyChoice } from './bodies';
import { bodyColor, paneColor, scenery } from './colors';
import { byId, make } from './dom';
import { FitPanel } from './fit';
import { plain } from './format';
import type { ColorBy, Method, PaneInfo, RecordFormat, SceneValue } from './protocol';
import { isBack, maxPanes, on, settle, state } from './state';

const kindTitles: Record<string, string> = {
  implicit: 'Implicit', 'semi-implicit': 'Semi-implicit', explicit: 'Explicit', exponential: 'Exponential', hybrid: 'Hybrid',
};
const colorTitles: Record<ColorBy, string> = {
  none: 'Body', displacement: 'Displacement', stress: 'Stress', contact: 'Contact force',
};
const recordTitles: Record<string, string> = { mp4: 'Movie (MP4)', glb: 'Animation (glTF)', run: 'Run of Limber' };

interface FieldOptions {
  /** The keys of the scene that it sets. */
  keys: string[];
  label: string;
  value: string;
  unit?: string;
  hint?: string;
  placeholder?: string;
  pane: number | undefined;
}

export class Controls {
  private readonly panel = byId('panel');
  private readonly sections = new Map<string, HTMLElement>();
  private readonly bodies = new BodyChoice(() => this.rebuild());
  /** Whether a change is for all panes: of bodies, and of methods and steps. */
  private everywhere = true;
  private methodEverywhere = false;
  private toAdd = '';
  private readonly fit: FitPanel;
  private readonly advice: AdvicePanel;

  constructor(private readonly actions: Actions, choose: () => void) {
    this.fit = new FitPanel(actions, choose);
    this.advice = new AdvicePanel(actions);
    this.addSection('Method', true);
    this.addSection('Advice', false);
    this.addSection('Side by side', true);
    this.addSection('Body', true);
    this.addSection('Display', true);
    this.addSection('Fit', false);
    this.addSection('Save and record', window.innerWidth > 820);
    this.addSection('About this scene', false);
    on(['hello', 'scene', 'selected', 'pending', 'fields', 'theme'], () => this.rebuild());
    on(['view'], () => this.fill('Display', this.displayParts()));
    on(['fit'], () => {
      if (state.fit.observed) (this.sections.get('Fit')!.parentElement as HTMLDetailsElement).open = true;
      this.fill('Fit', this.fit.parts());
    });
    on(['advice'], () => this.fill('Advice', this.advice.parts()));
    on(['recording'], () => {
      const section = this.sections.get('Save and record')!;
      if (state.recordings.size > 0) (section.parentElement as HTMLDetailsElement).open = true;
      this.fill('Save and record', this.recordParts());
    });
  }

  private addSection(title: string, open: boolean): void {
    const inside = make('div', { class: 'inside' });
    this.panel.append(make('details', { open }, make('summary', {}, title), inside));
    this.sections.set(title, inside);
  }

  /** Puts new elements into a section; the field that has the focus keeps it, with what is typed there. */
  private fill(title: string, parts: HTMLElement[]): void {
    const section = this.sections.get(title)!;
    const before = section.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const typed = before instanceof HTMLInputElement && before.type === 'text' && isUnsettled(before) ? before.value : null;
    section.replaceChildren(...parts);
    if (!before?.id) return;
    const after = document.getElementById(before.id);
    after?.focus({ preventScroll: true });
    if (after instanceof HTMLInputElement && typed !== null) after.value = typed;
  }

  private rebuild(): void {
    const pane = state.scene?.panes[state.selected];
    this.fill('Method', pane ? this.methodParts(pane) : [waiting()]);
    this.fill('Advice', this.advice.parts());
    this.fill('Side by side', this.paneParts());
    this.fill('Body', pane ? this.bodyParts(pane) : [waiting()]);
    this.fill('Display', this.displayParts());
    this.fill('Fit', this.fit.parts());
    this.fill('Save and record', this.recordParts());
    this.fill('About this scene', this.sceneParts());
  }

  private methodParts(pane: PaneInfo): HTMLElement[] {
    const panes = state.scene!.panes;
    const all = this.methodEverywhere && panes.length > 1;
    const methodOf = (i: number) => this.waitingValue(['method.name'], i) ?? panes[i].method;
    const stepOf = (i: number) => this.waitingValue(['time.step'], i) ?? panes[i].step;
    const chosen = methodOf(state.selected);
    const oneMethod = panes.every((_, i) => methodOf(i) === chosen);
    const oneStep = panes.every((_, i) => stepOf(i) === stepOf(state.selected));
    const where = all ? undefined : state.selected;
    // Modes and parameters are of a method.
    const which = oneMethod ? where : state.selected;
    const method = state.hello?.methods.find((m) => m.name === chosen);
    const now = all && !oneMethod ? '' : String(chosen);
    const select = this.methodSelect('field-method.name', state.fieldErrors.get('method.name')?.text ?? now);
    const hint = now === '' ? undefined : method?.summary;
    if (now === '') select.prepend(make('option', { value: '', selected: true, disabled: true }, 'various'));
    select.addEventListener('change', () => this.apply(['method.name'], select.value, now, where));
    const parts = [this.wrap(select, { keys: ['method.name'], label: 'Method', value: '', hint, pane: where }, true)];
    if (panes.length > 1) {
      const title = make('p', { class: 'row hint' }, make('span', { class: 'dot' }), `Pane ${state.selected + 1} of ${panes.length}`);
      title.style.setProperty('--pane', paneColor(state.theme, state.selected));
      parts.unshift(title);
    }
    if (method?.splits) {
      parts.push(this.field({
        keys: ['method.modes'], label: 'Modes', value: pane.modes === null ? '' : String(pane.modes), pane: which,
        placeholder: 'standard', hint: 'The lowest modes of the body, which move exactly',
      }));
    }
    for (const parameter of method?.parameters ?? []) {
      const key = `method.${parameter.name}`;
      const value = this.waitingValue([key], which) ?? pane.parameters?.[parameter.name] ?? parameter.default;
      parts.push(parameter.flag || typeof parameter.default === 'boolean'
        ? this.flag(key, parameter.name, Boolean(value), parameter.text, which)
        : this.field({
          keys: [key], label: parameter.name, value: plain(Number(value)), pane: which,
          hint: `${parameter.text} (${plain(round(parameter.min))} to ${plain(round(parameter.max))})`,
        }));
    }
    parts.push(this.field({
      keys: ['time.step'], label: 'Step h', unit: 's', pane: where,
      value: all && !oneStep ? '' : plain(pane.step), placeholder: all && !oneStep ? 'various' : undefined,
    }));
    if (panes.length > 1) {
      parts.push(check('method-everywhere', 'Change method and step in all panes', this.methodEverywhere, '', (checked) => {
        this.methodEverywhere = checked;
        this.rebuild();
      }));
    }
    return parts;
  }

  private methodSelect(id: string, chosen: string): HTMLSelectElement {
    const groups = new Map<string, Method[]>();
    for (const method of state.hello?.methods ?? []) groups.set(method.kind, [...(groups.get(method.kind) ?? []), method]);
    const select = make('select', { id });
    for (const [kind, methods] of groups) {
      select.append(make('optgroup', { label: kindTitles[kind] ?? kind },
        ...methods.map((m) => make('option', { value: m.name, title: m.summary, selected: m.name === chosen }, m.name))));
    }
    return select;
  }

  private paneParts(): HTMLElement[] {
    const panes = state.scene?.panes ?? [];
    const list = make('ul', { class: 'chips' }, ...panes.map((pane, i) => {
      const pick = make('button', { type: 'button', class: 'pick', id: `pane-${i}`, 'aria-pressed': String(i === state.selected) },
        make('span', { class: 'dot' }), `${i + 1}  ${pane.method}`);
      pick.addEventListener('click', () => this.actions.select(i));
      const item = make('li', {}, pick);
      item.style.setProperty('--pane', paneColor(state.theme, i));
      if (panes.length > 1) {
        const remove = make('button', { type: 'button', class: 'icon', id: `remove-${i}`, 'aria-label': `Remove ${pane.method}` }, '×');
        remove.addEventListener('click', () => this.actions.removePane(i));
        item.append(remove);
      }
      return item;
    }));
    const next = this.actions.methodToAdd() ?? '';
    if (!this.toAdd || panes.some((p) => p.method === this.toAdd)) this.toAdd = next;
    const select = this.methodSelect('add-method', this.toAdd);
    select.setAttribute('aria-label', 'Method to add');
    select.addEventListener('change', () => { this.toAdd = select.value; });
    const add = make('button', { type: 'button', id: 'add-pane', disabled: panes.length >= maxPanes, title: 'Add a method (N)' }, 'Add');
    add.addEventListener('click', () => this.addPane());
    return [
      list, make('div', { class: 'row' }, select, add),
      make('p', { class: 'hint' }, panes.length >= maxPanes
        ? `${maxPanes} methods side by side are the most.`
        : 'The same scene with up to four methods, from its start.'),
    ];
  }

  /** Adds the method that is chosen in the panel. */
  addPane(): void {
    const isShown = state.scene?.panes.some((p) => p.method === this.toAdd);
    this.actions.addPane(isShown ? undefined : this.toAdd || undefined);
  }

  private bodyParts(pane: PaneInfo): HTMLElement[] {
    const scene = state.scene!;
    const several = scene.panes.length > 1;
    const where = several && !this.everywhere ? state.selected : undefined;
    const parts = this.bodies.parts();
    for (const { keys, label, unit, values } of this.bodies.settings(pane)) {
      const same = values.every((value) => value === values[0]);
      parts.push(this.field({ keys, label, unit, value: same ? plain(values[0]) : '', placeholder: same ? undefined : 'various', pane: where }));
    }
    if (scene.contact) {
      parts.push(this.field({ keys: ['contact.friction'], label: 'Friction', value: plain(scene.friction ?? 0), pane: where }));
    }
    if (several) {
      parts.push(check('everywhere', 'Change in all panes', this.everywhere, '', (checked) => {
        this.everywhere = checked;
        this.rebuild();
      }));
    }
    return parts;
  }

  private displayParts(): HTMLElement[] {
    const { view } = state;
    const select = make('select', { id: 'color-by' },
      ...colorings.map((c) => make('option', { value: c, selected: c === view.color }, colorTitles[c])));
    select.addEventListener('change', () => this.actions.setColor(select.value as ColorBy));
    return [
      make('div', { class: 'field' }, make('label', { for: 'color-by' }, 'Colour by'), select),
      check('show-wireframe', 'Wireframe', view.wireframe, 'W', () => this.actions.toggle('wireframe')),
      check('show-arrows', 'Contact forces as arrows', view.arrows, 'A', () => this.actions.toggle('arrows')),
      check('show-pinned', 'Pinned points', view.pinned, 'P', () => this.actions.toggle('pinned')),
      check('show-plots', 'Plots', view.plots, 'D', () => this.actions.toggle('plots')),
    ];
  }

  private recordParts(): HTMLElement[] {
    const button = (id: string, text: string, title: string, run: () => void, disabled = false) => {
      const result = make('button', { type: 'button', id, title, disabled }, text);
      result.addEventListener('click', run);
      return result;
    };
    const busy = (format: RecordFormat) => {
      const recording = state.recordings.get(format);
      return recording !== undefined && recording.url === null;
    };
    const record = (format: RecordFormat, text: string, title: string) =>
      button(`record-${format}`, text, title, () => this.actions.record(format), busy(format));
    return [
      button('save-scene', 'Save the scene as JSON', 'Save the scene (S)', () => this.actions.save()),
      make('div', { class: 'row' }, record('mp4', 'Record MP4', 'A movie of all kept frames (V)'),
           record('glb', 'Record glTF', 'An animation of all kept frames')),
      record('run', 'Keep as a run of Limber', 'A folder that limber view opens again'),
      ...[...state.recordings.values()].map((r) => {
        const title = recordTitles[r.format] ?? r.format;
        if (r.url === null) {
          return make('div', { class: 'recording' }, `${title}: ${Math.round(100 * r.done)} %`,
            make('progress', { max: 1, value: r.done, 'aria-label': title }));
        }
        // A run is a folder: nothing to download.
        const head = r.url === '' ? `Written: ${title}` : make('a', { href: r.url, download: '' }, `Download: ${title}`);
        return make('div', { class: 'recording' }, head, make('code', { class: 'hint' }, r.file));
      }),
    ];
  }

  private sceneParts(): HTMLElement[] {
    const { scene } = state;
    if (!scene) return [waiting()];
    const description = state.hello?.scenes.find((s) => s.name === scene.name.replace(/\.json$/, ''))?.description;
    const list = make('ul', { class: 'bodies' }, ...scene.bodies.map((body, i) => {
      const dot = make('span', { class: 'dot' });
      dot.style.background = body.obstacle ? scenery[state.theme].obstacle : bodyColor(i);
      return make('li', {}, dot, body.obstacle ? `${body.name} (obstacle)` : body.name);
    }));
    const parts = [list, ...scene.notes.map((note) => make('p', { class: 'hint' }, note))];
    if (description) parts.unshift(make('p', {}, description));
    if (scene.file) parts.push(make('p', { class: 'hint' }, make('code', {}, scene.file)));
    return parts;
  }

  /** A labelled text field that is applied on Enter and when it is left. */
  private field(options: FieldOptions): HTMLElement {
    const { keys, pane } = options;
    const held = this.waitingValue(keys, pane);
    const value = held === undefined ? options.value : typeof held === 'number' ? plain(held) : String(held);
    const refused = keys.map((key) => state.fieldErrors.get(key)).find(Boolean)?.text;
    const input = make('input', { type: 'text', id: `field-${keys[0]}`, value: refused ?? value, inputmode: 'text', autocomplete: 'off', spellcheck: 'false' });
    input.addEventListener('change', () => {
      if (input.value.trim() === '') input.value = value;
      input.dataset.sent = input.value;
      this.apply(keys, input.value.trim(), value, pane);
    });
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      input.value = value;
      settle(keys);
      input.blur();
    });
    if (options.placeholder) input.placeholder = options.placeholder;
    return this.wrap(input, options, false);
  }

  /** Asks for what the user has put into a field, unless it is what is there now. */
  private apply(keys: string[], text: string, now: string, pane: number | undefined): void {
    if (text === now) settle(keys);
    else this.actions.change(keys, readValue(text), pane);
  }

  private flag(key: string, name: string, on: boolean, text: string, pane: number | undefined): HTMLElement {
    const box = check(`field-${key}`, name, on, '', (checked) => this.actions.change([key], checked, pane));
    return make('div', {}, box, make('p', { class: 'hint' }, text));
  }

  /** The label, unit, help and error around an input. */
  private wrap(input: HTMLInputElement | HTMLSelectElement, options: FieldOptions, tall: boolean): HTMLElement {
    const { keys, pane } = options;
    const key = keys[0];
    const error = keys.map((k) => state.fieldErrors.get(k)).find(Boolean)?.message;
    input.dataset.keys = keys.join(' ');
    const field = make('div', { class: `field${tall ? ' tall' : ''}` }, make('label', { for: input.id }, options.label));
    if (tall) field.append(input);
    else field.append(make('span', { class: 'input' }, input, make('span', { class: 'unit' }, options.unit ?? '')));
    const described: string[] = [];
    if (options.hint) {
      described.push(`hint-${key}`);
      field.append(make('p', { class: 'hint', id: `hint-${key}` }, options.hint));
    }
    if (error) {
      described.push(`error-${key}`);
      input.setAttribute('aria-invalid', 'true');
      field.append(make('p', { class: 'field-error', id: `error-${key}` }, error));
    }
    if (described.length > 0) input.setAttribute('aria-describedby', described.join(' '));
    if (this.waitingValue(keys, pane) !== undefined && (isBack() || state.scene?.replay)) {
      field.classList.add('waiting');
      field.title = 'Applies with "Fork here"';
    }
    return field;
  }

  /** What waits for "Fork here", if it is the same for all these keys. */
  private waitingValue(keys: string[], pane: number | undefined): SceneValue | undefined {
    const sets = [pane, undefined].map((which) => state.pending.find((p) => p.pane === which)?.set);
    const set = sets.find((s) => s && keys[0] in s);
    return set && keys.every((key) => set[key] === set[keys[0]]) ? set[keys[0]] : undefined;
  }
}

/** The keys that a field sets. */
function keysOf(field: HTMLElement): string[] {
  return field.dataset.keys?.split(' ') ?? [field.id.slice('field-'.length)];
}

/** The field that an error of the server belongs to: its key, or one above or below it, preferably one that was just changed. */
export function fieldKeyFor(where: string): string | null {
  const fields = [...document.querySelectorAll<HTMLElement>('[id^="field-"]')].flatMap(keysOf);
  const keys = [...fields.filter((key) => state.asked.has(key)), ...fields];
  if (keys.includes(where)) return where;
  if (where === '') return null;
  return keys.find((key) => key.startsWith(`${where}.`) || where.startsWith(`${key}.`)) ?? null;
}

/** Whether something is being typed into a field. */
function isUnsettled(input: HTMLInputElement): boolean {
  return input.value !== input.defaultValue && input.dataset.sent !== input.value;
}

function check(id: string, text: string, checked: boolean, key: string, changed: (checked: boolean) => void): HTMLElement {
  const box = make('input', { type: 'checkbox', id, checked });
  box.addEventListener('change', () => changed(box.checked));
  const label = make('label', { class: 'check', for: id }, box, text);
  if (key) label.append(make('kbd', { 'aria-hidden': 'true' }, key));
  return label;
}

function waiting(): HTMLElement {
  return make('p', { class: 'hint' }, 'Waiting for a scene…');
}

/** A number where the text is one; else the text, which may carry a unit, as in "100 kPa". */
function readValue(text: string): SceneValue {
  const value = Number(text.replace('−', '-'));
  return Number.isFinite(value) ? value : text;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
