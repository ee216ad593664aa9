// The planes of a scene: discs with a grid that fade towards their rims; or a faint grid below, where the scene has no ground.
import {
  BufferGeometry, Color, DoubleSide, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial,
  Quaternion, RingGeometry, Vector3, type Object3D,
} from 'three';
import { scenery } from './colors';
import type { Plane, Scene } from './protocol';

type Theme = 'light' | 'dark';

export function isHorizontal(plane: Plane): boolean {
  const [x, y, z] = plane.normal;
  return y > 0.999 * Math.hypot(x, y, z);
}

/** The horizontal plane that bodies stand on, if there is one. */
export function groundOf(scene: Scene): Plane | null {
  return scene.planes.find(isHorizontal) ?? null;
}

export function sizeOf(scene: Scene): number {
  const { min, max } = scene.box;
  return Math.max(Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]), 1e-6);
}

/** The height of the faint grid, below all that there is; it goes lower when something comes down to it. */
export class Floor {
  height = 0;
  private scene = '';
  private size = 1;
  private top = 0;

  /** When a scene is begun again its floor stays as low as it was. */
  begin(scene: Scene, rest: Float32Array): void {
    const name = `${scene.name} ${JSON.stringify(scene.box)}`;
    const before = name === this.scene ? this.height : Infinity;
    this.scene = name;
    this.size = sizeOf(scene);
    this.top = scene.box.min[1];
    this.height = Math.min(before, Math.min(this.top, scene.lowest ?? Infinity, lowestOf(rest)) - 0.25 * this.size);
  }

  /** Returns whether it had to go lower. */
  makeRoom(positions: Float32Array): boolean {
    const low = lowestOf(positions);
    if (low > this.height + 0.02 * this.size) return false;
    this.height = low - Math.max(0.5 * this.size, 0.5 * (this.top - low));
    return true;
  }
}

function lowestOf(positions: Float32Array): number {
  let low = Infinity;
  for (let i = 1; i < positions.length; i += 3) if (positions[i] < low) low = positions[i];
  return low;
}

/** The planes of the scene, and the floor where none of them is the ground. */
export function makePlanes(scene: Scene, floor: number, theme: Theme): Object3D[] {
  const size = sizeOf(scene);
  const middle = middleOf(scene);
  const discs = scene.planes.map((plane) => makeDisc(plane, middle, (isHorizontal(plane) ? 4 : 1.5) * size, size, true, theme));
  if (!groundOf(scene)) {
    discs.push(makeDisc(planeAt(floor), middle, 2.5 * size, size, false, theme));
  }
  return discs;
}

/** Puts the discs of planes that move where these are now. */
export function movePlanes(discs: Object3D[], planes: Plane[], scene: Scene): void {
  const middle = middleOf(scene);
  planes.slice(0, scene.planes.length).forEach((plane, i) => place(discs[i], plane, middle));
}

/** Puts the floor, if there is one, at this height. */
export function moveFloor(discs: Object3D[], height: number, scene: Scene): void {
  if (!groundOf(scene)) place(discs[scene.planes.length], planeAt(height), middleOf(scene));
}

function planeAt(height: number): Plane {
  return { point: [0, height, 0], normal: [0, 1, 0] };
}

function middleOf(scene: Scene): Vector3 {
  return new Vector3(...scene.box.min).add(new Vector3(...scene.box.max)).multiplyScalar(0.5);
}

function makeDisc(plane: Plane, near: Vector3, radius: number, size: number, filled: boolean, theme: Theme): Object3D {
  const cell = roundDown(size / 8);
  const disc = new Group();
  if (filled) disc.add(makeFloor(radius, theme));
  disc.add(makeGrid(cell, Math.min(radius, 1.8 * size), 0.4, theme), makeGrid(5 * cell, radius, 0.9, theme));
  place(disc, plane, near);
  return disc;
}

function place(disc: Object3D, plane: Plane, near: Vector3): void {
  const normal = new Vector3(...plane.normal).normalize();
  disc.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
  disc.position.copy(near).addScaledVector(normal, new Vector3(...plane.point).sub(near).dot(normal));
}

/** How much is seen at a distance from the middle, in parts of the radius. */
function fade(distance: number): number {
  const t = Math.min(1, Math.max(0, (distance - 0.3) / 0.7));
  return 1 - t * t * (3 - 2 * t);
}

function makeFloor(radius: number, theme: Theme): Mesh {
  const geometry = new RingGeometry(0, radius, 48, 12);
  const places = geometry.attributes.position;
  const alphas = Array.from({ length: places.count }, (_, i) => fade(Math.hypot(places.getX(i), places.getY(i)) / radius));
  const floor = new Mesh(geometry, new MeshBasicMaterial({
    transparent: true, vertexColors: true, side: DoubleSide, depthWrite: false,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
  }));
  geometry.setAttribute('color', colorsWith(scenery[theme].ground, alphas));
  floor.renderOrder = -4;
  return floor;
}

/** Lines in pieces, since their colour changes along them. */
function makeGrid(cell: number, radius: number, opacity: number, theme: Theme): LineSegments {
  const places: number[] = [];
  const alphas: number[] = [];
  const pieces = 24;
  const count = Math.floor(radius / cell);
  for (let line = -count; line <= count; line++) {
    const across = line * cell;
    const half = Math.sqrt(radius * radius - across * across);
    for (let end = 0; end < 2 * pieces; end++) {
      // Inner points end one piece and begin the next.
      const along = half * ((2 * Math.ceil(end / 2)) / pieces - 1);
      places.push(across, along, 0);
      alphas.push(opacity * fade(Math.hypot(across, along) / radius));
    }
  }
  const turned = places.slice();
  for (let i = 0; i < turned.length; i += 3) [turned[i], turned[i + 1]] = [turned[i + 1], turned[i]];
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute([...places, ...turned], 3));
  geometry.setAttribute('color', colorsWith(scenery[theme].line, [...alphas, ...alphas]));
  const grid = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, vertexColors: true, depthWrite: false }));
  grid.renderOrder = -3;
  return grid;
}

function colorsWith(color: string, alphas: number[]): Float32BufferAttribute {
  const { r, g, b } = new Color(color);
  return new Float32BufferAttribute(alphas.flatMap((alpha) => [r, g, b, alpha]), 4);
}

/** The next 1, 2 or 5 times a power of ten that is not larger. */
function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}
