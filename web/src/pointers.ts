// Mouse, touch and wheel on the view: they hold a body or move the camera.
import type { OrbitCamera } from './cameras';

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
