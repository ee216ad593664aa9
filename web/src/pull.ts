// Grabbing a body and pulling it: with the mouse or a finger in the plane of the screen, or with the keyboard.
import { Plane, Vector3 } from 'three';
import type { Connection } from './connection';
import type { Holder } from './cameras';
import { pick, pickNearest, pointOn, type Hit } from './pick';
import type { Vec3 } from './protocol';
import { changed, isBack, on, say, state } from './state';
import type { Views } from './views';

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
    const ray = this.views.ray(pane, x, y);
    return this.grab(pane, this.find(pick, pane, ray.origin, ray.direction), false);
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
    const ray = this.views.ray(pane, ...this.views.middle(pane));
    const hit = this.find(pick, pane, ray.origin, ray.direction) ?? this.find(pickNearest, pane, ray.origin, ray.direction);
    if (this.grab(pane, hit, true)) say('note', 'Arrow keys pull the point that you hold, Escape lets go.');
    else if (!isBack() && !state.scene?.replay) say('note', 'There is no surface to hold here.');
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
    const { triangle, weights, to, pane } = state.grab;
    this.connection().send({ do: 'pull', triangle, weights, to, pane });
  }

  private held(pane: number): { point: Vec3; to: Vec3 } | null {
    const positions = state.frames[pane]?.positions;
    if (!state.grab || !positions || !state.topology) return null;
    return { point: pointOn(positions, state.topology, state.grab), to: state.grab.to };
  }

  private find(how: typeof pick, pane: number, origin: Vector3, direction: Vector3): Hit | null {
    const positions = state.frames[pane]?.positions;
    const { topology, scene } = state;
    if (!positions || !topology || !scene) return null;
    const obstacles = scene.bodies.filter((b) => b.obstacle).map((b) => b.vertices);
    return how(origin, direction, positions, topology,
               (vertex) => !obstacles.some(([first, count]) => vertex >= first && vertex < first + count));
  }

  private grab(pane: number, hit: Hit | null, byKeyboard: boolean): boolean {
    const positions = state.frames[pane]?.positions;
    if (!hit || !positions || !state.topology) return false;
    if (isBack() || state.scene?.replay) {
      say('note', 'This is a kept frame. Fork here, or go live, to pull.');
      return false;
    }
    const point = pointOn(positions, state.topology, hit);
    const towards = this.views.orbit.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(towards, new Vector3(...point));
    state.grab = { pane, ...hit, to: point, byKeyboard };
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
