// `window.limber`: what tests may read.
import { pullNow } from './labels';
import type { EnergyRow, Vec3 } from './protocol';
import { isPlaying, state } from './state';
import type { Views } from './views';

/** Counts pictures with new frames over the last two seconds. */
export class Rate {
  private readonly times: number[] = [];
  private static readonly span = 2000;  // ms

  count(now: number): void {
    this.times.push(now);
    this.trim(now);
  }

  perSecond(now: number): number {
    this.trim(now);
    return (1000 * this.times.length) / Rate.span;
  }

  private trim(now: number): void {
    while (this.times.length > 0 && this.times[0] < now - Rate.span) this.times.shift();
  }
}

export function expose(views: Views, rate: Rate): void {
  const probe = {
    get session() { return state.scene?.session ?? null; },
    get panes() { return state.scene?.panes ?? []; },
    get drawn() { return state.drawn; },
    get received() { return state.received; },
    get fps() { return rate.perSecond(performance.now()); },
    get time() { return state.tick?.time ?? 0; },
    get drawnTime() { return views.drawnTime; },
    get pull() { return pullNow(views); },
    get playing() { return isPlaying(); },
    get frame() { return state.tick?.frame ?? null; },
    get frames() { return state.tick?.frames ?? 0; },
    get floor() { return views.floorHeight; },
    get fit() { return { running: state.fit.running, progress: state.fit.progress, result: state.fit.result, motion: state.fit.motion.length }; },
    get advice() { return { running: state.advice.running, result: state.advice.result }; },
    get errors() { return state.shownErrors.map((e) => ({ ...e })); },
    positions: (pane: number): Float32Array => state.frames[pane]?.positions.slice() ?? new Float32Array(0),
    energies: (pane: number): EnergyRow[] => state.histories[pane]?.rows() ?? [],
    project: (pane: number, point: Vec3): [number, number] => views.project(pane, point),
  };
  Object.defineProperty(window, 'limber', { value: Object.freeze(probe) });
}
