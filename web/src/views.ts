// The grid of panes: one renderer and one canvas, a rectangle for each pane.
import { Box3, Ray, Vector3, WebGLRenderer, type PerspectiveCamera } from 'three';
import { OrbitCamera } from './cameras';
import { scenery } from './colors';
import { boundsOf } from './follow';
import { Floor, groundOf } from './ground';
import { Pane, type Look } from './pane';
import { bindPointers, type Holder } from './pointers';
import type { ColorBy, Vec3 } from './protocol';
import { changed, isPlaying, on, state } from './state';
import { makeSurface, type Surface } from './surface';

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

const gap = 2;
/** Pixels drawn for each of the window's, along each side, where the processor draws them. */
const softwarePixels = 0.65;
/** There, pictures keep at least this distance [ms]: more of them would take the time of the simulation. */
const softwarePause = 28;

export class Views {
  readonly orbit = new OrbitCamera(() => changed('camera'));
  /** The rectangles of the panes in the canvas, in CSS pixels. */
  rects: Rect[] = [];
  /** A place of the grid that no pane takes. */
  spare: Rect | null = null;
  /** The time of the newest frame of the first pane that was drawn. */
  drawnTime = 0;
  private readonly renderer: WebGLRenderer;
  private panes: Pane[] = [];
  private surface: Surface | null = null;
  private shownScene = '';
  private shownColor: ColorBy = 'none';
  private readonly fresh = new Set<number>();
  private readonly look: Look;
  private readonly floor = new Floor();
  private width = 0;
  private height = 0;
  private slow = false;
  private readonly box = new Box3();
  private followedAt = 0;
  private followedTime = 0;
  private readonly software: boolean;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.software = isSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.software, stencil: true, powerPreference: 'high-performance' });
    this.renderer.setScissorTest(true);
    if (this.software) document.documentElement.dataset.drawnBy = 'software';
    this.look = {
      theme: state.theme, wireframe: false, pinned: true, arrows: false, colored: false, range: [0, 1], longestArrow: 1,
      software: this.software, floor: 0,
    };
    on(['view'], () => this.restyle());
    on(['theme'], () => this.rebuild());
    on(['size'], () => this.layout());
    new ResizeObserver(() => changed('size')).observe(canvas.parentElement!);
    canvas.addEventListener('webglcontextrestored', () => changed('camera'));
  }

  /** Between two pictures [ms]. */
  get shortestPause(): number {
    return this.software ? softwarePause : 0;
  }

  bind(holder: Holder): void {
    bindPointers(this.canvas, this.orbit, holder, () => this.rects[0]?.height ?? 1);
  }

  /** The range of the values of all panes, smoothed so that the bar does not flicker. */
  get range(): [number, number] {
    return this.look.range;
  }

  /** A new topology: new panes. The user's camera stays where the scene is the same. */
  show(): void {
    const { scene, topology } = state;
    if (!scene || !topology) return;
    this.surface = makeSurface(topology, scene.bodies);
    this.floor.begin(scene, topology.rest);
    this.look.floor = this.floor.height;
    this.rebuild();
    if (scene.name !== this.shownScene) this.orbit.fit(scene);
    this.shownScene = scene.name;
  }

  /** The camera as at the start. */
  refit(): void {
    if (state.scene) this.orbit.fit(state.scene);
  }

  /** What is there now fills the panes. */
  showAll(): void {
    if (state.scene && !boundsOf(state.frames, state.scene.bodies, this.box).isEmpty()) this.orbit.show(this.box);
  }

  toggleFollow(): void {
    state.view.follow = !state.view.follow;
    if (state.view.follow) this.orbit.forgetPlace();
    changed('view');
  }

  /** Keeps the bodies in the picture. What is held stays where it is under the mouse. */
  private follow(now: number): void {
    const elapsed = Math.min((now - this.followedAt) / 1000, 0.5);
    this.followedAt = now;
    const { scene, frames, grab, view } = state;
    const rect = this.rects[0];
    if (!scene || !rect || !frames[0]) return;
    const isAgain = frames[0].time < this.followedTime;
    this.followedTime = frames[0].time;
    if (!view.follow || grab || boundsOf(frames, scene.bodies, this.box).isEmpty()) return;
    if (isAgain) this.orbit.goBack();
    const isOnTheWay = this.orbit.follow(this.box, rect.width / rect.height, isAgain ? Infinity : elapsed);
    if (isOnTheWay && !isPlaying()) changed('camera');  // while it plays, the next frame takes it along
  }

  /** A frame of this pane has come. */
  take(pane: number): void {
    this.fresh.add(pane);
  }

  private rebuild(): void {
    const { scene, topology } = state;
    if (!scene || !topology || !this.surface) return;
    for (const pane of this.panes) pane.dispose();
    this.look.theme = state.theme;
    this.look.longestArrow = 0;
    const surface = this.surface;
    this.panes = scene.panes.map(() => new Pane(scene, topology, surface, this.look));
    this.restyle();
    state.frames.forEach((frame, pane) => { if (frame) this.fresh.add(pane); });
    this.layout();
  }

  private restyle(): void {
    const { view } = state;
    if (this.shownColor !== view.color) this.look.range = [0, 0];
    this.shownColor = view.color;
    Object.assign(this.look, { wireframe: view.wireframe, pinned: view.pinned, arrows: view.arrows, colored: view.color !== 'none' });
    for (const pane of this.panes) pane.restyle();
  }

  private layout(): void {
    const width = this.canvas.parentElement!.clientWidth;
    const height = this.canvas.parentElement!.clientHeight;
    const ratio = this.software ? softwarePixels : this.slow ? 1 : Math.min(window.devicePixelRatio, 2);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height);
    this.width = width;
    this.height = height;
    const count = Math.max(this.panes.length, 1);
    const cells = arrange(count, width, height);
    this.rects = cells.slice(0, count);
    this.spare = cells[count] ?? null;
    changed('camera');
  }

  /** Fewer pixels where the pictures come too slowly. */
  useFewerPixels(): void {
    if (this.slow || this.software || window.devicePixelRatio <= 1) return;
    this.slow = true;
    this.layout();
  }

  /** The height of the grid below everything; null: the scene has a ground. */
  get floorHeight(): number | null {
    return state.scene && !groundOf(state.scene) ? this.floor.height : null;
  }

  /** Keeps the grid below what the new frames show. */
  private keepFloorBelow(): void {
    const isLower = [...this.fresh].filter((i) => state.frames[i] && this.floor.makeRoom(state.frames[i].positions));
    if (isLower.length === 0) return;
    this.look.floor = this.floor.height;
    for (const pane of this.panes) pane.moveFloor();
  }

  draw(now: number): void {
    this.adaptScales();
    this.keepFloorBelow();
    this.follow(now);
    for (const i of this.fresh) {
      const frame = state.frames[i];
      if (!frame) continue;
      this.panes[i]?.update(frame);
      if (i === 0) this.drawnTime = frame.time;
    }
    this.fresh.clear();
    if (this.panes.length !== 1) {
      this.restrict({ x: 0, y: 0, width: this.width, height: this.height });
      this.renderer.setClearColor(scenery[state.theme].line);
      this.renderer.clear();
    }
    if (this.spare) {
      this.restrict(this.spare);
      this.renderer.setClearColor(scenery[state.theme].background);
      this.renderer.clear();
    }
    this.panes.forEach((pane, i) => {
      const rect = this.rects[i];
      if (!rect || rect.width < 1 || rect.height < 1) return;
      const camera = this.camera(i);
      const pull = this.held(i);
      pane.showPull(pull, pull ? 4 * this.pixelSize(i, pull.point) : 0);
      pane.setPinSize(rect.height < 320 ? 4 : 6);
      this.restrict(rect);
      this.renderer.render(pane.stage, camera);
    });
  }

  /** Draws only in this rectangle from now on. */
  private restrict(rect: Rect): void {
    const bottom = this.height - rect.y - rect.height;
    this.renderer.setViewport(rect.x, bottom, rect.width, rect.height);
    this.renderer.setScissor(rect.x, bottom, rect.width, rect.height);
  }

  /** Where the grabbed point is in a pane, and where it is pulled to; pull.ts knows. */
  held: (pane: number) => { point: Vec3; to: Vec3 } | null = () => null;

  camera(pane: number): PerspectiveCamera {
    const rect = this.rects[pane];
    return this.orbit.place(rect ? rect.width / rect.height : 1);
  }

  /** The pane at this place of the window, or -1. */
  paneAt(clientX: number, clientY: number): number {
    const box = this.canvas.getBoundingClientRect();
    return this.rects.findIndex(({ x, y, width, height }) =>
      clientX - box.x >= x && clientX - box.x < x + width && clientY - box.y >= y && clientY - box.y < y + height);
  }

  ray(pane: number, clientX: number, clientY: number): Ray {
    const box = this.canvas.getBoundingClientRect();
    const rect = this.rects[pane];
    const camera = this.camera(pane);
    const point = new Vector3(
      (2 * (clientX - box.x - rect.x)) / rect.width - 1, 1 - (2 * (clientY - box.y - rect.y)) / rect.height, 0.5);
    const direction = point.unproject(camera).sub(camera.position).normalize();
    return new Ray(camera.position.clone(), direction);
  }

  middle(pane: number): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const rect = this.rects[pane];
    return [box.x + rect.x + rect.width / 2, box.y + rect.y + rect.height / 2];
  }

  /** Where a point of the world is seen in a pane, as a place in the window. */
  project(pane: number, point: Vec3): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const rect = this.rects[pane];
    const p = new Vector3(...point).project(this.camera(pane));
    return [box.x + rect.x + ((p.x + 1) / 2) * rect.width, box.y + rect.y + ((1 - p.y) / 2) * rect.height];
  }

  /** How many metres a pixel is at this point. */
  pixelSize(pane: number, point: Vec3): number {
    return this.pixelAngle(pane) * this.camera(pane).position.distanceTo(new Vector3(...point));
  }

  /** How large a pixel is, seen from the eye: the tangent of its angle. */
  pixelAngle(pane: number): number {
    return (2 * Math.tan((this.orbit.camera.fov * Math.PI) / 360)) / this.rects[pane].height;
  }

  private adaptScales(): void {
    let low = Infinity;
    let high = -Infinity;
    let force = 0;
    for (const i of this.fresh) {
      const frame = state.frames[i];
      if (frame?.values) {
        low = Math.min(low, frame.smallest);
        high = Math.max(high, frame.largest);
      }
      const arrows = frame?.arrows;
      for (let k = 0; arrows && k < arrows.length; k += 6) {
        force = Math.max(force, Math.hypot(arrows[k + 3], arrows[k + 4], arrows[k + 5]));
      }
    }
    const { range: [min, max], longestArrow } = this.look;
    if (high >= low) this.look.range = min === max ? [low, high] : [follow(min, low, low < min), follow(max, high, high > max)];
    if (force > 0) this.look.longestArrow = longestArrow > 0 ? follow(longestArrow, force, force > longestArrow) : force;
  }
}

/** Goes out quickly and back slowly. */
function follow(from: number, to: number, outward: boolean): number {
  return from + (to - from) * (outward ? 0.4 : 0.015);
}

/** Whether WebGL is done by the processor: asked of a canvas of its own, since it decides how the real one is made. */
function isSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** At least `count` equal rectangles in rows and columns, as large as can be for pictures of three to two. */
export function arrange(count: number, width: number, height: number): Rect[] {
  let columns = 1;
  let best = 0;
  for (let c = 1; c <= count; c++) {
    const rows = Math.ceil(count / c);
    const size = Math.min(width / c / 1.5, height / rows);
    if (size > best) [best, columns] = [size, c];
  }
  const rows = Math.ceil(count / columns);
  const cellWidth = (width - gap * (columns - 1)) / columns;
  const cellHeight = (height - gap * (rows - 1)) / rows;
  return Array.from({ length: rows * columns }, (_, i) => ({
    x: (i % columns) * (cellWidth + gap), y: Math.floor(i / columns) * (cellHeight + gap), width: cellWidth, height: cellHeight,
  }));
}
