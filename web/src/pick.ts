// Which point of a surface or a line lies under a ray, or nearest to the middle of a pane.
import type { Ray } from 'three';
import type { Topology, Vec3 } from './protocol';

/** A point of a body: of a triangle or a line, as a mean of its corners. */
export interface Hit {
  on: { triangle: number } | { line: number };
  /** Vertices of the topology. */
  corners: number[];
  /** One for each corner, sum 1. */
  weights: number[];
}

type Accepts = (vertex: number) => boolean;

/** What the ray meets first: a triangle, from either side, or a line that is seen within `reach`, the tangent of an angle. */
export function pick(ray: Ray, positions: Float32Array, topology: Topology, accepts: Accepts, reach: number): Hit | null {
  const surface = meetTriangle(ray, positions, topology);
  const line = meetLine(ray, positions, topology, reach, surface?.distance ?? Infinity);
  // What lies behind an obstacle cannot be grabbed through it.
  return line ?? (surface && accepts(surface.hit.corners[0]) ? surface.hit : null);
}

function meetTriangle(ray: Ray, positions: Float32Array, topology: Topology): { hit: Hit; distance: number } | null {
  const { triangles } = topology;
  const { x: ox, y: oy, z: oz } = ray.origin;
  const { x: dx, y: dy, z: dz } = ray.direction;
  let nearest = Infinity;
  let found = -1;
  let weights: Vec3 = [1, 0, 0];
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
    const determinant = ux * px + uy * py + uz * pz;
    if (Math.abs(determinant) < 1e-20) continue;
    const sx = ox - positions[a], sy = oy - positions[a + 1], sz = oz - positions[a + 2];
    const wb = (sx * px + sy * py + sz * pz) / determinant;
    if (wb < 0 || wb > 1) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const wc = (dx * qx + dy * qy + dz * qz) / determinant;
    if (wc < 0 || wb + wc > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / determinant;
    if (distance <= 0 || distance >= nearest) continue;
    nearest = distance;
    found = t / 3;
    weights = [1 - wb - wc, wb, wc];
  }
  return found < 0 ? null : { hit: onTriangle(topology, found, weights), distance: nearest };
}

/** The line that the ray passes most closely, as seen from the eye, in front of `before`. */
function meetLine(ray: Ray, positions: Float32Array, topology: Topology, reach: number, before: number): Hit | null {
  const { lines } = topology;
  const { x: ox, y: oy, z: oz } = ray.origin;
  const { x: dx, y: dy, z: dz } = ray.direction;
  let best = reach;
  let found = -1;
  let weight = 0;
  for (let l = 0; l < lines.length; l += 2) {
    const a = 3 * lines[l], b = 3 * lines[l + 1];
    // The ends across the ray: there it is a point, and the line a segment.
    const ax = positions[a] - ox, ay = positions[a + 1] - oy, az = positions[a + 2] - oz;
    const ux = positions[b] - ox - ax, uy = positions[b + 1] - oy - ay, uz = positions[b + 2] - oz - az;
    const along = ax * dx + ay * dy + az * dz, slope = ux * dx + uy * dy + uz * dz;
    const px = ax - along * dx, py = ay - along * dy, pz = az - along * dz;
    const vx = ux - slope * dx, vy = uy - slope * dy, vz = uz - slope * dz;
    const length = vx * vx + vy * vy + vz * vz;
    const w = length > 0 ? Math.min(1, Math.max(0, -(px * vx + py * vy + pz * vz) / length)) : 0;
    const distance = along + w * slope;
    if (distance <= 0 || distance >= before) continue;
    const aside = Math.hypot(px + w * vx, py + w * vy, pz + w * vz) / distance;
    if (aside >= best) continue;
    best = aside;
    found = l / 2;
    weight = w;
  }
  return found < 0 ? null : onLine(topology, found, [1 - weight, weight]);
}

/** The triangle or line whose middle lies nearest to the ray. */
export function pickNearest(ray: Ray, positions: Float32Array, topology: Topology, accepts: Accepts): Hit | null {
  const { triangles, lines } = topology;
  let nearest = Infinity;
  let found: Hit | null = null;
  const consider = (hit: Hit) => {
    if (!accepts(hit.corners[0])) return;
    const [x, y, z] = pointOn(positions, hit);
    const rx = x - ray.origin.x, ry = y - ray.origin.y, rz = z - ray.origin.z;
    const along = rx * ray.direction.x + ry * ray.direction.y + rz * ray.direction.z;
    if (along <= 0) return;
    // The angle seen from the eye; of equal ones the nearer point.
    const angle = (rx * rx + ry * ry + rz * rz) / (along * along) - 1 + 1e-6 * along;
    if (angle >= nearest) return;
    nearest = angle;
    found = hit;
  };
  for (let t = 0; t < triangles.length / 3; t++) consider(onTriangle(topology, t, [1 / 3, 1 / 3, 1 / 3]));
  for (let l = 0; l < lines.length / 2; l++) consider(onLine(topology, l, [1 / 2, 1 / 2]));
  return found;
}

function onTriangle({ triangles }: Topology, triangle: number, weights: Vec3): Hit {
  return { on: { triangle }, corners: Array.from(triangles.subarray(3 * triangle, 3 * triangle + 3)), weights };
}

function onLine({ lines }: Topology, line: number, weights: [number, number]): Hit {
  return { on: { line }, corners: Array.from(lines.subarray(2 * line, 2 * line + 2)), weights };
}

export function pointOn(positions: Float32Array, { corners, weights }: Hit): Vec3 {
  const result: Vec3 = [0, 0, 0];
  corners.forEach((corner, k) => {
    for (let i = 0; i < 3; i++) result[i] += weights[k] * positions[3 * corner + i];
  });
  return result;
}
