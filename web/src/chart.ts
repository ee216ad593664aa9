// A line chart on a 2D canvas: axes with ticks, lines, dots, a vertical mark.

import { powerOfTen } from './format';

export interface Axis {
  min: number;
  max: number;
  log: boolean;
  title: string;
}

export interface Line {
  color: string;
  count: number;
  x(i: number): number;
  y(i: number): number;
  dashed?: boolean;
  width?: number;
}

export interface Dot {
  x: number;
  y: number;
  color: string;
  /** A ring instead of a disc. */
  ring: boolean;
  /** Its radius, 4 pixels without it. */
  size?: number;
}

export interface ChartData {
  x: Axis;
  y: Axis;
  lines: Line[];
  dots: Dot[];
  /** A vertical line at this x, or null. */
  mark: number | null;
}

export interface ChartColors {
  text: string;
  grid: string;
  axis: string;
  background: string;
}

const margin = { left: 46, right: 16, top: 8, bottom: 30 };

export class Chart {
  private readonly context: CanvasRenderingContext2D;
  private data: ChartData | null = null;
  private width = 0;
  private height = 0;

  constructor(readonly canvas: HTMLCanvasElement, resized: () => void) {
    // Small pictures that change often are quicker without the graphics card, above all where there is none.
    this.context = canvas.getContext('2d', { willReadFrequently: true })!;
    // To ask for the size while drawing would lay out the page each time.
    new ResizeObserver(() => {
      this.width = canvas.clientWidth;
      this.height = canvas.clientHeight;
      resized();
    }).observe(canvas);
  }

  /** The x value under a place in the window, or null outside the axes. */
  valueAt(clientX: number): number | null {
    if (!this.data) return null;
    const inner = this.width - margin.left - margin.right;
    const part = (clientX - this.canvas.getBoundingClientRect().x - margin.left) / inner;
    if (part < 0 || part > 1) return null;
    const { min, max, log } = this.data.x;
    return log ? min * (max / min) ** part : min + (max - min) * part;
  }

  draw(data: ChartData, colors: ChartColors): void {
    this.data = data;
    this.resize();
    const { context: c, width, height } = this;
    c.clearRect(0, 0, width, height);
    if (width < 80 || height < 50) return;
    const px = (value: number) => margin.left + part(data.x, value) * (width - margin.left - margin.right);
    const py = (value: number) => height - margin.bottom - part(data.y, value) * (height - margin.top - margin.bottom);
    this.drawAxes(data, colors, px, py);

    c.save();
    c.beginPath();
    c.rect(margin.left, margin.top - 2, width - margin.left - margin.right, height - margin.top - margin.bottom + 4);
    c.clip();
    for (const line of data.lines) this.drawLine(line, px, py);
    c.setLineDash([]);
    for (const dot of data.dots) this.drawDot(dot, colors.background, px, py);
    if (data.mark !== null) {
      c.strokeStyle = colors.text;
      c.lineWidth = 1;
      c.setLineDash([3, 3]);
      c.beginPath();
      c.moveTo(px(data.mark), margin.top);
      c.lineTo(px(data.mark), height - margin.bottom);
      c.stroke();
      c.setLineDash([]);
    }
    c.restore();
  }

