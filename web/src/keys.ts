// One table of shortcuts: the key handler and the help are both made from it.
import type { Actions } from './actions';
import type { Puller } from './pull';
import { maxPanes, state } from './state';
import type { Views } from './views';

export interface Shortcut {
  /** Values of KeyboardEvent.key. */
  keys: string[];
  /** The keys as people call them. */
  shown: string[];
  text: string;
  group: 'Playing' | 'Kept frames' | 'Camera' | 'Pulling' | 'Display' | 'Methods' | 'Scenes and files';
  /** Only while the view has the focus (or nothing has). */
  inView?: boolean;
  /** Whether holding the key down repeats it. */
  repeats?: boolean;
  run(key: string): void;
}

export interface Parts {
  actions: Actions;
  views: Views;
  puller: Puller;
  openScenes(): void;
  openHelp(): void;
  addPane(): void;
}

const turn = 0.08;

export function makeShortcuts({ actions, views, puller, openScenes, openHelp, addPane }: Parts): Shortcut[] {
  const arrow = (key: string) => {
    const right = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const upward = key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : 0;
    if (state.grab) puller.nudge(right, upward, 0);
    else views.orbit.orbit(right * turn, upward * turn);
  };
  const page = (key: string) => {
    const closer = key === 'PageUp';
    if (state.grab) puller.nudge(0, 0, closer ? 1 : -1);
    else views.orbit.zoom(closer ? 0.87 : 1.15);
  };
  return [
    { group: 'Playing', keys: [' '], shown: ['Space'], text: 'Play or pause', run: () => actions.play() },
    { group: 'Playing', keys: ['.'], shown: ['.'], text: 'One step', repeats: true, run: () => actions.step() },
    { group: 'Playing', keys: ['r'], shown: ['R'], text: 'Restart', run: () => actions.restart() },
    { group: 'Playing', keys: ['+', '=', '-', '−'], shown: ['+', '−'], text: 'Faster, slower',
      run: (key) => actions.changeSpeed(key === '+' || key === '=' ? 1 : -1) },

    { group: 'Kept frames', keys: ['[', ']'], shown: ['[', ']'], text: 'Previous, next frame', repeats: true,
      run: (key) => actions.seekBy(key === '[' ? -1 : 1) },
    { group: 'Kept frames', keys: ['l'], shown: ['L'], text: 'Live: the newest state', run: () => actions.live() },
    { group: 'Kept frames', keys: ['f'], shown: ['F'], text: 'Fork here', run: () => actions.fork() },

    { group: 'Camera', keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'], shown: ['←', '→', '↑', '↓'], inView: true,
      repeats: true, text: 'Turn the camera, or move what you hold', run: arrow },
    { group: 'Camera', keys: ['PageUp', 'PageDown'], shown: ['PgUp', 'PgDn'], inView: true, repeats: true,
      text: 'Closer, farther', run: page },
    { group: 'Camera', keys: ['Home'], shown: ['Home'], inView: true, text: 'Camera back to its start', run: () => views.refit() },
    { group: 'Camera', keys: ['z'], shown: ['Z'], text: 'Fit: all that is there now', run: () => views.showAll() },
    { group: 'Camera', keys: ['t'], shown: ['T'], text: 'Follow bodies that leave the picture', run: () => views.toggleFollow() },

    { group: 'Pulling', keys: ['g'], shown: ['G'], text: 'Hold the point in the middle', run: () => puller.grabMiddle() },
    { group: 'Pulling', keys: ['Escape'], shown: ['Esc'], text: 'Let go', run: () => puller.end() },

    { group: 'Display', keys: ['c'], shown: ['C'], text: 'Next colouring', run: () => actions.nextColor() },
    { group: 'Display', keys: ['w'], shown: ['W'], text: 'Wireframe', run: () => actions.toggle('wireframe') },
    { group: 'Display', keys: ['a'], shown: ['A'], text: 'Contact forces as arrows', run: () => actions.toggle('arrows') },
    { group: 'Display', keys: ['p'], shown: ['P'], text: 'Pinned points', run: () => actions.toggle('pinned') },
    { group: 'Display', keys: ['d'], shown: ['D'], text: 'Plots', run: () => actions.toggle('plots') },

    { group: 'Methods', keys: Array.from({ length: maxPanes }, (_, i) => String(i + 1)), shown: ['1', '…', String(maxPanes)],
      text: 'Select a pane', run: (key) => actions.select(Number(key) - 1) },
    { group: 'Methods', keys: ['n'], shown: ['N'], text: 'Add a pane', run: () => addPane() },

    { group: 'Scenes and files', keys: ['o'], shown: ['O'], text: 'Open a scene', run: () => openScenes() },
    { group: 'Scenes and files', keys: ['s'], shown: ['S'], text: 'Save the scene', run: () => actions.save() },
    { group: 'Scenes and files', keys: ['v'], shown: ['V'], text: 'Record a movie', run: () => actions.record('mp4') },
    { group: 'Scenes and files', keys: ['?', 'h'], shown: ['?', 'H'], text: 'This help', run: () => openHelp() },
  ];
}

export function bindKeys(shortcuts: Shortcut[], canvas: HTMLElement): void {
  // A button that was clicked with the mouse gives the focus away: else Space would press it again instead of playing.
  window.addEventListener('click', (event) => {
    const pressed = (event.target as Element).closest<HTMLElement>('button, summary, input[type="checkbox"], label.check');
    if (event.detail > 0 && pressed && !pressed.closest('dialog')) (document.activeElement as HTMLElement | null)?.blur();
  });
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
    const target = event.target as HTMLElement;
    if (isTyping(target)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shortcut = shortcuts.find((s) => s.keys.includes(key));
    if (!shortcut || (event.repeat && !shortcut.repeats)) return;
    if (key === ' ' && target.matches('button, summary, a, input[type="checkbox"]')) return;  // it presses what has the focus
    if (shortcut.inView && target !== canvas && !(state.grab && !target.matches('input')) && target !== document.body) return;
    event.preventDefault();
    shortcut.run(key);
  });
}

function isTyping(target: HTMLElement): boolean {
  return target.matches('select, textarea, [contenteditable]') ||
    (target instanceof HTMLInputElement && !['checkbox', 'range', 'button', 'file'].includes(target.type));
}
