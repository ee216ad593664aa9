// The colours of panes, curves, bodies and values, for both themes.
import { Color } from 'three';

type Theme = 'light' | 'dark';

/** Panes and their curves. */
const panes: Record<Theme, string[]> = {
  light: ['#1b62c4', '#b84e0e', '#157a4e', '#9333a8'],
  dark: ['#74adff', '#ffa05f', '#51cb91', '#dc94f2'],
};

export function paneColor(theme: Theme, pane: number): string {
  return panes[theme][pane % 4];
}

/** The energies of a single pane. */
const energies: Record<Theme, Record<string, string>> = {
  light: {
    total: '#1b62c4', kinetic: '#b84e0e', elastic: '#157a4e', gravitational: '#6b5bb0', contact: '#b02a57', other: '#7a6a10',
    lost: '#5d6672',
  },
  dark: {
    total: '#74adff', kinetic: '#ffa05f', elastic: '#51cb91', gravitational: '#b6a7ff', contact: '#ff8fb0', other: '#d8c255',
    lost: '#a3adba',
  },
};

export function energyColor(theme: Theme, name: string): string {
  return energies[theme][name] ?? energies[theme].other;
}

/** What is drawn on canvases and cannot take its colour from the style sheet. */
export const scenery = {
  light: {
    background: '#eef1f5', ground: '#e2e6ec', line: '#b9c1cc', obstacle: '#9aa2ad', wire: '#1c2733', pinned: '#1f2933',
    pull: '#d81e4a', arrow: '#c2410c', text: '#3b4652', grid: '#dfe4ea', axis: '#8b96a3', sky: '#ffffff', bounce: '#9c958c',
    rod: '#33506e',
  },
  dark: {
    background: '#14181d', ground: '#1d2329', line: '#3a434d', obstacle: '#7c8590', wire: '#dbe4ee', pinned: '#f2f5f8',
    pull: '#ff5c80', arrow: '#ffb259', text: '#b8c2cd', grid: '#2a3138', axis: '#66717d', sky: '#e8f0fa', bounce: '#4c4a52',
    rod: '#9dbbd9',
  },
} as const;

/** Calm colours, one for each body in turn. */
const bodies = ['#6f9fcb', '#d6a06c', '#85b58d', '#b393c9', '#cf8585', '#bfae5e', '#6fb3b3', '#a39a8c'];

export function bodyColor(body: number): string {
  return bodies[body % bodies.length];
}

/** Viridis at eleven places; what lies between is interpolated. */
const viridisStops = [
  '#440154', '#482475', '#414487', '#355f8d', '#2a788e', '#21918c', '#22a884', '#44bf70', '#7ad151', '#bddf26', '#fde725',
];

export const viridisGradient = `linear-gradient(to right, ${viridisStops.join(', ')})`;

/** 256 colours in linear light, three numbers each. */
export const viridis: Float32Array = (() => {
  const stops = viridisStops.map((c) => new Color(c));
  const table = new Float32Array(3 * 256);
  const color = new Color();
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (stops.length - 1);
    const left = Math.min(Math.floor(place), stops.length - 2);
    color.lerpColors(stops[left], stops[left + 1], place - left).toArray(table, 3 * i);
  }
  return table;
})();
