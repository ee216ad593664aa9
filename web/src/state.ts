// One store that everything renders from. A part of the page changes the state, says what has changed, and all who show it
// are called once before the next picture.
import { History } from './history';
import type { Hit } from './pick';
import type { Advice, Changes, ColorBy, Curve, Frame, Hello, FitBounds, FitColumn, FitTable, Fitted, Fitting, Observed, RecordFormat, Scene, SceneValue, Tick, Topology, Vec3, Wish } from './protocol';

export type Topic =
  | 'link' | 'hello' | 'scene' | 'tick' | 'frame' | 'view' | 'selected' | 'pull' | 'camera' | 'curve' | 'messages'
  | 'recording' | 'pending' | 'theme' | 'size' | 'replay' | 'fields' | 'fit' | 'fitting' | 'advice' | 'later';

/** What the mouse, a finger or the keyboard holds. */
export interface Grab {
  pane: number;
  hit: Hit;
  to: Vec3;
  byKeyboard: boolean;
}

export interface Message {
  id: number;
  kind: 'error' | 'note';
  where: string;
  text: string;
  /** Of an error: the request that it answers, and the key of the field with the wrong value, if there is one. */
  about: string;
  field: string | null;
}

export interface Recording {
  format: string;
  done: number;
  url: string | null;
  file: string;
}

export interface PendingChange {
  pane: number | undefined;
  set: Changes;
}

export const maxPanes = 4;

/** Of the scene that is shown. */
export function noFit() {
  return {
    /** What was typed as a file's name. */
    file: '',
    /** What was asked for last, and the one that `observed` is of. */
    asked: null as FitTable | null,
    table: null as FitTable | null,
    observed: null as Observed | null,
    rows: [] as FitBounds[],
    running: false,
    progress: null as Fitting | null,
    result: null as Fitted | null,
    /** The best so far. */
    motion: [] as FitColumn[],
    /** The column that is drawn. */
    column: 0,
  };
}

export function noAdvice() {
  return { wish: 'accuracy' as Wish, amount: '1 mm', running: false, done: 0, trying: '', result: null as Advice | null };
}

export const state = {
  link: 'connecting' as 'connecting' | 'open' | 'lost',
  hello: null as Hello | null,
  scene: null as Scene | null,
  topology: null as Topology | null,
  /** The newest frame of each pane. */
  frames: [] as (Frame | null)[],
  tick: null as Tick | null,
  histories: [] as History[],
  curves: [] as (Curve | null)[],
  curveError: '',

  selected: 0,
  view: { color: 'none' as ColorBy, arrows: false, wireframe: false, pinned: true, plots: true, follow: true },
  theme: 'light' as 'light' | 'dark',

  grab: null as Grab | null,
  /** Changes made while a kept frame is shown: they wait for "Fork here". */
  pending: [] as PendingChange[],
  /** The kept frame that was asked for and has not come yet. */
  sought: null as number | null,
  /** Whether the page itself moves through the frames of a recorded run, from which frame, and at which speed. */
  replay: { playing: false, from: 0, speed: 1 },

  /** Why the last step failed, or empty. */
  failure: '',
  /** The value that was last asked for, by key of this scene. */
  asked: new Map<string, SceneValue>(),
  /** Why values were refused, by key, and their text, which stays in the field until another takes its place. */
  fieldErrors: new Map<string, { message: string; text: string | null }>(),
  messages: [] as Message[],
  shownErrors: [] as { where: string; message: string; about: string }[],
  recordings: new Map<RecordFormat | string, Recording>(),

  fit: noFit(),
  advice: noAdvice(),

  received: 0,
  drawn: 0,
};

type Listener = () => void;
const listeners = new Map<Topic, Set<Listener>>();
const dirty = new Set<Topic>();
let wake: () => void = () => {};

/** Calls `listener` before the next picture whenever one of the topics has changed. */
export function on(topics: Topic[], listener: Listener): void {
  for (const topic of topics) {
    const known = listeners.get(topic) ?? new Set();
    known.add(listener);
    listeners.set(topic, known);
  }
}

export function changed(...topics: Topic[]): void {
  for (const topic of topics) dirty.add(topic);
  wake();
}

/** `ask` is called when something has changed and a new picture is due. */
export function onWake(ask: () => void): void {
  wake = ask;
}

/** Tells the listeners what has changed, each once; returns what it was. */
export function flush(): Set<Topic> {
  const topics = new Set<Topic>();
  while (dirty.size > 0) {
    const called = new Set<Listener>();
    const now = [...dirty];
    dirty.clear();
    for (const topic of now) {
      topics.add(topic);
      for (const listener of listeners.get(topic) ?? []) {
        if (called.has(listener)) continue;
        called.add(listener);
        listener();
      }
    }
  }
  return topics;
}

let messageId = 0;
export function say(kind: Message['kind'], text: string, where = '', about = '', field: string | null = null): void {
  state.messages.push({ id: ++messageId, kind, where, text, about, field });
  if (state.messages.length > 4) state.messages.shift();
  changed('messages');
}

/** An error for the user: a banner shows that of a step, a toast all others. `field`: the key of the field that is wrong. */
export function showError(where: string, message: string, about: string, field: string | null = null): void {
  state.shownErrors.push({ where, message, about });
  if (state.shownErrors.length > 100) state.shownErrors.shift();
  if (about !== 'step') say('error', message, where, about, field);
  else changed('messages');
}

/** Forgets the errors of these keys: their fields hold other values now. */
export function settle(keys: string[]): void {
  for (const key of keys) state.fieldErrors.delete(key);
  state.messages = state.messages.filter((m) => m.field === null || !keys.includes(m.field));
  changed('fields', 'messages');
}

export function dismiss(id: number): void {
  state.messages = state.messages.filter((m) => m.id !== id);
  changed('messages');
}

/** Whether a kept frame is shown instead of the newest state. */
export function isBack(): boolean {
  return state.tick !== null && state.tick.frame !== null;
}

export function isPlaying(): boolean {
  if (state.scene?.replay) return state.replay.playing;
  return state.tick?.playing ?? false;
}
