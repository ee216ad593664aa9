// What is written over the panes: their methods, the force of the pull, the bar of colours.
import type { Actions } from './actions';
import { paneColor, viridisGradient } from './colors';
import { byId, make, setText } from './dom';
import { digits, withUnit } from './format';
import type { Vec3 } from './protocol';
import { on, state } from './state';
import type { Views } from './views';

interface PaneElements {
  frame: HTMLElement;
  label: HTMLButtonElement;
  force: HTMLElement;
}

const units = { none: '', displacement: 'm', stress: 'Pa', contact: 'N' };
const titles = { none: '', displacement: 'Displacement', stress: 'Stress', contact: 'Contact force' };

export class Labels {
  private readonly overlay = byId('overlay');
  private readonly bar = byId('color-bar');
  private readonly add = make('button', { type: 'button', class: 'add-here', title: 'Add a method (N)' }, 'Add a method');
  private panes: PaneElements[] = [];

  constructor(private readonly views: Views, private readonly actions: Actions, addPane: () => void) {
    this.add.addEventListener('click', addPane);
    byId('fit').addEventListener('click', () => views.showAll());
    byId('follow').addEventListener('click', () => views.toggleFollow());
    on(['scene', 'theme'], () => this.rebuild());
    on(['selected', 'scene', 'theme', 'size'], () => this.place());
    on(['scene', 'tick', 'messages'], () => this.showEmpty());
    on(['view'], () => {
      this.showBar();
      byId('follow').setAttribute('aria-pressed', String(state.view.follow));
    });
  }

  private rebuild(): void {
    this.overlay.replaceChildren();
    this.panes = (state.scene?.panes ?? []).map((pane, i) => {
      const modes = pane.modes ? `, ${pane.modes} modes` : '';
      const label = make('button', { type: 'button', class: 'pane-label', title: `Select this pane (${i + 1})` },
        make('span', { class: 'dot' }), make('span', { class: 'name' }, pane.method),
        make('span', { class: 'more' }, `h = ${digits(pane.step, 3)} s${modes}`));
      label.addEventListener('click', () => this.actions.select(i));
      const frame = make('div', { class: 'pane' }, label);
      const force = make('span', { class: 'force', hidden: true });
      frame.style.setProperty('--pane', paneColor(state.theme, i));
      this.overlay.append(frame, force);
      return { frame, label, force };
    });
    this.overlay.append(this.add);
  }

  private place(): void {
    const { spare } = this.views;
    this.add.hidden = spare === null || this.panes.length < 2;
    if (spare) Object.assign(this.add.style, { left: `${spare.x + spare.width / 2}px`, top: `${spare.y + spare.height / 2}px` });
    this.panes.forEach(({ frame, label }, i) => {
      const rect = this.views.rects[i];
      if (!rect) return;
      Object.assign(frame.style,
        { left: `${rect.x}px`, top: `${rect.y}px`, width: `${rect.width}px`, height: `${rect.height}px` });
      frame.classList.toggle('selected', i === state.selected && this.panes.length > 1);
      label.setAttribute('aria-pressed', String(i === state.selected));
    });
  }

  private showEmpty(): void {
    const empty = byId('empty');
    empty.hidden = state.topology !== null;
    const error = state.shownErrors.at(-1);
    if (!state.scene && error) setText(empty, error.where ? `${error.where}: ${error.message}` : error.message);
  }

  private showBar(): void {
    const { color } = state.view;
    this.bar.hidden = color === 'none';
    if (color === 'none') return;
    const ramp = make('div', { class: 'ramp' });
    ramp.style.background = viridisGradient;
    this.bar.replaceChildren(titles[color], ramp,
      make('div', { class: 'ends' }, make('span'), make('span'), make('span')));
  }

  /** After each picture: forces beside the points that are pulled, and the ends of the bar. */
  update(): void {
    const box = state.grab ? this.overlay.getBoundingClientRect() : null;
    this.panes.forEach(({ force }, i) => {
      const pull = state.grab && state.frames[i]?.pull;
      if (force.hidden === !!pull) force.hidden = !pull;
      if (!pull || !state.grab || !box) return;
      setText(force, withUnit(Math.hypot(...pull.force), 'N'));
      const [x, y] = this.views.project(i, state.grab.to);
      force.style.translate = `${Math.round(Math.min(Math.max(x - box.x + 14, 4), box.width - 80))}px ` +
        `${Math.round(Math.min(Math.max(y - box.y - 30, 4), box.height - 30))}px`;
    });
    const { color } = state.view;
    if (color === 'none') return;
    const [low, high] = this.views.range;
    const values = [low, (low + high) / 2, high];
    this.bar.querySelectorAll('.ends span').forEach((end, k) => setText(end, withUnit(values[k], units[color])));
  }
}

export function pullNow(views: Views): { point: Vec3; to: Vec3; force: Vec3 } | null {
  const held = views.held(state.grab?.pane ?? 0);
  if (!state.grab || !held) return null;
  return { ...held, force: state.frames[state.grab.pane]?.pull?.force ?? [0, 0, 0] };
}
