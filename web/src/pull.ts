// Grabbing a body and pulling it: with the mouse or a finger in the plane of the screen, or with the keyboard.
import { Plane, Vector3 } from 'three';
import type { Connection } from './connection';
import { pick, pickNearest, pointOn, type Hit } from './pick';
import type { Holder } from './pointers';
import type { Topology, Vec3 } from './protocol';
import { changed, isBack, on, say, state } from './state';
import type { Views } from './views';

/** How far beside a line it can still be grabbed, in pixels. */
const lineReach = 10;

export class Puller implements Holder {
  private plane = new Plane();
  private unsent = false;

  constructor(private readonly views: Views, private readonly connection: () => Connection) {
    views.held = (pane) => this.held(pane);
    on(['scene', 'link'], () => this.forget());
  }

  /** Takes hold of what is seen at this place; false: nothing there to be pulled. */
  start(x: number, y: number): boolean {
    const pane = this.views.paneAt(x, y);
    if (pane < 0) return false;
    if (pane !== state.selected) {
      state.selected = pane;
      changed('selected');
    }
    return this.grab(pane, this.hitAt(pane, x, y), false);
  }

  move(x: number, y: number): void {
    if (!state.grab) return;
    const to = this.views.ray(state.grab.pane, x, y).intersectPlane(this.plane, new Vector3());
    if (to) this.aim(to.toArray());
  }

  end(): void {
    if (!state.grab) return;
    this.forget();
    this.connection().send({ do: 'release' });
  }

  /** The point in the middle of the selected pane, or the nearest to it. */
  grabMiddle(): void {
    if (state.grab) {
      this.end();
      return;
    }
    const pane = state.selected;
    const [x, y] = this.views.middle(pane);
    const hit = this.hitAt(pane, x, y) ??
      this.find(pane, (positions, topology, accepts) => pickNearest(this.views.ray(pane, x, y), positions, topology, accepts));
    if (this.grab(pane, hit, true)) say('note', 'Arrow keys pull the point that you hold, Escape lets go.');
    else if (!isBack() && !state.scene?.replay) say('note', 'There is no body to hold here.');
  }

  /** Moves the target, in steps of the screen. */
  nudge(right: number, upward: number, outward: number): void {
    if (!state.grab) return;
    const { camera } = this.views.orbit;
    const step = 15 * this.views.pixelSize(state.grab.pane, state.grab.to);
    const along = new Vector3(right, upward, outward).multiplyScalar(step).applyQuaternion(camera.quaternion);
    this.aim(along.add(new Vector3(...state.grab.to)).toArray());
  }

  /** At most once before each picture. */
  sendNews(): void {
    if (!this.unsent || !state.grab) return;
    this.unsent = false;
    const { hit: { on, weights }, to, pane } = state.grab;
    this.connection().send({ do: 'pull', ...on, weights, to, pane });
  }

  private held(pane: number): { point: Vec3; to: Vec3 } | null {
    const positions = state.frames[pane]?.positions;
    return state.grab && positions ? { point: pointOn(positions, state.grab.hit), to: state.grab.to } : null;
  }

  private hitAt(pane: number, x: number, y: number): Hit | null {
    const reach = lineReach * this.views.pixelAngle(pane);
    return this.find(pane, (positions, topology, accepts) =>
      pick(this.views.ray(pane, x, y), positions, topology, accepts, reach));
  }

  private find(pane: number, how: (positions: Float32Array, topology: Topology, accepts: (vertex: number) => boolean) => Hit | null):
      Hit | null {
    const positions = state.frames[pane]?.positions;
    const { topology, scene } = state;
    if (!positions || !topology || !scene) return null;
    const obstacles = scene.bodies.filter((b) => b.obstacle).map((b) => b.vertices);
    return how(positions, topology, (vertex) => !obstacles.some(([first, count]) => vertex >= first && vertex < first + count));
  }

  private grab(pane: number, hit: Hit | null, byKeyboard: boolean): boolean {
    const positions = state.frames[pane]?.positions;
    if (!hit || !positions) return false;
    if (isBack() || state.scene?.replay) {
      say('note', 'This is a kept frame. Fork here, or go live, to pull.');
      return false;
    }
    const point = pointOn(positions, hit);
    const towards = this.views.orbit.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(towards, new Vector3(...point));
    state.grab = { pane, hit, to: point, byKeyboard };
    this.aim(point);
    return true;
  }

  private aim(to: Vec3): void {
    if (state.grab) state.grab.to = to;
    this.unsent = true;
    changed('pull');
  }

  private forget(): void {
    this.unsent = false;
    if (!state.grab) return;
    state.grab = null;
    changed('pull');
  }
}
