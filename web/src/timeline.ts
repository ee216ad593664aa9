// Playing and the kept frames: the bar below the views.
import { speeds, type Actions } from './actions';
import { Calm } from './calm';
import { byId, make, setText } from './dom';
import { digits, seconds } from './format';
import { changed, isBack, isPlaying, on, state } from './state';

const playShape = 'M6 4l10 6-10 6z';
const pauseShape = 'M5.500 4h3.200v12h-3.200zM11.300 4h3.200v12h-3.200z';

export class Timeline {
  private readonly slider = byId<HTMLInputElement>('slider');
  private readonly speed = byId<HTMLSelectElement>('speed');
  private wanted: number | null = null;
  private sought: number | null = null;
  private replayPlace = 0;
  private replayThen = 0;
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
    this.sought = this.wanted;
    this.wanted = null;
  }

  /** A recorded run plays by seeking: the frame that is due, once the one before has come. */
  private advance(now: number): void {
    const { tick, scene } = state;
    changed('replay');
    if (!tick || !scene) return;
    const shown = tick.frame ?? tick.frames - 1;
    if (this.replayThen === 0) {
      this.replayPlace = state.replay.from;
      this.sought = null;
    }
    const elapsed = this.replayThen === 0 ? 0 : (now - this.replayThen) / 1000;
    this.replayThen = now;
    const perFrame = shown > 0 && tick.frame_time > 0 ? tick.frame_time / shown : scene.duration / Math.max(tick.frames - 1, 1);
    const { speed } = state.replay;
    this.replayPlace = speed === 0 ? shown + 1 : this.replayPlace + (elapsed * speed) / Math.max(perFrame, 1e-9);
    const due = Math.min(Math.floor(this.replayPlace), tick.frames - 1);
    const answered = this.sought === null || shown === this.sought;
    if (due !== shown && answered) this.wanted = due;
    if (shown >= tick.frames - 1 && this.replayPlace >= tick.frames - 1) state.replay.playing = false;
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
    byId('play-shape').setAttribute('d', playing ? pauseShape : playShape);
    for (const id of ['play', 'step', 'restart']) byId<HTMLButtonElement>(id).disabled = !scene || state.link !== 'open';
    const speed = String(this.actions.speed);
    if (this.speed.value !== speed && document.activeElement !== this.speed) this.speed.value = speed;

    const back = isBack();
    const frames = tick?.frames ?? 0;
    const last = Math.max(frames - 1, 0);
    setText(byId('time'), seconds(tick ? (back ? tick.frame_time : tick.time) : 0));
    setText(byId('real-time'), scene?.replay ? 'recorded run'
      : playing && tick ? `${digits(tick.real_time, 2)} × real time` : back ? 'kept frame' : tick ? 'paused' : '');

    if (Number(this.slider.max) !== last) this.slider.max = String(last);
    const at = tick?.frame ?? last;
    if (this.wanted === null && Number(this.slider.value) !== at) this.slider.value = String(at);
    this.slider.disabled = frames < 2;
    const end = scene?.replay ? scene.duration : (tick?.time ?? 0);
    const text = back && tick ? `${seconds(tick.frame_time)} of ${seconds(end)}` : seconds(end);
    this.slider.setAttribute('aria-valuetext', `Frame ${at + 1} of ${Math.max(frames, 1)}, ${text}`);
    setText(byId('from-time'), '0 s');
    setText(byId('slider-text'), seconds(end));
    this.slider.title = `${frames} kept frames`;

    const live = byId<HTMLButtonElement>('live');
    live.disabled = !tick;
    live.setAttribute('aria-pressed', String(!back && !scene?.replay));
    live.hidden = scene?.replay ?? false;
    const fork = byId<HTMLButtonElement>('fork');
    const changes = state.pending.reduce((sum, p) => sum + Object.keys(p.set).length, 0);
    fork.disabled = !(back || (scene?.replay && frames > 0));
    fork.classList.toggle('ready', !fork.disabled);
    setText(fork, changes > 0 ? `Fork here with ${changes} change${changes > 1 ? 's' : ''}` : 'Fork here');
  }
}
