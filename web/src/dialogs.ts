// The list of scenes and the help.
import type { Actions } from './actions';
import { byId, make } from './dom';
import type { Shortcut } from './keys';
import { on, state } from './state';

function head(dialog: HTMLDialogElement, id: string, title: string): HTMLElement {
  const close = make('button', { type: 'button', class: 'icon', 'aria-label': 'Close' }, '×');
  close.addEventListener('click', () => dialog.close());
  return make('div', { class: 'dialog-head' }, make('h2', { id }, title), close);
}

/** A click beside the dialog closes it. */
function closeOnBackdrop(dialog: HTMLDialogElement): void {
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
}

export function bindScenes(actions: Actions, chooseFile: () => void): { open(): void } {
  const dialog = byId<HTMLDialogElement>('scenes');
  closeOnBackdrop(dialog);
  const open = () => {
    const list = make('ul', { class: 'scene-list' }, ...(state.hello?.scenes ?? []).map((scene) => {
      const button = make('button', { type: 'button', 'aria-current': scene.name === state.scene?.name ? 'true' : undefined },
        make('span', { class: 'name' }, scene.name), make('span', { class: 'text' }, scene.description));
      button.addEventListener('click', () => {
        dialog.close();
        actions.open(scene.name);
      });
      return make('li', {}, button);
    }));
    const search = make('search');
    const filter = make('input', { type: 'search', placeholder: 'Find a scene', 'aria-label': 'Find a scene' });
    filter.addEventListener('input', () => {
      const wanted = filter.value.toLowerCase();
      for (const item of list.children) {
        (item as HTMLElement).hidden = !item.textContent!.toLowerCase().includes(wanted);
      }
    });
    filter.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') list.querySelector<HTMLElement>('li:not([hidden]) button')?.click();
    });
    search.append(filter);
    const file = make('button', { type: 'button' }, 'Open a file of your own');
    file.addEventListener('click', () => {
      dialog.close();
      chooseFile();
    });
    const top = head(dialog, 'scenes-title', 'Scenes');
    top.lastElementChild!.before(file);
    dialog.replaceChildren(top, make('div', { class: 'dialog-body' }, search, list));
    dialog.showModal();
    filter.focus();
  };
  byId('scenes-button').addEventListener('click', open);
  on(['scene'], () => {
    byId('scene-name').textContent = state.scene?.name ?? 'No scene yet';
    document.title = state.scene ? `${state.scene.name} – Limber` : 'Limber';
  });
  return { open };
}

export function bindHelp(shortcuts: () => Shortcut[]): { open(): void } {
  const dialog = byId<HTMLDialogElement>('help');
  closeOnBackdrop(dialog);
  const open = () => {
    const groups = new Map<string, Shortcut[]>();
    for (const s of shortcuts()) groups.set(s.group, [...(groups.get(s.group) ?? []), s]);
    const sections = [...groups].map(([group, list]) => make('section', {}, make('h3', {}, group),
      make('dl', {}, ...list.flatMap((s) => [
        make('dt', {}, ...s.shown.map((key) => (key === '…' ? '…' : make('kbd', {}, key)))), make('dd', {}, s.text)]))));
    dialog.replaceChildren(head(dialog, 'help-title', 'Help'), make('div', { class: 'dialog-body', tabindex: '0' },
      make('p', { class: 'hint' },
        'Press on a body and drag to pull it; drag beside it to turn the camera. The right or middle button or two fingers move the ' +
        'view, the wheel or a pinch zooms. Drop a scene (.json) or a surface (.obj, .stl, .ply, .glb) on the page to open it, and a table of observed positions (.csv) to fit the scene to it.'),
      make('div', { class: 'shortcuts' }, ...sections)));
    dialog.showModal();
  };
  byId('help-button').addEventListener('click', open);
  return { open };
}
