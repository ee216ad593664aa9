// Which body the settings of the panel are for, and the keys of the scene that they set.
import { make } from './dom';
import type { BodyFacts, PaneInfo } from './protocol';
import { state } from './state';

/** A setting of the chosen bodies: a key and a value for each of them that has it. */
export interface BodySetting {
  label: string;
  unit: string;
  keys: string[];
  values: number[];
}

interface Kind {
  label: string;
  unit: string;
  key(body: BodyFacts): string;
  value(body: BodyFacts): number | null | undefined;
}

const kinds: Kind[] = [
  { label: 'Young’s modulus E', unit: 'Pa', key: (body) => `${body.material}.young`, value: (body) => body.young },
  { label: 'Poisson’s ratio', unit: '', key: (body) => `${body.material}.poisson`, value: (body) => body.poisson },
  { label: 'Stiffness damping', unit: 's', key: () => 'damping.stiffness', value: (body) => body.damping?.stiffness },
  { label: 'Mass damping', unit: '1/s', key: () => 'damping.mass', value: (body) => body.damping?.mass },
];

const all = -1;

export class BodyChoice {
  private chosen = all;
  private scene = '';

  constructor(private readonly changed: () => void) {}

  /** The selector, where there is more than one body, and what is to be said of the chosen one. */
  parts(): HTMLElement[] {
    const names = state.scene?.bodies.filter((body) => !body.obstacle).map((body) => body.name) ?? [];
    const facts = state.scene?.panes[state.selected]?.bodies ?? [];
    if (this.scene !== state.scene?.name || this.chosen >= names.length) {
      // All, where one value stands for all of them.
      this.chosen = facts.length > 1 && kinds.some((kind) => new Set(facts.map(kind.value)).size > 1) ? 0 : all;
      this.scene = state.scene?.name ?? '';
    }
    const parts: HTMLElement[] = [];
    if (names.length > 1) {
      const select = make('select', { id: 'body-choice' },
        ...[[all, `All ${names.length} bodies`] as const, ...names.entries()].map(([i, name]) =>
          make('option', { value: i, selected: i === this.chosen }, name)));
      select.addEventListener('change', () => {
        this.chosen = Number(select.value);
        this.changed();
      });
      parts.push(make('div', { class: 'field tall' }, make('label', { for: 'body-choice' }, 'Settings of'), select));
    }
    if (!facts.some((body, i) => this.includes(i) && body.material !== null)) {
      parts.push(make('p', { class: 'hint' }, 'No material that can be changed here: springs, or values that differ over the mesh.'));
    }
    return parts;
  }

  settings(pane: PaneInfo): BodySetting[] {
    return kinds.flatMap(({ label, unit, key, value }) => {
      const found = pane.bodies.flatMap((body, i) => {
        const now = value(body);
        return this.includes(i) && now !== null && now !== undefined ? [{ key: `bodies[${i}].${key(body)}`, now }] : [];
      });
      return found.length > 0 ? [{ label, unit, keys: found.map((f) => f.key), values: found.map((f) => f.now) }] : [];
    });
  }

  private includes(body: number): boolean {
    return this.chosen === all || this.chosen === body;
  }
}
