// Text and plots need not follow every picture: this runs a task a few times a second at most.
import { on, type Topic } from './state';

export class Calm {
  private due = true;
  private ranAt = 0;

  constructor(topics: Topic[], private readonly every: number, private readonly task: () => void) {
    on(topics, () => { this.due = true; });
  }

  /** Does not wait the next time. */
  hurry(): void {
    this.due = true;
    this.ranAt = 0;
  }

  /** Runs the task if it is due and the last time is long enough ago [ms]; returns whether it still waits. */
  run(now: number): boolean {
    if (!this.due) return false;
    if (now - this.ranAt < this.every) return true;
    this.due = false;
    this.ranAt = now;
    this.task();
    return false;
  }
}
