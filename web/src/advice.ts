// The panel's part for advice: what is wanted, the methods that do it, and what each costs.
import type { Actions } from './actions';
import { make } from './dom';
import { digits, withUnit } from './format';
import type { Suggestion, Wish } from './protocol';
import { changed, state } from './state';

const wishes: [Wish, string, string][] = [
  ['accuracy', 'Positions within', '1 mm'],
  ['keep_energy', 'Keep of the energy', '95%'],
  ['time', 'Least error in', '60 s'],
  ['real_time', 'Least error in real time', ''],
];

export class AdvicePanel {
  constructor(private readonly actions: Actions) {}

  parts(): HTMLElement[] {
    const { advice } = state;
    if (state.scene?.replay) return [make('p', { class: 'hint' }, 'Fork the recorded run to ask about its scene.')];
    const parts: HTMLElement[] = [this.wish()];
    if (advice.running) {
      parts.push(make('p', { class: 'hint', role: 'status' }, `Trying ${advice.trying || 'the scene'}…`),
        make('progress', { max: 1, value: advice.done, 'aria-label': 'Advice' }));
    }
    if (advice.result) {
      parts.push(make('ul', { class: 'advice-list' }, ...advice.result.suggestions.map((s, i) => this.suggestion(s, i))));
      parts.push(...advice.result.notes.map((note) => make('p', { class: 'hint' }, note)));
      const { dropped } = advice.result;
      if (dropped.length > 0) {
        parts.push(make('details', { class: 'advice-dropped' }, make('summary', {}, `Not taken: ${dropped.length}`),
          make('ul', {}, ...dropped.map((d) => make('li', {}, make('strong', {}, d.method), ` ${d.reason}`)))));
      }
    }
    return parts;
  }

  private wish(): HTMLElement {
    const { advice } = state;
    const select = make('select', { id: 'advice-wish', 'aria-label': 'What is wanted', disabled: advice.running },
      ...wishes.map(([wish, text]) => make('option', { value: wish, selected: wish === advice.wish }, text)));
    const amount = make('input', {
      type: 'text', id: 'advice-amount', value: advice.amount, autocomplete: 'off', spellcheck: 'false',
      'aria-label': 'How much', disabled: advice.running || advice.wish === 'real_time',
    });
    select.addEventListener('change', () => {
      const [wish, , usual] = wishes.find(([w]) => w === select.value)!;
      Object.assign(advice, { wish, amount: usual });
      changed('advice');
    });
    amount.addEventListener('input', () => { advice.amount = amount.value; });
    const ask = make('button', { type: 'button', id: 'advice-ask', class: 'primary', disabled: advice.running }, 'Advise');
    ask.addEventListener('click', () => this.actions.advise());
    amount.addEventListener('keydown', (event) => { if (event.key === 'Enter') ask.click(); });
    return make('div', { class: 'advice-wish' }, select, amount, ask);
  }

  private suggestion(s: Suggestion, i: number): HTMLElement {
    const take = make('button', { type: 'button', id: `advice-take-${i}` }, 'Take');
    take.addEventListener('click', () => this.actions.take(s));
    const step = `${s.accuracy === null ? '' : 'adaptive, about '}${withUnit(s.step, 's')}`;
    const lost = s.energy_lost < 1e-4 ? 'loses no energy' : `loses ${digits(100 * s.energy_lost, 2)} % of the energy`;
    return make('li', { class: s.meets ? undefined : 'unmet' },
      make('div', { class: 'row' }, make('strong', {}, s.method), make('span', {}, `${digits(s.seconds, 2)} s`), take),
      make('p', { class: 'hint' }, `${step}; error ${withUnit(s.error, 'm')}; ${lost}. ${s.reason.charAt(0).toUpperCase()}${s.reason.slice(1)}`));
  }
}
