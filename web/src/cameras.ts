// One orbit camera for all panes, which may follow what moves.
import { PerspectiveCamera, Vector3, type Box3 } from 'three';
import { excess, placeOf, type Sight } from './follow';
import { sizeOf } from './ground';
import type { Scene } from './protocol';

/** Panes narrower than this step back, so that they show as much from left to right. */
const fullAspect = 1.6;
/** Following: what part of the picture bodies may use, softly and strictly. */
const softRim = 0.92;
const strictRim = 0.99;
/** How many times farther it goes to see bodies that swing out of the picture, and those that need more room anyway. */
const stepBack = 1.8;
const farthest = 6;
/** [s]: to step back, and to come up with what has left the picture all the same. */
const settleTime = 0.2;
const chaseTime = 0.5;

export class OrbitCamera {
  readonly camera = new PerspectiveCamera();
  private readonly target = new Vector3();
  private azimuth = 0;
  private elevation = 0;
  private distance = 1;
  private size = 1;
  /** Where the user, or the scene, has put it. */
  private readonly chosen = { target: new Vector3(), distance: 1 };
  private isChosen = false;
  /** Where the user has put the bodies in the picture, and whether as a close-up. */
  private readonly kept = { x: 0, y: 0, closeUp: false };
  /** Once it has gone along: the middle of what it follows, about which it turns. */
  private readonly middle = new Vector3();
  private isAlong = false;
  private readonly sight: Sight = {
    eye: new Vector3(), right: new Vector3(), top: new Vector3(), back: new Vector3(), wide: 1, high: 1,
  };

  constructor(private readonly moved: () => void) {}

  /** As the scene asks, or so that its box fills the view. */
  fit(scene: Scene): void {
    this.size = sizeOf(scene);
    if (scene.camera) {
      this.target.set(...scene.camera.look_at);
      this.lookFrom(new Vector3(...scene.camera.position).sub(this.target));
      this.camera.fov = scene.camera.fov;
    } else {
      this.camera.fov = 30;
      this.azimuth = 0.45;
      this.elevation = 0.3;
      this.fitBox(new Vector3(...scene.box.min), new Vector3(...scene.box.max));
    }
    this.isAlong = false;
    this.choose();
  }

  /** So that the box fills the view, from where it is seen now. */
  show({ min, max }: Box3): void {
    this.fitBox(min, max);
    this.isAlong = false;
    this.choose();
  }

  private choose(): void {
    this.chosen.target.copy(this.target);
    this.chosen.distance = this.distance;
    this.isChosen = true;
    this.moved();
  }

  /** Forgets where the user has put the bodies: they are to be seen. */
  forgetPlace(): void {
    Object.assign(this.kept, { x: 0, y: 0, closeUp: false });
    this.isChosen = false;
  }

  /** Back to where the user has put it: the motion begins anew. */
  goBack(): void {
    this.target.copy(this.chosen.target);
    this.distance = this.chosen.distance;
    this.isAlong = false;
  }

  /**
   * Keeps the box in panes of this shape; `elapsed` [s] since the last time. Returns whether it is still on the way. The
   * camera stands still while it can: it steps back from what swings, and goes along only with what leaves for good.
   */
  follow(box: Box3, aspect: number, elapsed: number): boolean {
    if (!(box.min.distanceTo(box.max) < 1e4 * this.size)) return false;  // it blows up
    box.getCenter(this.middle);
    if (this.isChosen) {
      const { x, y, width, height } = placeOf(box, this.look(aspect));
      Object.assign(this.kept, { x, y, closeUp: Math.max(width, height) > strictRim });
      this.isChosen = false;
    }
    this.approach(box, aspect, softRim, part(elapsed, settleTime));
    if (this.isAlong) this.chase(box, aspect, part(elapsed, chaseTime));
    for (let k = 0; k < 8 && this.approach(box, aspect, strictRim, 1) > 1e-6; k++);
    return this.approach(box, aspect, softRim, 0) > 2e-3 || (this.isAlong && this.chase(box, aspect, 0) > 2e-3);
  }

  /** Goes a share of the way that brings the bodies back to where the user has put them; returns its length in the picture. */
  private chase(box: Box3, aspect: number, share: number): number {
    const sight = this.look(aspect);
    const { x, y, depth } = placeOf(box, sight);
    this.shift(sight, x - this.kept.x, y - this.kept.y, depth, share);
    return Math.hypot(x - this.kept.x, y - this.kept.y);
  }

  /** Moves the target by a share of so many halves of the picture, as far away as what is seen there. */
  private shift({ right, top, wide, high }: Sight, x: number, y: number, depth: number, share: number): void {
    this.target.addScaledVector(right, share * x * wide * depth).addScaledVector(top, share * y * high * depth);
  }

