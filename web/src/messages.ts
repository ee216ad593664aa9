// Toasts for errors and notes, banners for what lasts.
import type { Actions } from './actions';
import { byId, make } from './dom';
import { dismiss, on, state } from './state';

const noteStays = 6000;  // ms
const errorStays = 14000;

export function bindMessages(actions: Actions): void {
  const toasts = byId('toasts');
  toasts.setAttribute('aria-live', 'polite');
  const shown = new Map<number, HTMLElement>();

  on(['messages'], () => {
    for (const message of state.messages) {
      if (shown.has(message.id)) continue;
      const text = make('p', {});
      if (message.where) text.append(make('code', {}, message.where));
      text.append(message.text);
      const close = make('button', { type: 'button', 'aria-label': 'Dismiss' }, '×');
      close.addEventListener('click', () => dismiss(message.id));
      const toast = make('div', { class: `toast ${message.kind}`, role: message.kind === 'error' ? 'alert' : undefined }, text, close);
      shown.set(message.id, toast);
      toasts.append(toast);
      setTimeout(() => dismiss(message.id), message.kind === 'error' ? errorStays : noteStays);
    }
    const ids = new Set(state.messages.map((m) => m.id));
    for (const [id, toast] of shown) {
      if (ids.has(id)) continue;
      toast.remove();
      shown.delete(id);
    }
  });

  const banners = byId('banners');
  let now = '';
  on(['link', 'messages', 'scene'], () => {
    const key = `${state.link}|${state.failure}|${state.scene?.session}|${state.scene?.replay}`;
    if (key === now) return;
    now = key;
    banners.replaceChildren();
    if (state.link === 'lost') {
      banners.append(make('div', { class: 'banner error', role: 'alert' }, make('p', {}, 'Connection lost, trying again…')));
    }
    if (state.failure) {
      const again = make('button', { type: 'button' }, 'Restart');
      again.addEventListener('click', () => actions.restart());
      const close = make('button', { type: 'button' }, 'Dismiss');
      close.addEventListener('click', () => actions.clearFailure());
      banners.append(make('div', { class: 'banner error', role: 'alert' },
        make('p', {}, make('strong', {}, 'A step failed; the simulation is paused. '), state.failure), again, close));
    }
    if (state.scene?.replay) {
      const close = make('button', { type: 'button' }, 'Dismiss');
      const banner = make('div', { class: 'banner', role: 'status' },
        make('p', {}, 'A recorded run. Fork at any frame to simulate from there.'), close);
      close.addEventListener('click', () => banner.remove());
      banners.append(banner);
    }
  });
}
