import { needOf, type Wish } from '../../../constructs/sizing/plan';
import { FIELDS, type Field, type FieldName, INITIAL, type Inputs, type NumberField } from './fields';

/** A wish as it was filled in, and what is wrong with it. */
export interface Filled {
  /** Undefined when something is wrong. */
  readonly wish?: Wish;
  /** By field, one sentence each. */
  readonly problems: ReadonlyMap<FieldName, string>;
  /** Sentences that belong to no field. */
  readonly others: readonly string[];
}

// A problem that goes away with either of two fields is shown at the first of these.
const ORDER: readonly FieldName[] = ['clients', 'capacity'];
const BY_BLAME = [...FIELDS].sort((a, b) => blameRank(a.name) - blameRank(b.name));

function blameRank(name: FieldName): number {
  const place = ORDER.indexOf(name);
  return place < 0 ? ORDER.length : place;
}

/** Reads the fields; the model says what is wrong with what they say. */
export function wishOf(inputs: Inputs): Filled {
  const problems = new Map<FieldName, string>();
  const others: string[] = [];
  let wish = {} as Wish;
  for (const field of FIELDS) {
    const text = inputs[field.name].trim();
    const problem = textProblem(field, text);
    if (problem) problems.set(field.name, problem);
    // With a mistake: as at first, so that the model can look at the others.
    wish = { ...wish, [field.wish]: valueOfText(field, problem ? INITIAL[field.name] : text) };
  }
  for (const sentence of needOf(wish).problems) {
    const field = BY_BLAME.find((one) => isGone(sentence, wish, one));
    if (field) problems.set(field.name, problems.get(field.name) ?? sentence);
    else others.push(sentence);
  }
  return { wish: problems.size || others.length ? undefined : wish, problems, others };
}

/** Whether a problem is one of this field: it goes away when the field says what it says at first. */
function isGone(sentence: string, wish: Wish, field: Field): boolean {
  const instead = { ...wish, [field.wish]: valueOfText(field, INITIAL[field.name]) };
  return !needOf(instead).problems.includes(sentence);
}

function textProblem(field: Field, text: string): string | undefined {
  if (text === '') return field.optional ? undefined : `Left out. Give ${whatToGive(field)}.`;
  if (field.kind === 'number' && !Number.isFinite(Number(text))) return `'${text}' is not a number.`;
  if (field.kind === 'text' && !field.pattern.test(text)) {
    return `'${text}' is not of the form of ${field.example}.`;
  }
  return undefined;
}

function whatToGive(field: Field): string {
  if (field.kind === 'number') return `a number, ${field.unit}`;
  return field.kind === 'text' ? `something like ${field.example}` : 'one of the list';
}

function valueOfText(field: Field, text: string): number | string | undefined {
  if (text === '') return undefined;
  return field.kind === 'number' ? numberOf(field, text) : text;
}

function numberOf({ per = 1 }: NumberField, text: string): number {
  return Number(text) / per;
}