  /** Goes a share of the way that brings the box inside the rim; returns how far outside it was, in parts of the picture. */
  private approach(box: Box3, aspect: number, rim: number, share: number): number {
    const sight = this.look(aspect);
    const { x, y, width, height, depth } = placeOf(box, sight);
    const { kept } = this;
    const right = excess(x, width, rim, kept.x, kept.closeUp);
    const upward = excess(y, height, rim, kept.y, kept.closeUp);
    const away = this.effective(aspect);
    // Along the view it may come and go a while, and is a little smaller or larger.
    const near = (away - depth) - Math.min(Math.max(away - depth, -0.5 * away), 0.3 * away);
    const outside = Math.max(Math.abs(right), Math.abs(upward), Math.abs(near) / away);
    const back = (stepBack * this.chosen.distance) / this.distance;
    if (outside > 0 && back > 1.001 && !kept.closeUp) {
      this.distance *= 1 + share * (Math.min(back, 1 + outside) - 1);
      return outside;
    }
    if (outside > 0 && share > 0) this.isAlong = true;
    this.shift(sight, right, upward, Math.max(depth, 0.1 * away), share);
    this.target.addScaledVector(sight.back, share * near);
    const over = Math.max(width, height) / rim;
    const room = (farthest * this.chosen.distance) / this.distance;
    const grow = kept.closeUp ? 1 : Math.max(1, Math.min(over, room, 2));
    this.distance *= 1 + share * (grow - 1);
    return Math.max(outside, grow - 1);
  }

  private look(aspect: number): Sight {
    const { sight } = this;
    sight.back.copy(this.backward());
    sight.right.set(0, 1, 0).cross(sight.back).normalize();
    sight.top.copy(sight.back).cross(sight.right);
    sight.high = Math.tan((this.camera.fov * Math.PI) / 360);
    sight.wide = sight.high * aspect;
    sight.eye.copy(this.target).addScaledVector(sight.back, this.effective(aspect));
    return sight;
  }

  private effective(aspect: number): number {
    return this.distance * Math.max(1, fullAspect / aspect);
  }

  private lookFrom(offset: Vector3): void {
    this.distance = Math.max(offset.length(), 1e-9);
    this.azimuth = Math.atan2(offset.x, offset.z);
    this.elevation = Math.asin(Math.min(1, Math.max(-1, offset.y / this.distance)));
  }

  private fitBox(low: Vector3, high: Vector3): void {
    this.target.addVectors(low, high).multiplyScalar(0.5);
    const { right, top, back, high: tangent } = this.look(fullAspect);
    const half = tangent / 1.12;
    this.distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const p = new Vector3(corner & 1 ? low.x : high.x, corner & 2 ? low.y : high.y, corner & 4 ? low.z : high.z).sub(this.target);
      const wide = Math.max(Math.abs(p.dot(right)) / fullAspect, Math.abs(p.dot(top)));
      this.distance = Math.max(this.distance, p.dot(back) + wide / half);
    }
    this.distance = Math.max(this.distance, 1e-6);
  }

  private backward(): Vector3 {
    const flat = Math.cos(this.elevation);
    return new Vector3(Math.sin(this.azimuth) * flat, Math.sin(this.elevation), Math.cos(this.azimuth) * flat);
  }

  /** Places the camera for panes of this shape. */
  place(aspect: number): PerspectiveCamera {
    const distance = this.effective(aspect);
    this.camera.aspect = aspect;
    this.camera.near = distance / 200;
    this.camera.far = distance + 20 * this.size;
    this.camera.position.copy(this.target).addScaledVector(this.backward(), distance);
    this.camera.lookAt(this.target);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    return this.camera;
  }

  orbit(right: number, upward: number): void {
    const before = this.look(fullAspect);
    const offset = this.middle.clone().sub(this.target);
    const [x, y, z] = [offset.dot(before.right), offset.dot(before.top), offset.dot(before.back)];
    this.azimuth -= right;
    this.elevation = Math.min(1.55, Math.max(-1.55, this.elevation + upward));
    if (this.isAlong) {
      const now = this.look(fullAspect);
      this.target.copy(this.middle).addScaledVector(now.right, -x).addScaledVector(now.top, -y).addScaledVector(now.back, -z);
    }
    this.choose();
  }

  /** Moves what is looked at, in parts of the height of a pane. */
  pan(right: number, upward: number): void {
    const scale = 2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.target);
    this.target.addScaledVector(new Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion), -right * scale);
    this.target.addScaledVector(new Vector3(0, 1, 0).applyQuaternion(this.camera.quaternion), upward * scale);
    this.isAlong = false;
    this.choose();
  }

  zoom(factor: number): void {
    this.distance = Math.min(200 * this.size, Math.max(0.005 * this.size, this.distance * factor));
    this.choose();
  }
}

/** What part of a way that fades within `time` is gone after `elapsed`. */
function part(elapsed: number, time: number): number {
  return 1 - Math.exp(-elapsed / time);
}
