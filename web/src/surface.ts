// The drawn surface: the vertices of a topology, split along sharp edges of the rest shape so that a box keeps its edges while
// everything round is shaded smoothly.
import type { Body, Topology } from './protocol';

const sharp = Math.cos((40 * Math.PI) / 180);

export interface Surface {
  /** Number of drawn vertices. */
  count: number;
  /** The vertex of the topology behind each drawn vertex. */
  source: Uint32Array;
  /** One drawn vertex for each vertex of the topology. */
  first: Uint32Array;
  /** Three drawn vertices per triangle. */
  index: Uint32Array;
  /** Two drawn vertices per edge, each edge once. */
  edges: Uint32Array;
  /** Whether only the outside can be seen: edges have two triangles, in opposite directions, and these face outwards. */
  closed: boolean;
}

export function makeSurface(topology: Topology, bodies: Body[]): Surface {
  const { triangles, vertices } = topology;
  const corners = triangles.length;
  const normals = faceNormals(topology.rest, triangles);

  // Corners that meet in a vertex are one drawn vertex if smooth edges connect their triangles.
  const parent = Uint32Array.from({ length: corners }, (_, i) => i);
  const root = (corner: number): number => {
    while (parent[corner] !== corner) {
      parent[corner] = parent[parent[corner]];
      corner = parent[corner];
    }
    return corner;
  };
  const seen = new Map<number, number>();  // edge -> the corner at which the first triangle that has it comes to it
  const edgeCorners: number[] = [];
  let open = 0;  // edges with one triangle so far
  let turned = false;
  for (let corner = 0; corner < corners; corner++) {
    const next = corner % 3 === 2 ? corner - 2 : corner + 1;
    const a = triangles[corner];
    const b = triangles[next];
    const key = a < b ? a * vertices + b : b * vertices + a;
    const other = seen.get(key);
    if (other === undefined) {
      seen.set(key, corner);
      edgeCorners.push(corner, next);
      open++;
      continue;
    }
    open--;
    if (triangles[other] === a) turned = true;
    if (cosine(normals, Math.floor(corner / 3), Math.floor(other / 3)) < sharp) continue;
    const otherNext = other % 3 === 2 ? other - 2 : other + 1;
    const same = triangles[other] === a;
    parent[root(corner)] = root(same ? other : otherNext);
    parent[root(next)] = root(same ? otherNext : other);
  }

  const source: number[] = [];
  const first = new Uint32Array(vertices).fill(0xffffffff);
  const drawn = new Int32Array(corners).fill(-1);
  const index = new Uint32Array(corners);
  const add = (vertex: number): number => {
    if (first[vertex] === 0xffffffff) first[vertex] = source.length;
    return source.push(vertex) - 1;
  };
  for (let corner = 0; corner < corners; corner++) {
    const r = root(corner);
    if (drawn[r] < 0) drawn[r] = add(triangles[corner]);
    index[corner] = drawn[r];
  }
  for (let vertex = 0; vertex < vertices; vertex++) if (first[vertex] === 0xffffffff) add(vertex);

  return {
    count: source.length, source: Uint32Array.from(source), first, index,
    edges: Uint32Array.from(edgeCorners, (corner) => index[corner]),
    closed: open === 0 && !turned && volumes(topology, bodies).every((volume) => volume >= 0),
  };
}

/** Six times what the triangles of each body enclose at rest [m³], negative where they face inwards. */
function volumes({ triangles, rest, vertices }: Topology, bodies: Body[]): number[] {
  const body = bodyOfVertices(vertices, bodies);
  const result = bodies.map(() => 0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    result[body[triangles[t]]] += rest[a] * (rest[b + 1] * rest[c + 2] - rest[b + 2] * rest[c + 1]) +
      rest[a + 1] * (rest[b + 2] * rest[c] - rest[b] * rest[c + 2]) + rest[a + 2] * (rest[b] * rest[c + 1] - rest[b + 1] * rest[c]);
  }
  return result;
}

/** The body of each vertex of the topology. */
export function bodyOfVertices(vertices: number, bodies: Body[]): Uint16Array {
  const result = new Uint16Array(vertices);
  bodies.forEach((body, i) => result.fill(i, body.vertices[0], body.vertices[0] + body.vertices[1]));
  return result;
}

/** Writes the positions of the drawn vertices. */
export function spreadPositions(surface: Surface, positions: Float32Array, out: Float32Array): void {
  const { source, count } = surface;
  for (let i = 0; i < count; i++) {
    const from = 3 * source[i];
    out[3 * i] = positions[from];
    out[3 * i + 1] = positions[from + 1];
    out[3 * i + 2] = positions[from + 2];
  }
}

/** Writes normals, weighted by the area of the triangles, in place. */
export function vertexNormals(positions: Float32Array, index: Uint32Array, out: Float32Array): void {
  out.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    out[a] += nx; out[a + 1] += ny; out[a + 2] += nz;
    out[b] += nx; out[b + 1] += ny; out[b + 2] += nz;
    out[c] += nx; out[c + 1] += ny; out[c + 2] += nz;
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.sqrt(out[i] * out[i] + out[i + 1] * out[i + 1] + out[i + 2] * out[i + 2]);
    if (length === 0) continue;
    out[i] /= length; out[i + 1] /= length; out[i + 2] /= length;
  }
}

function faceNormals(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const each = Uint32Array.from({ length: triangles.length }, (_, i) => i);
  const apart = new Float32Array(3 * triangles.length);
  triangles.forEach((v, i) => apart.set(positions.subarray(3 * v, 3 * v + 3), 3 * i));
  const corners = new Float32Array(apart.length);
  vertexNormals(apart, each, corners);
  const faces = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length / 3; t++) faces.set(corners.subarray(9 * t, 9 * t + 3), 3 * t);
  return faces;
}

function cosine(normals: Float32Array, a: number, b: number): number {
  return normals[3 * a] * normals[3 * b] + normals[3 * a + 1] * normals[3 * b + 1] + normals[3 * a + 2] * normals[3 * b + 2];
}
