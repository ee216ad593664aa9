// How the camera keeps in the picture what moves: it stands still as long as the box of the bodies is seen, then it goes along.
import { Box3, Vector3 } from 'three';
import type { Body, Frame } from './protocol';

/** What a camera sees: where from, along which axes, and the tangents of half its angles. */
export interface Sight {
  eye: Vector3;
  right: Vector3;
  top: Vector3;
  back: Vector3;
  wide: number;
  high: number;
}

/** Where a box lies in the picture, which goes from -1 to 1 both ways: middle and half its size. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
  /** How far in front of the eye its middle is [m]. */
  depth: number;
}

/** The box of all bodies in all panes, without obstacles; empty where there is none. */
export function boundsOf(frames: (Frame | null)[], bodies: Body[], box: Box3): Box3 {
  const { min, max } = box.makeEmpty();
  for (const frame of frames) {
    if (!frame) continue;
    const { positions } = frame;
    for (const { obstacle, vertices: [first, count] } of bodies) {
      if (obstacle) continue;
      for (let i = 3 * first; i < 3 * (first + count); i += 3) {
        const x = positions[i], y = positions[i + 1], z = positions[i + 2];
        if (x < min.x) min.x = x;
        if (y < min.y) min.y = y;
        if (z < min.z) min.z = z;
        if (x > max.x) max.x = x;
        if (y > max.y) max.y = y;
        if (z > max.z) max.z = z;
      }
    }
  }
  return box;
}

const corner = new Vector3();

export function placeOf({ min, max }: Box3, { eye, right, top, back, wide, high }: Sight): Place {
  const depth = -corner.addVectors(min, max).multiplyScalar(0.5).sub(eye).dot(back);
  // What is beside the eye or behind it counts as just in front.
  const nearest = Math.max(0.1 * Math.abs(depth), 1e-9);
  let left = Infinity, most = -Infinity, low = Infinity, highest = -Infinity;
  for (let k = 0; k < 8; k++) {
    corner.set(k & 1 ? min.x : max.x, k & 2 ? min.y : max.y, k & 4 ? min.z : max.z).sub(eye);
    const away = Math.max(-corner.dot(back), nearest);
    const x = corner.dot(right) / (away * wide);
    const y = corner.dot(top) / (away * high);
    left = Math.min(left, x);
    most = Math.max(most, x);
    low = Math.min(low, y);
    highest = Math.max(highest, y);
  }
  return { x: (left + most) / 2, y: (low + highest) / 2, width: (most - left) / 2, height: (highest - low) / 2, depth };
}

/**
 * How far the middle of a box lies outside of where it may be, along one axis of the picture. `rim` is the part of the picture
 * that is used, `kept` a place that the user gave it, which it may keep. A close-up only must not become empty.
 */
export function excess(middle: number, half: number, rim: number, kept: number, closeUp: boolean): number {
  const free = closeUp ? Math.max(rim - half, half + 0.3) : Math.max(rim - half, 0);
  return middle - Math.min(Math.max(middle, Math.min(-free, kept)), Math.max(free, kept));
}
