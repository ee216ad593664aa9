// Light or dark: what the system prefers, unless the user has chosen.
import { byId } from './dom';
import { changed, state } from './state';

const store = 'limber-theme';

export function bindTheme(): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  let chosen = read();
  const apply = () => {
    state.theme = chosen ?? (dark.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = state.theme;
    changed('theme');
  };
  dark.addEventListener('change', apply);
  byId('theme-button').addEventListener('click', () => {
    chosen = state.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(store, chosen);
    } catch {
      // Without storage the choice lasts until the page is left.
    }
    apply();
  });
  apply();
}

function read(): 'light' | 'dark' | null {
  try {
    const value = localStorage.getItem(store);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}
