// What a user can do, by button or by key.
import type { Connection } from './connection';
import { plain } from './format';
import type { ColorBy, FitTable, RecordFormat, SceneValue, Suggestion } from './protocol';
import { changed, isBack, isPlaying, maxPanes, say, settle, state, type PendingChange } from './state';

/** Simulated seconds per second; 0: as fast as it can. */
export const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 0];
export const colorings: ColorBy[] = ['none', 'displacement', 'stress', 'contact'];

export class Actions {
  constructor(private readonly connection: Connection) {}

  play(): void {
    if (state.scene?.replay) {
      const last = (state.tick?.frames ?? 1) - 1;
      const shown = state.tick?.frame ?? last;
      state.replay.from = shown < last ? shown : 0;
      state.replay.playing = !state.replay.playing;
      changed('replay');
      return;
    }
    if (isPlaying()) {
      this.connection.send({ do: 'pause' });
      return;
    }
    if (isBack()) this.live();
    this.clearFailure();
    this.connection.send({ do: 'play' });
  }

  step(): void {
    if (state.scene?.replay) {
      this.seekBy(1);
      return;
    }
    if (isBack()) this.live();
    this.clearFailure();
    this.connection.send({ do: 'step' });
  }

  restart(): void {
    this.clearFailure();
    if (state.scene?.replay) this.seek(0);
    else this.connection.send({ do: 'restart' });
  }

  get speed(): number {
    return state.scene?.replay ? state.replay.speed : (state.tick?.speed ?? 1);
  }

  setSpeed(factor: number): void {
    state.replay.speed = factor;
    if (state.tick) state.tick.speed = factor;
    this.connection.send({ do: 'speed', factor });
    changed('tick');
  }

  changeSpeed(by: 1 | -1): void {
    const now = speeds.indexOf(this.speed);
    const next = Math.min(speeds.length - 1, Math.max(0, (now < 0 ? 3 : now) + by));
    this.setSpeed(speeds[next]);
  }

  toggle(what: 'wireframe' | 'arrows' | 'pinned' | 'plots'): void {
    state.view[what] = !state.view[what];
    changed('view');
    if (what === 'arrows') this.sendShow();
    if (what === 'plots') changed('size');
  }

  setColor(color: ColorBy): void {
    state.view.color = color;
    changed('view');
    this.sendShow();
  }

  nextColor(): void {
    this.setColor(colorings[(colorings.indexOf(state.view.color) + 1) % colorings.length]);
  }

  sendShow(): void {
    this.connection.send({ do: 'show', color: state.view.color, arrows: state.view.arrows });
  }

  select(pane: number): void {
    if (!state.scene || pane >= state.scene.panes.length || pane === state.selected) return;
    state.selected = pane;
    settle([...state.fieldErrors.keys()]);
    changed('selected');
  }

  addPane(method?: string): void {
    const shown = state.scene?.panes.map((p) => p.method) ?? [];
    const name = method ?? this.methodToAdd();
    if (!name) return;
    if (shown.length >= maxPanes) say('note', `${maxPanes} methods side by side are the most.`);
    else this.connection.send({ do: 'panes', methods: [...shown, name] });
  }

  /** The first method that is not shown yet. */
  methodToAdd(): string | undefined {
    const shown = state.scene?.panes.map((p) => p.method) ?? [];
    return state.hello?.methods.find((m) => !shown.includes(m.name))?.name;
  }

  removePane(pane: number): void {
    const methods = state.scene?.panes.map((p) => p.method) ?? [];
    if (methods.length < 2) return;
    methods.splice(pane, 1);
    this.connection.send({ do: 'panes', methods });
  }

  /** Gives keys of the scene a value: at once when live; while a kept frame is shown it waits for the fork. */
  change(keys: string[], value: SceneValue, pane: number | undefined): void {
    settle(keys);
    for (const key of keys) state.asked.set(key, value);
    const set = Object.fromEntries(keys.map((key) => [key, value]));
    if (!isBack() && !state.scene?.replay) {
      this.connection.send({ do: 'set', set, pane });
      return;
    }
    // What is for all panes comes first: what is for one of them goes beyond it.
    if (pane === undefined) for (const other of state.pending) for (const key of keys) delete other.set[key];
    const group = state.pending.find((p) => p.pane === pane);
    if (group) Object.assign(group.set, set);
    else if (pane === undefined) state.pending.unshift({ pane, set });
    else state.pending.push({ pane, set });
    state.pending = state.pending.filter((p) => Object.keys(p.set).length > 0);
    changed('pending');
  }

