// The panel's part for fits: the table of observations, what is varied, how the search goes, and what it found.
import type { Actions } from './actions';
import { make, setText } from './dom';
import { plain, withUnit } from './format';
import type { FitBounds, FitValue } from './protocol';
import { on, state } from './state';

export class FitPanel {
  private readonly text = make('p', { class: 'hint', role: 'status' });
  private readonly bar = make('progress', { max: 1, value: 0, 'aria-label': 'Fit' });
  private readonly found = make('ul', { class: 'fit-values' });

  constructor(private readonly actions: Actions, private readonly choose: () => void) {
    on(['fitting'], () => this.showProgress());
  }

  parts(): HTMLElement[] {
    const { fit } = state;
    if (state.scene?.replay) return [make('p', { class: 'hint' }, 'Fork the recorded run to fit its scene.')];
    return [...this.tableParts(), ...(fit.observed ? this.searchParts() : []), ...(fit.result ? this.resultParts() : [])];
  }

  private tableParts(): HTMLElement[] {
    const { observed, running } = state.fit;
    const file = make('input', { type: 'text', id: 'fit-file', value: state.fit.file, placeholder: 'tip.csv', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'A table beside the scene' });
    file.addEventListener('input', () => { state.fit.file = file.value; });
    const read = button('fit-read', 'Read', () => { if (file.value.trim()) this.actions.observeFile(file.value.trim()); }, running);
    file.addEventListener('keydown', (event) => { if (event.key === 'Enter') read.click(); });
    const parts = [
      button('fit-choose', 'Choose a table (.csv)', this.choose, running),
      make('div', { class: 'row' }, file, read),
    ];
    if (observed) {
      const more = observed.all_columns > observed.columns.length ? `, the first ${observed.columns.length} columns are drawn` : '';
      parts.unshift(make('p', {}, make('strong', {}, observed.name), `: ${observed.count} observed numbers${more}`));
    } else {
      parts.unshift(make('p', { class: 'hint' },
        'Numbers of the scene for which its probes move as observed. Drop a table on the page that has the columns of probes.csv (time, tip.x, …), choose one, or name one beside the scene.'));
    }
    return parts;
  }

  private searchParts(): HTMLElement[] {
    const { rows, running } = state.fit;
    const list = rows.map((row, i) => this.row(row, i, running));
    const offered = make('datalist', { id: 'fit-offered' },
      ...state.fit.observed!.parameters.map((p) => make('option', { value: p.name })));
    const add = make('input', { type: 'text', id: 'fit-add', list: 'fit-offered', placeholder: 'bodies[0].material.density', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Another key to vary', disabled: running });
    const more = button('fit-more', 'Vary', () => {
      const name = add.value.trim();
      add.value = '';
      if (name) this.actions.vary(name);
    }, running);
    add.addEventListener('keydown', (event) => { if (event.key === 'Enter') more.click(); });
    const parts = [...list, make('div', { class: 'row' }, add, more, offered)];
    if (running) parts.push(this.text, this.bar, this.found, button('fit-cancel', 'Cancel: keep the best', () => this.actions.cancelFit()));
    else parts.push(button('fit-start', 'Fit', () => this.actions.fit(), rows.length === 0, 'primary'));
    if (running) this.showProgress();
    return parts;
  }

  private row(row: FitBounds, i: number, disabled: boolean): HTMLElement {
    const bound = (which: 'low' | 'high') => {
      const input = make('input', { type: 'text', id: `fit-${which}-${i}`, value: row[which], disabled, autocomplete: 'off', spellcheck: 'false', 'aria-label': `${row.path}, ${which === 'low' ? 'from' : 'to'}` });
      input.addEventListener('input', () => { row[which] = input.value; });
      return input;
    };
    const remove = button(`fit-remove-${i}`, '×', () => this.actions.varyNoMore(i), disabled, 'icon');
    remove.setAttribute('aria-label', `Do not vary ${row.path}`);
    return make('div', { class: 'fit-row', role: 'group', 'aria-label': row.path },
      make('code', {}, row.path), bound('low'), make('span', { class: 'hint' }, 'to'), bound('high'), remove);
  }

  private showProgress(): void {
    const { progress } = state.fit;
    if (!progress) {
      setText(this.text, 'The first run…');
      this.bar.value = 0;
      this.found.replaceChildren();
      return;
    }
    const rms = progress.rms === undefined ? '' : `, rms ${withUnit(progress.rms, 'm')}`;
    setText(this.text, `Run ${progress.evaluation}${rms}`);
    this.bar.value = progress.evaluation / progress.evaluations;
    this.found.replaceChildren(...Object.entries(progress.values ?? {}).map(([path, value]) =>
      make('li', {}, make('code', {}, path), ` ${valueText(value)}`)));
  }

  private resultParts(): HTMLElement[] {
    const { result, running } = state.fit;
    if (!result || running) return [];
    const values = Object.entries(result.values);
    if (values.length === 0) return [make('p', { class: 'hint' }, 'Cancelled before the first run was done.')];
    const list = make('ul', { class: 'fit-values' }, ...values.map(([path, value]) =>
      make('li', {}, make('code', {}, path), ` ${valueText(value)}`, make('span', { class: 'hint' }, ` ${intervalText(result.confidence[path])}`))));
    return [
      make('p', { role: 'status' }, `rms ${withUnit(result.rms ?? NaN, 'm')} after ${result.evaluations} runs: ${result.reason}`),
      list,
      ...result.notes.map((note) => make('p', { class: 'hint' }, note)),
      button('fit-apply', 'Apply to the simulation', () => this.actions.applyFit()),
    ];
  }
}

function button(id: string, text: string, press: () => void, disabled = false, kind = ''): HTMLButtonElement {
  const result = make('button', { type: 'button', id, disabled, class: kind || undefined }, text);
  result.addEventListener('click', press);
  return result;
}

function valueText(value: FitValue): string {
  return Array.isArray(value) ? value.map((x) => plain(Number(x.toPrecision(6)))).join(', ') : plain(Number(value.toPrecision(6)));
}

function intervalText(interval: [FitValue | null, FitValue | null] | undefined): string {
  if (!interval || interval.some((x) => x === null || Array.isArray(x))) return '';
  return `(95 %: ${interval.map((x) => valueText(x as number)).join(' to ')})`;
}
