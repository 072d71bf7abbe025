import { FIELD_NAMES, FIELDS, type FieldName, INITIAL, type Inputs } from './fields';

/** What a link carries: the fields, and which design is looked at. */
export interface Linked {
  readonly inputs: Inputs;
  readonly design?: string;
  /** Names in the link that could not be read, or whose values could not. */
  readonly ignored: readonly string[];
}

// A link of all fields is shorter than a tenth of this.
const MOST_CHARACTERS = 4000;
const MOST_CHARACTERS_OF_VALUE = 60;
const DESIGN = 'design';
const VALUE = /^[A-Za-z0-9.+-]*$/;

/**
 * The part of a link behind its `#`. Everything is in it, so that it says the same when what is filled in at first has
 * changed.
 */
export function hashOf(inputs: Inputs, design?: string): string {
  const parameters = new URLSearchParams();
  for (const name of FIELD_NAMES) parameters.set(name, inputs[name]);
  if (design) parameters.set(DESIGN, design);
  return `#${parameters}`;
}

/** Reads a link. What is no input, or cannot be one, is left out and named. */
export function inputsOf(hash: string): Linked {
  const inputs: { -readonly [name in FieldName]: string } = { ...INITIAL };
  const ignored: string[] = [];
  let design: string | undefined;
  if (hash.length > MOST_CHARACTERS) return { inputs, ignored: ['all of it'] };
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ''))) {
    const field = FIELDS.find((one) => one.name === name);
    const usable = value.length <= MOST_CHARACTERS_OF_VALUE && VALUE.test(value);
    if (usable && name === DESIGN) design = value;
    else if (usable && field && (field.kind !== 'number' || Number.isFinite(Number(value)))) {
      inputs[field.name] = value;
    } else ignored.push(name.slice(0, 20));
  }
  return { inputs, design, ignored };
}