  private resize(): void {
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(this.width * ratio);
    const h = Math.round(this.height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  private drawAxes(data: ChartData, colors: ChartColors, px: (v: number) => number, py: (v: number) => number): void {
    const { context: c, width, height } = this;
    const bottom = height - margin.bottom;
    c.font = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';
    c.lineWidth = 1;
    c.fillStyle = colors.text;
    c.strokeStyle = colors.grid;
    c.textBaseline = 'middle';
    c.textAlign = 'right';
    for (const tick of ticks(data.y, Math.max(2, Math.floor((bottom - margin.top) / 28)))) {
      const y = Math.round(py(tick)) + 0.5;
      stroke(c, margin.left, y, width - margin.right, y);
      c.fillText(tickText(data.y, tick), margin.left - 6, y);
    }
    c.textBaseline = 'top';
    c.textAlign = 'center';
    for (const tick of ticks(data.x, Math.max(2, Math.floor((width - margin.left) / 70)))) {
      const x = Math.round(px(tick)) + 0.5;
      stroke(c, x, margin.top, x, bottom);
      c.fillText(tickText(data.x, tick), x, bottom + 4);
    }
    c.strokeStyle = colors.axis;
    stroke(c, margin.left - 0.5, bottom + 0.5, width - margin.right, bottom + 0.5);
    stroke(c, margin.left - 0.5, margin.top, margin.left - 0.5, bottom + 0.5);
    if (!data.y.log && data.y.min < 0 && data.y.max > 0) {
      const zero = Math.round(py(0)) + 0.5;
      stroke(c, margin.left, zero, width - margin.right, zero);
    }
    c.textAlign = 'right';
    c.textBaseline = 'bottom';
    c.fillText(data.x.title, width - margin.right, height);
    c.save();
    c.translate(1, (margin.top + bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.textAlign = 'center';
    c.textBaseline = 'top';
    c.fillText(data.y.title, 0, 0);
    c.restore();
  }

  private drawLine(line: Line, px: (v: number) => number, py: (v: number) => number): void {
    const { context: c } = this;
    c.strokeStyle = line.color;
    c.lineWidth = line.width ?? 1.8;
    c.lineJoin = 'round';
    c.setLineDash(line.dashed ? [5, 4] : []);
    c.beginPath();
    if (line.count > 4 * this.width) this.traceThinned(line, px, py);
    else for (let i = 0; i < line.count; i++) c.lineTo(px(line.x(i)), py(line.y(i)));
    c.stroke();
  }

  /** Of all points in one column of pixels only the lowest and the highest. */
  private traceThinned(line: Line, px: (v: number) => number, py: (v: number) => number): void {
    let from = 0;
    while (from < line.count) {
      const pixel = Math.floor(px(line.x(from)));
      let low = Infinity;
      let high = -Infinity;
      let i = from;
      for (; i < line.count && Math.floor(px(line.x(i))) === pixel; i++) {
        const y = py(line.y(i));
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
      this.context.lineTo(pixel, low);
      this.context.lineTo(pixel, high);
      from = Math.max(i, from + 1);
    }
  }

  private drawDot(dot: Dot, background: string, px: (v: number) => number, py: (v: number) => number): void {
    const { context: c } = this;
    c.beginPath();
    c.arc(px(dot.x), py(dot.y), dot.size ?? 4, 0, 2 * Math.PI);
    c.fillStyle = dot.ring ? background : dot.color;
    c.strokeStyle = dot.ring ? dot.color : background;
    c.lineWidth = dot.ring ? 2 : 1;
    c.fill();
    c.stroke();
  }
}

function part(axis: Axis, value: number): number {
  if (!axis.log) return (value - axis.min) / (axis.max - axis.min);
  return Math.log(Math.max(value, axis.min) / axis.min) / Math.log(axis.max / axis.min);
}

function stroke(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}

/** About `count` round values on the axis. */
export function ticks(axis: Axis, count: number): number[] {
  const result: number[] = [];
  if (axis.log) {
    const low = Math.ceil(Math.log10(axis.min) - 1e-9);
    const high = Math.floor(Math.log10(axis.max) + 1e-9);
    const every = Math.max(1, Math.ceil((high - low) / count));
    for (let power = low; power <= high; power += every) result.push(10 ** power);
    return result;
  }
  const raw = (axis.max - axis.min) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((lead) => lead * power >= raw * 0.999) ?? 10);
  for (let k = Math.ceil(axis.min / step - 1e-9); k * step <= axis.max + 1e-9 * step; k++) result.push(k * step);
  return result;
}

function tickText(axis: Axis, value: number): string {
  if (axis.log && (value < 0.01 || value > 1000)) return powerOfTen(Math.round(Math.log10(value)));
  return String(Number(value.toPrecision(6))).replace('-', '−');
}
