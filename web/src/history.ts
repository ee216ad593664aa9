// The energies of one pane over the session, in bounded memory.
import { column, rowLength, type EnergyRow } from './protocol';

const capacity = 20000;

/** Rows in the order of time. When full, every second row goes, and of new rows only every second (fourth, …) comes in. */
export class History {
  readonly data = new Float64Array(capacity * rowLength);
  length = 0;
  last: EnergyRow | null = null;
  private stride = 1;
  private skipped = 0;

  clear(): void {
    this.length = 0;
    this.last = null;
    this.stride = 1;
    this.skipped = 0;
  }

  add(row: EnergyRow): void {
    const time = row[column.time] ?? 0;
    if (this.last && time < (this.last[column.time] ?? 0)) this.dropFrom(time);
    this.last = row;
    if (++this.skipped < this.stride) return;
    this.skipped = 0;
    if (this.length === capacity) this.thin();
    for (let i = 0; i < rowLength; i++) this.data[this.length * rowLength + i] = row[i] ?? NaN;
    this.length++;
  }

  at(row: number, which: number): number {
    return this.data[row * rowLength + which];
  }

  /** The number of rows before `time`. */
  countBefore(time: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle, column.time) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  rows(): EnergyRow[] {
    return Array.from({ length: this.length },
                      (_, i) => Array.from(this.data.subarray(i * rowLength, (i + 1) * rowLength)));
  }

  /** Forgets what came at this time and later. */
  dropFrom(time: number): void {
    this.length = this.countBefore(time);
    this.last = this.length > 0 ? Array.from(this.data.subarray((this.length - 1) * rowLength, this.length * rowLength)) : null;
  }

  private thin(): void {
    const kept = Math.floor(this.length / 2);
    for (let i = 0; i < kept; i++) {
      this.data.copyWithin(i * rowLength, 2 * i * rowLength, (2 * i + 1) * rowLength);
    }
    this.length = kept;
    this.stride *= 2;
  }
}
