// A scene, a surface or a table of the user's own: dropped on the page or chosen as a file.
import type { Actions } from './actions';
import type { Connection } from './connection';
import { byId } from './dom';
import { bytes } from './format';
import { say, showError, state } from './state';

const surfaces = ['obj', 'stl', 'ply', 'glb'];

export function bindFiles(connection: () => Connection, actions: Actions): { choose(): void } {
  const input = byId<HTMLInputElement>('file-input');
  const curtain = byId('drop');
  let depth = 0;

  input.addEventListener('change', () => {
    if (input.files?.[0]) void take(input.files[0], connection(), actions);
    input.value = '';
  });
  byId('file-button').addEventListener('click', () => input.click());

  window.addEventListener('dragenter', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    depth++;
    curtain.hidden = false;
  });
  window.addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    curtain.hidden = depth === 0;
  });
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    curtain.hidden = true;
    const files = event.dataTransfer?.files;
    if (files && files.length > 1) say('note', `One file at a time: opening ${files[0].name}.`);
    if (files?.[0]) void take(files[0], connection(), actions);
  });
  return { choose: () => input.click() };
}

async function take(file: File, connection: Connection, actions: Actions): Promise<void> {
  const kind = file.name.split('.').pop()?.toLowerCase() ?? '';
  if (kind === 'csv') {
    await takeTable(file, actions);
    return;
  }
  if (kind !== 'json' && !surfaces.includes(kind)) {
    showError(file.name, 'This is neither a scene (.json), nor a surface (.obj, .stl, .ply, .glb), nor a table (.csv).', 'drop');
    return;
  }
  const most = state.hello?.max_message ?? Infinity;
  const needed = (kind === 'json' ? file.size : Math.ceil(file.size / 3) * 4) + 1000;
  if (needed > most) {
    const limit = kind === 'json' ? most : most * 0.75;
    showError(file.name, `The file has ${bytes(file.size)}; at most ${bytes(limit)} can be sent from here. ` +
      'Start limber view with the file instead.', 'drop');
    return;
  }
  try {
    if (kind === 'json') {
      connection.send({ do: 'load', name: file.name, scene: JSON.parse(await file.text()) });
    } else {
      connection.send({ do: 'surface', name: file.name, data: base64(new Uint8Array(await file.arrayBuffer())) });
      say('note', `Filling ${file.name}…`);
    }
  } catch (error) {
    showError(file.name, `The file cannot be read: ${error instanceof Error ? error.message : error}`, 'drop');
  }
}

/** Observed positions, for a fit. */
async function takeTable(file: File, actions: Actions): Promise<void> {
  try {
    const table = await file.text();
    const most = state.hello?.max_message ?? Infinity;
    if (new TextEncoder().encode(JSON.stringify(table)).length + 20000 > most) {
      showError(file.name, `The table has ${bytes(file.size)}; at most ${bytes(most)} can be sent from here. ` +
        'Put it beside the scene, and name it under "Fit".', 'drop');
      return;
    }
    actions.observe({ name: file.name, table });
  } catch (error) {
    showError(file.name, `The file cannot be read: ${error instanceof Error ? error.message : error}`, 'drop');
  }
}

function base64(data: Uint8Array): string {
  const pieces: string[] = [];
  const piece = 3 * 8192;
  for (let i = 0; i < data.length; i += piece) pieces.push(btoa(String.fromCharCode(...data.subarray(i, i + piece))));
  return pieces.join('');
}
