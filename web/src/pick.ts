// Which point of a surface lies under a ray, or nearest to the middle of a pane.
import type { Vector3 } from 'three';
import type { Topology, Vec3 } from './protocol';

export interface Hit {
  triangle: number;
  /** Barycentric weights of the triangle's corners, sum 1. */
  weights: Vec3;
}

type Accepts = (vertex: number) => boolean;

/** The first triangle that the ray meets, from either side. */
export function pick(origin: Vector3, direction: Vector3, positions: Float32Array, topology: Topology,
                     accepts: Accepts): Hit | null {
  const { triangles } = topology;
  const { x: ox, y: oy, z: oz } = origin;
  const { x: dx, y: dy, z: dz } = direction;
  let nearest = Infinity;
  let hit: Hit | null = null;
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
    hit = { triangle: t / 3, weights: [1 - wb - wc, wb, wc] };
  }
  // What lies behind an obstacle cannot be grabbed through it.
  return hit && accepts(triangles[3 * hit.triangle]) ? hit : null;
}

/** The triangle whose middle lies nearest to the ray. */
export function pickNearest(origin: Vector3, direction: Vector3, positions: Float32Array, topology: Topology,
                            accepts: Accepts): Hit | null {
  const { triangles } = topology;
  let nearest = Infinity;
  let found = -1;
  for (let t = 0; t < triangles.length; t += 3) {
    if (!accepts(triangles[t])) continue;
    const [x, y, z] = pointOn(positions, topology, { triangle: t / 3, weights: [1 / 3, 1 / 3, 1 / 3] });
    const rx = x - origin.x, ry = y - origin.y, rz = z - origin.z;
    const along = rx * direction.x + ry * direction.y + rz * direction.z;
    if (along <= 0) continue;
    // The angle seen from the eye; of equal ones the nearer point.
    const angle = (rx * rx + ry * ry + rz * rz) / (along * along) - 1 + 1e-6 * along;
    if (angle >= nearest) continue;
    nearest = angle;
    found = t / 3;
  }
  return found < 0 ? null : { triangle: found, weights: [1 / 3, 1 / 3, 1 / 3] };
}

export function pointOn(positions: Float32Array, topology: Topology, hit: Hit): Vec3 {
  const result: Vec3 = [0, 0, 0];
  for (let corner = 0; corner < 3; corner++) {
    const at = 3 * topology.triangles[3 * hit.triangle + corner];
    for (let i = 0; i < 3; i++) result[i] += hit.weights[corner] * positions[at + i];
  }
  return result;
}
