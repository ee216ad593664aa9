// Playing and the kept frames: the bar below the views.
import { speeds, type Actions } from './actions';
import { Calm } from './calm';
import { byId, make, setAttribute, setText } from './dom';
import { digits, seconds } from './format';
import { changed, isBack, isPlaying, on, state } from './state';

const playShape = 'M6 4l10 6-10 6z';
const pauseShape = 'M5.500 4h3.200v12h-3.200zM11.300 4h3.200v12h-3.200z';

export class Timeline {
  private readonly slider = byId<HTMLInputElement>('slider');
  private readonly speed = byId<HTMLSelectElement>('speed');
  private wanted: number | null = null;
  private replayTime = 0;
  private replayThen = 0;
  private nextFrame = 0;
  private wasPlaying = false;
  private readonly calm = new Calm(['tick'], 100, () => this.show());

  constructor(private readonly actions: Actions) {
    for (const s of speeds) this.speed.append(make('option', { value: s }, s === 0 ? 'As fast as it can' : `${s} ×`));
    this.speed.addEventListener('change', () => actions.setSpeed(Number(this.speed.value)));
    byId('play').addEventListener('click', () => actions.play());
    byId('step').addEventListener('click', () => actions.step());
    byId('restart').addEventListener('click', () => actions.restart());
    byId('live').addEventListener('click', () => actions.live());
    byId('fork').addEventListener('click', () => actions.fork());
    this.slider.addEventListener('input', () => {
      this.wanted = Number(this.slider.value);
      state.replay.playing = false;
      changed('replay');
    });
    on(['scene', 'pending', 'replay', 'link'], () => this.calm.hurry());
    on(['tick'], () => {
      if (this.wasPlaying !== isPlaying() || !isPlaying()) this.calm.hurry();
    });
  }

  /** Before each picture: at most one `seek`. */
  sendNews(now: number): void {
    if (state.scene?.replay && state.replay.playing) this.advance(now);
    else this.replayThen = 0;
    if (this.wanted === null) return;
    this.actions.seek(this.wanted);
    this.wanted = null;
  }

  /** A recorded run plays by seeking: the frame that is due, once the one before has come. */
  private advance(now: number): void {
    const { tick, scene } = state;
    if (!tick || !scene) return;
    const shown = tick.frame ?? tick.frames - 1;
    const last = tick.frames - 1;
    const times = scene.frame_times ?? [];
    const isStart = this.replayThen === 0;
    if (isStart) this.replayTime = times[state.replay.from] ?? 0;
    else this.replayTime += (state.replay.speed * (now - this.replayThen)) / 1000;
    this.replayThen = now;
    const due = isStart ? state.replay.from : state.replay.speed > 0 ? frameAt(times, this.replayTime) : Math.min(shown + 1, last);
    const isAnswered = state.sought === null;
    if (due !== shown && isAnswered) this.wanted = due;
    if (shown === last && due === last) {
      state.replay.playing = false;
      changed('replay');
    } else {
      // An answer calls for a picture of its own; where none is due, nothing else would.
      clearTimeout(this.nextFrame);
      const { speed } = state.replay;
      const wait = !isAnswered ? 100 : speed > 0 ? (1000 * (times[due + 1] - this.replayTime)) / speed : 0;
      this.nextFrame = window.setTimeout(() => changed('later'), wait);
    }
  }

  /** Shows what has changed, at most ten times a second while it plays; returns whether something is left to show. */
  draw(now: number): boolean {
    return this.calm.run(now);
  }

  private show(): void {
    const { tick, scene } = state;
    const playing = isPlaying();
    this.wasPlaying = playing;
    setText(byId('play-text'), playing ? 'Pause' : 'Play');
    setAttribute(byId('play-shape'), 'd', playing ? pauseShape : playShape);
    for (const id of ['play', 'step', 'restart']) byId<HTMLButtonElement>(id).disabled = !scene || state.link !== 'open';
    const speed = String(this.actions.speed);
    if (this.speed.value !== speed && document.activeElement !== this.speed) this.speed.value = speed;

    const back = isBack();
    const frames = tick?.frames ?? 0;
    const last = Math.max(frames - 1, 0);
    const times = scene?.frame_times;
    const at = state.sought ?? tick?.frame ?? last;
    const time = times?.[at] ?? (tick ? (back ? tick.frame_time : tick.time) : 0);
    setText(byId('time'), seconds(time));
    setText(byId('real-time'), scene?.replay ? 'recorded run'
      : playing && tick ? `${digits(tick.real_time, 2)} × real time` : back ? 'kept frame' : tick ? 'paused' : '');

    if (Number(this.slider.max) !== last) this.slider.max = String(last);
    if (Number(this.slider.value) !== at) this.slider.value = String(at);
    this.slider.disabled = frames < 2;
    const end = times?.at(-1) ?? tick?.time ?? 0;
    const text = back ? `${seconds(time)} of ${seconds(end)}` : seconds(end);
    setAttribute(this.slider, 'aria-valuetext', `Frame ${at + 1} of ${Math.max(frames, 1)}, ${text}`);
    setText(byId('from-time'), times?.[0] ? seconds(times[0]) : '0 s');
    setText(byId('slider-text'), seconds(end));
    setAttribute(this.slider, 'title', `${frames} kept frames`);

    const live = byId<HTMLButtonElement>('live');
    live.disabled = !tick;
    setAttribute(live, 'aria-pressed', String(!back && !scene?.replay));
    live.hidden = scene?.replay ?? false;
    const fork = byId<HTMLButtonElement>('fork');
    const changes = state.pending.reduce((sum, p) => sum + Object.keys(p.set).length, 0);
    fork.disabled = !(back || (scene?.replay && frames > 0));
    fork.classList.toggle('ready', !fork.disabled);
    setText(fork, changes > 0 ? `Fork here with ${changes} change${changes > 1 ? 's' : ''}` : 'Fork here');
  }
}

/** The last frame that is not later than this. */
function frameAt(times: number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, 0);
}
