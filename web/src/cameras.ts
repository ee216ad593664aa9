// One orbit camera for all panes, moved by mouse, touch and keyboard.
import { PerspectiveCamera, Vector3 } from 'three';
import { sizeOf } from './ground';
import type { Scene } from './protocol';

/** Panes narrower than this step back, so that they show as much from left to right. */
const fullAspect = 1.6;

export class OrbitCamera {
  readonly camera = new PerspectiveCamera();
  private readonly target = new Vector3();
  private azimuth = 0;
  private elevation = 0;
  private distance = 1;
  private size = 1;

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
      this.fitBox(scene);
    }
    this.moved();
  }

  private lookFrom(offset: Vector3): void {
    this.distance = Math.max(offset.length(), 1e-9);
    this.azimuth = Math.atan2(offset.x, offset.z);
    this.elevation = Math.asin(Math.min(1, Math.max(-1, offset.y / this.distance)));
  }

  private fitBox(scene: Scene): void {
    const low = new Vector3(...scene.box.min);
    const high = new Vector3(...scene.box.max);
    this.target.addVectors(low, high).multiplyScalar(0.5);
    this.azimuth = 0.45;
    this.elevation = 0.3;
    const half = Math.tan((this.camera.fov * Math.PI) / 360) / 1.12;
    const back = this.backward();
    const right = new Vector3(0, 1, 0).cross(back).normalize();
    const top = back.clone().cross(right);
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
    const distance = this.distance * Math.max(1, fullAspect / aspect);
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
    this.azimuth -= right;
    this.elevation = Math.min(1.55, Math.max(-1.55, this.elevation + upward));
    this.moved();
  }

  /** Moves what is looked at, in parts of the height of a pane. */
  pan(right: number, upward: number): void {
    const scale = 2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.target);
    this.target.addScaledVector(new Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion), -right * scale);
    this.target.addScaledVector(new Vector3(0, 1, 0).applyQuaternion(this.camera.quaternion), upward * scale);
    this.moved();
  }

  zoom(factor: number): void {
    this.distance = Math.min(200 * this.size, Math.max(0.005 * this.size, this.distance * factor));
    this.moved();
  }
}

/** What a press on the view may take hold of before the camera does. */
export interface Holder {
  start(x: number, y: number): boolean;
  move(x: number, y: number): void;
  end(): void;
}

/** Left button or one finger: holds a body or orbits. Other buttons or two fingers: pan; wheel and pinch: zoom. */
export function bindPointers(canvas: HTMLElement, camera: OrbitCamera, holder: Holder, paneHeight: () => number): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let action: 'none' | 'hold' | 'orbit' | 'pan' = 'none';

  canvas.addEventListener('pointerdown', (event) => {
    // `focusVisible` is not known to all browsers yet; it hides the ring, which only the keyboard needs.
    canvas.focus({ preventScroll: true, focusVisible: false } as FocusOptions);
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size > 1 || event.button !== 0 || event.shiftKey) {
      if (action === 'hold') holder.end();
      action = 'pan';
    } else {
      action = holder.start(event.clientX, event.clientY) ? 'hold' : 'orbit';
    }
    canvas.dataset.action = action;
    event.preventDefault();
  });

  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const dx = now.x - before.x;
    const dy = now.y - before.y;
    if (action === 'hold') holder.move(now.x, now.y);
    if (action === 'orbit') camera.orbit(dx * 0.008, dy * 0.008);
    if (action === 'pan') {
      camera.pan(dx / paneHeight() / pointers.size, dy / paneHeight() / pointers.size);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) camera.zoom(distance(before, other) / Math.max(distance(now, other), 1));
    }
    pointers.set(event.pointerId, now);
  });

  const end = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    if (action === 'hold') holder.end();
    // The finger that is left after a pinch goes on to orbit.
    action = pointers.size > 0 ? 'orbit' : 'none';
    canvas.dataset.action = action;
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('lostpointercapture', end);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY * (event.deltaMode === 1 ? 16 : 1))) * 0.0015));
  }, { passive: false });
}

function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