  seek(frame: number): void {
    const frames = state.tick?.frames ?? 0;
    if (frames === 0) return;
    const sought = Math.min(frames - 1, Math.max(0, frame));
    if (this.connection.send({ do: 'seek', frame: sought })) state.sought = sought;
  }

  seekBy(by: number): void {
    if (state.tick) this.seek((state.sought ?? state.tick.frame ?? state.tick.frames - 1) + by);
  }

  live(): void {
    if (state.scene?.replay) {
      this.seek((state.tick?.frames ?? 1) - 1);
      return;
    }
    if (state.pending.length > 0) {
      state.pending = [];
      changed('pending');
    }
    this.connection.send({ do: 'live' });
  }

  fork(): void {
    const frame = state.tick?.frame ?? (state.scene?.replay ? (state.tick?.frames ?? 0) - 1 : null);
    if (frame === null || frame < 0) {
      say('note', 'Move the slider to a kept frame first, then fork there.');
      return;
    }
    const [first, ...others]: PendingChange[] = state.pending.length > 0 ? state.pending : [{ pane: undefined, set: {} }];
    this.clearFailure();
    this.connection.send({ do: 'fork', frame, set: first.set, pane: first.pane });
    for (const { pane, set } of others) this.connection.send({ do: 'set', set, pane });
    state.pending = [];
    changed('pending');
  }

  open(scene: string): void {
    this.connection.send({ do: 'open', scene });
  }

  save(): void {
    this.connection.send({ do: 'save', pane: state.selected });
  }

  record(format: RecordFormat): void {
    if (!this.connection.send({ do: 'record', format })) return;
    say('note', 'Recording all kept frames: see "Save and record".');
    state.recordings.set(format, { format, done: 0, url: null, file: '' });
    changed('recording');
  }

  observe(table: FitTable): void {
    state.fit.asked = table;
    this.connection.send({ do: 'observe', pane: state.selected, ...table });
  }

  observeFile(file: string): void {
    this.observe({ file });
  }

  /** Another key to vary, with the bounds that are offered for it. */
  vary(path: string): void {
    const { rows, observed } = state.fit;
    if (rows.some((row) => row.path === path)) return;
    const known = observed?.parameters.find((p) => p.name === path);
    const text = (x: number | null | undefined) => (x === null || x === undefined ? '' : plain(x));
    rows.push({ path, low: text(known?.low), high: text(known?.high) });
    changed('fit');
  }

  varyNoMore(row: number): void {
    state.fit.rows.splice(row, 1);
    changed('fit');
  }

  fit(): void {
    const { fit } = state;
    if (!fit.table || fit.running) return;
    const vary = Object.fromEntries(fit.rows.map((row) => [row.path, [bound(row.low), bound(row.high)]]));
    if (!this.connection.send({ do: 'fit', pane: state.selected, vary, ...fit.table })) return;
    Object.assign(fit, { running: true, progress: null, result: null, motion: [] });
    changed('fit', 'fitting');
  }

  advise(): void {
    const { advice } = state;
    if (advice.running) return;
    if (!this.connection.send({ do: 'advise', pane: state.selected, wish: advice.wish, amount: advice.amount.trim() })) return;
    Object.assign(advice, { running: true, done: 0, trying: '', result: null });
    changed('advice');
  }

  /** Goes on with a method and its steps. */
  take(suggestion: Suggestion): void {
    if (isBack()) this.live();
    const set = { 'method.name': suggestion.scene.method, 'time.step': suggestion.scene.time.step };
    this.connection.send({ do: 'set', set, pane: state.selected });
  }

  cancelFit(): void {
    this.connection.send({ do: 'cancel' });
  }

  applyFit(): void {
    const values = state.fit.result?.values;
    if (!values) return;
    if (isBack()) this.live();
    this.connection.send({ do: 'set', set: values });
  }

  clearFailure(): void {
    if (!state.failure) return;
    state.failure = '';
    changed('messages');
  }
}

/** A number where the text is one; else the text, which may carry a unit. */
function bound(text: string): number | string {
  const value = Number(text.trim().replace('−', '-'));
  return text.trim() !== '' && Number.isFinite(value) ? value : text.trim();
}
