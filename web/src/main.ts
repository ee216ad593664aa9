// Puts the page together: what the server says goes into the state, the state into pictures.
import { Actions } from './actions';
import { Connection } from './connection';
import { Controls, fieldKeyFor } from './controls';
import { bindHelp, bindScenes } from './dialogs';
import { byId, download } from './dom';
import { bindFiles } from './drop';
import { History } from './history';
import { bindKeys, makeShortcuts, type Shortcut } from './keys';
import { Labels } from './labels';
import { bindMessages } from './messages';
import { Plots } from './plots';
import { expose, Rate } from './probe';
import { column, type Answer, type Curve, type Frame, type Observed, type Scene, type ServerError, type Tick, type Topology } from './protocol';
import { Puller } from './pull';
import { changed, flush, noFit, onWake, say, showError, state, type Topic } from './state';
import { bindTheme } from './theme';
import { Timeline } from './timeline';
import { Views } from './views';

const canvas = byId<HTMLCanvasElement>('view');
const link = () => connection;

bindTheme();
const views = makeViews();
const puller = new Puller(views, link);
views.bind(puller);

const key = new URLSearchParams(location.search).get('key') ?? '';
const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws?key=${encodeURIComponent(key)}`;
const connection = new Connection(address, { opened, lost, answer, binary, broken });
const actions = new Actions(connection);
const labels = new Labels(views, actions, () => controls.addPane());
const plots = new Plots(link);
const files = bindFiles(link, actions);
const controls = new Controls(actions, files.choose);
const timeline = new Timeline(actions);
const rate = new Rate();
bindMessages(actions);

let shortcuts: Shortcut[] = [];
const scenes = bindScenes(actions, files.choose);
const help = bindHelp(() => shortcuts);
shortcuts = makeShortcuts({
  actions, views, puller, openScenes: scenes.open, openHelp: help.open, addPane: () => controls.addPane(),
});
bindKeys(shortcuts, canvas);
expose(views, rate);

function makeViews(): Views {
  try {
    return new Views(canvas);
  } catch (error) {
    byId('empty').textContent = 'This page needs WebGL, which this browser does not offer.';
    throw error;
  }
}

function opened(): void {
  state.link = 'open';
  changed('link');
  if (state.view.color !== 'none' || state.view.arrows) actions.sendShow();
}

function lost(): void {
  state.link = 'lost';
  state.sought = null;
  state.recordings.forEach((r, format) => { if (r.url === null) state.recordings.delete(format); });
  state.fit.running = false;  // the server has ended it
  changed('link', 'recording', 'fit', 'fitting');
}

function broken(reason: string): void {
  showError('', `The page did not understand the server: ${reason}`, 'protocol');
}

function answer(message: Answer): void {
  switch (message.is) {
    case 'hello':
      state.hello = message;
      changed('hello');
      break;
    case 'scene':
      takeScene(message);
      break;
    case 'tick':
      takeTick(message);
      break;
    case 'curve':
      takeCurve(message);
      break;
    case 'error':
      takeError(message);
      break;
    case 'observed':
      takeObserved(message);
      break;
    case 'fitting':
      if (!state.fit.progress) forgetErrors('fit');
      state.fit.progress = message;
      if (message.motion) state.fit.motion = message.motion;
      changed('fitting');
      break;
    case 'fitted':
      Object.assign(state.fit, { running: false, result: message });
      if (message.motion) state.fit.motion = message.motion;
      changed('fit', 'fitting');
      break;
    case 'advising':
      forgetErrors('advise');
      Object.assign(state.advice, { done: message.done, trying: message.method });
      changed('advice');
      break;
    case 'advice':
      Object.assign(state.advice, { running: false, result: message });
      changed('advice');
      break;
    case 'note':
      say('note', message.message);
      break;
    case 'saved':
      download(message.name.endsWith('.json') ? message.name : `${message.name}.json`, message.text, 'application/json');
      say('note', 'The scene is saved as a download.');
      break;
    case 'recording':
      state.recordings.set(message.format, { format: message.format, done: message.done, url: null, file: '' });
      changed('recording');
      break;
    case 'recorded':
      state.recordings.set(message.format, { format: message.format, done: 1, url: message.url, file: message.file });
      say('note', 'The recording is ready: see "Save and record".');
      changed('recording');
      break;
  }
}

/** Requests that are answered by a scene, or by an error. */
const changesScene = new Set(['set', 'fork', 'panes', 'open', 'load', 'surface', 'restart']);

function takeScene(scene: Scene): void {
  const another = scene.name !== state.scene?.name;
  state.scene = scene;
  state.topology = null;
  state.frames = scene.panes.map(() => null);
  state.curves = scene.panes.map(() => null);
  if (another || state.histories.length !== scene.panes.length) {
    state.histories = scene.panes.map(() => new History());
  }
  if (another) state.tick = null;
  else if (state.tick) state.tick.frame = null;
  // The request was taken: what stood against it, or one like it, is settled.
  state.messages = state.messages.filter((m) => m.kind !== 'error' || !(another || changesScene.has(m.about)));
  state.selected = Math.min(state.selected, scene.panes.length - 1);
  state.pending = [];
  state.fieldErrors.clear();
  state.failure = '';
  state.replay.playing = false;
  state.sought = null;
  if (another) {
    state.recordings.clear();
    state.asked.clear();
    if (state.fit.running) actions.cancelFit();
    state.fit = noFit();
    changed('fit', 'fitting');
  }
  changed('scene', 'messages', 'recording');
}

function takeTick(tick: Tick): void {
  changed('tick');
  if (tick.session !== state.scene?.session) return;
  tick.panes.forEach((pane, i) => {
    const history = state.histories[i];
    if (!history) return;
    if (tick.reset) history.clear();
    // After a fork time has gone back. Panes with other steps may be a little ahead of the clock. A recorded run has all
    // its rows at once.
    const slack = state.scene?.replay ? Infinity : 2 * (state.scene?.panes[i]?.step ?? 0);
    if ((history.last?.[column.time] ?? 0) > tick.time + slack) history.dropFrom(tick.time + 1e-9);
    for (const row of pane.rows) history.add(row);
  });
  state.tick = tick;
  if (tick.frame === state.sought || tick.frame === null) state.sought = null;
}

/** What was refused before has been taken now. */
function forgetErrors(about: string): void {
  state.messages = state.messages.filter((m) => m.kind !== 'error' || m.about !== about);
  changed('messages');
}

/** The table is there: the search is for Young's modulus, unless something else is chosen. */
function takeObserved(observed: Observed): void {
  const { fit } = state;
  const known = fit.rows;
  state.fit = { ...noFit(), file: fit.file, asked: fit.asked, table: fit.asked, observed, rows: known };
  const first = observed.parameters.find((p) => p.name.endsWith('.young'));
  if (known.length === 0 && first) actions.vary(first.name);
  forgetErrors('observe');
  changed('fit', 'fitting');
}

/** One that was asked for before the method changed comes too late. */
function takeCurve(curve: Curve): void {
  const pane = state.scene?.panes[curve.pane];
  if (!pane || pane.method !== curve.method || pane.step !== curve.step) return;
  state.curves[curve.pane] = curve;
  changed('curve');
}

function takeError(error: ServerError): void {
  if (error.about === 'curve') {
    state.curveError = error.message;
    changed('curve');
    return;
  }
  if (error.about === 'fit' && state.fit.running) {
    state.fit.running = false;
    changed('fit', 'fitting');
  }
  if (error.about === 'advise' && state.advice.running) {
    state.advice.running = false;
    changed('advice');
  }
  if (error.about === 'record') {
    state.recordings.forEach((r, format) => { if (r.url === null) state.recordings.delete(format); });
    changed('recording');
  }
  if (error.about === 'step') state.failure = error.where ? `${error.where}: ${error.message}` : error.message;
  const key = error.about === 'set' || error.about === 'fork' ? fieldKeyFor(error.where) : null;
  if (key) {
    const refused = state.asked.get(key);
    state.fieldErrors.set(key, { message: error.message, text: refused === undefined ? null : String(refused) });
    changed('fields');
  }
  showError(error.where, error.message, error.about, key);
}

function binary(message: Topology | Frame): void {
  if (message.session !== state.scene?.session) return;
  if (message.kind === 'topology') {
    state.topology = message;
    views.show();
    changed('scene');
    return;
  }
  if (!state.topology || message.pane >= state.frames.length) return;
  if (message.positions.length !== state.topology.rest.length) {
    broken('a frame and the topology have different numbers of vertices');
    return;
  }
  state.received++;
  state.frames[message.pane] = message;
  views.take(message.pane);
  changed('frame');
}

// Pictures: only when something has changed.
const drawnFor: Topic[] = ['frame', 'camera', 'size', 'view', 'theme', 'scene', 'pull'];
let asked = false;
let askedAt = 0;
let pictureAt = 0;
let lateCall = false;
let slowPictures = 0;

onWake(() => {
  if (asked) return;
  asked = true;
  const wait = views.shortestPause - (performance.now() - pictureAt);
  if (wait > 4) setTimeout(ask, wait);
  else ask();
});

function ask(): void {
  askedAt = performance.now();
  requestAnimationFrame(picture);
}

function picture(now: number): void {
  asked = false;
  pictureAt = performance.now();
  timeline.sendNews(now);
  puller.sendNews();
  const topics = flush();
  if (drawnFor.some((topic) => topics.has(topic))) {
    views.draw(now);
    labels.update();
    if (topics.has('frame')) {
      state.drawn++;
      rate.count(now);
    }
  }
  watchSpeed(now);
  const waiting = [plots.draw(now), timeline.draw(now)].some(Boolean);
  if (waiting && !lateCall) {
    lateCall = true;
    setTimeout(() => {
      lateCall = false;
      changed('later');
    }, 60);
  }
  connection.drawn();
}

/** Where the browser keeps us waiting for a while, because the last pictures are not done: fewer pixels. */
function watchSpeed(now: number): void {
  slowPictures = now - askedAt > 40 ? slowPictures + 1 : 0;
  if (slowPictures > 40) views.useFewerPixels();
}
