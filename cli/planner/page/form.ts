import { REGION_PRICES } from '../../../constructs/sizing/data/prices';
import { instanceTypeFacts, knownInstanceTypes } from '../../../constructs/sizing/instance-types';
import { byId, fill, h, setText } from './dom';
import {
  FIELDS,
  type Field,
  type FieldName,
  fieldOf,
  type Inputs,
  type NumberField,
  rangeOf,
  type Slider,
} from './fields';

const GROUPS: readonly { readonly title: string; readonly fields: readonly FieldName[] }[] = [
  { title: 'Grid', fields: ['nodes', 'type', 'cores'] },
  { title: 'Shared space', fields: ['shared', 'capacity', 'reads', 'clients'] },
  { title: 'Temporary space', fields: ['temporary'] },
  { title: 'When something fails', fields: ['durability', 'availability'] },
  { title: 'Price', fields: ['region', 'hours'] },
];

type Control = HTMLInputElement | HTMLSelectElement;

/** The fields on the page. */
export class Form {
  private readonly controls = new Map<FieldName, Control>();
  private readonly sliders = new Map<FieldName, HTMLInputElement>();
  private readonly messages = new Map<FieldName, HTMLElement>();

  /** @param changed called whenever a field says something else */
  constructor(private readonly changed: () => void) {
    const groups = GROUPS.map(({ title, fields }) =>
      h('fieldset', {}, h('legend', {}, title), ...fields.map((name) => this.field(fieldOf(name)))),
    );
    fill(byId('fields'), ...groups);
    byId('form').addEventListener('submit', (event) => event.preventDefault());
    fill(
      byId('types'),
      ...knownInstanceTypes().map(({ name, cores }) =>
        h('option', { value: name, label: `${name}, ${cores} cores` }),
      ),
    );
    fill(byId('regions'), ...REGION_PRICES.map(({ region }) => h('option', { value: region })));
  }

  inputs(): Inputs {
    return Object.fromEntries(FIELDS.map(({ name }) => [name, this.text(name)])) as Inputs;
  }

  set(inputs: Inputs): void {
    for (const [name, control] of this.controls) {
      control.value = inputs[name];
      // A choice that is none of the list leaves a select empty.
      if (control instanceof HTMLSelectElement && control.selectedIndex < 0) {
        control.value = fieldOf(name).initial;
      }
      this.moveSlider(name);
    }
  }

  /** Shows what is wrong beside the fields. */
  show(problems: ReadonlyMap<FieldName, string>): void {
    for (const { name } of FIELDS) {
      const problem = problems.get(name) ?? '';
      setText(this.messages.get(name)!, problem);
      this.controls.get(name)!.setAttribute('aria-invalid', problem ? 'true' : 'false');
      // Without a mistake nothing is said about it: not every field is 'valid' in green.
      if (!problem) this.controls.get(name)!.removeAttribute('aria-invalid');
    }
    const type = this.text('type');
    const cores = instanceTypeFacts(type)?.cores;
    this.controls.get('cores')!.setAttribute('placeholder', cores ? `${cores}, of ${type}` : '');
    this.controls.get('clients')!.setAttribute('placeholder', this.text('nodes'));
  }

  private text(name: FieldName): string {
    const control = this.controls.get(name)!;
    // What is no number is '' to a number field: it has to be told from one that is left out.
    return control.validity.badInput ? '?' : control.value;
  }

  private field(field: Field): HTMLElement {
    const { name, label, hint, optional } = field;
    const control = this.control(field);
    const unit = field.kind === 'number' ? field.unit : '';
    const range = field.kind === 'number' ? `${rangeOf(field)}. ` : '';
    const message = h('p', { id: `${name}-problem`, class: 'problem', 'aria-live': 'polite' });
    this.controls.set(name, control);
    this.messages.set(name, message);
    control.addEventListener('input', () => {
      this.moveSlider(name);
      this.changed();
    });
    return h(
      'div',
      { class: `field ${field.kind}` },
      h(
        'label',
        { for: name },
        label,
        unit ? h('span', { class: 'unit' }, ` ${unit}`) : undefined,
        optional ? h('span', { class: 'unit' }, ' (optional)') : undefined,
      ),
      h('div', { class: 'controls' }, control, this.slider(field)),
      h('p', { id: `${name}-hint`, class: 'hint' }, h('span', { class: 'range' }, range), hint),
      message,
    );
  }

  private control(field: Field): Control {
    const { name } = field;
    const common = {
      id: name,
      name,
      'aria-describedby': `${name}-hint ${name}-problem`,
      autocomplete: 'off',
    };
    if (field.kind === 'choice') {
      return h('select', common, ...field.choices.map(([value, text]) => h('option', { value }, text)));
    }
    const required = !field.optional;
    if (field.kind === 'text') {
      const list = name === 'region' ? 'regions' : 'types';
      return h('input', {
        ...common,
        type: 'text',
        list,
        required,
        spellcheck: 'false',
        placeholder: field.example,
      });
    }
    const { min, max, step } = field;
    return h('input', { ...common, type: 'number', inputmode: 'decimal', min, max, step, required });
  }

  private slider(field: Field): HTMLInputElement | undefined {
    if (field.kind !== 'number' || !field.slider) return undefined;
    const { name, label } = field;
    const { slider } = field;
    const range = 'stops' in slider ? { min: 0, max: slider.stops.length - 1, step: 1 } : slider;
    const element = h('input', { type: 'range', 'aria-label': `${label}, slider`, ...range });
    element.addEventListener('input', () => {
      this.controls.get(name)!.value = String(valueAt(slider, Number(element.value)));
      this.describe(field, element);
      this.changed();
    });
    this.sliders.set(name, element);
    return element;
  }

  private moveSlider(name: FieldName): void {
    const [element, field] = [this.sliders.get(name), fieldOf(name)];
    if (!element || field.kind !== 'number') return;
    const value = Number(this.text(name));
    if (Number.isFinite(value)) element.value = String(placeOf(field.slider!, value));
    this.describe(field, element);
  }

  private describe({ name, unit }: NumberField, slider: HTMLInputElement): void {
    slider.setAttribute('aria-valuetext', `${this.text(name)} ${unit}`);
  }
}

function valueAt(slider: Slider, place: number): number {
  return 'stops' in slider ? slider.stops[place]! : place;
}

/** Where a slider stands for a value: beyond its end it stands there. */
function placeOf(slider: Slider, value: number): number {
  if (!('stops' in slider)) return value;
  const place = slider.stops.findIndex((stop) => stop >= value);
  return place < 0 ? slider.stops.length - 1 : place;
}
