import { digest, unpacked } from './packed';

const WIDTH = 220;
const LIST_WIDTH = 400;
// Text of so many lines is a script: its file is what a person reads.
const SCRIPT_LINES = 4;

/** What changes with every edit of a Lambda function, and with the Node release that packed the host software. */
const ASSET = /[0-9a-f]{64}/g;

/** How the functions of CloudFormation that name something are shown. */
const REFERENCES: Readonly<Record<string, (argument: unknown) => string>> = {
  Ref: (name) => `<${name}>`,
  'Fn::GetAtt': (path) => `<${[path].flat().join('.')}>`,
  'Fn::ImportValue': (name) => `<import ${flow(plain(name))}>`,
  'Fn::Base64': (text) =>
    `user data ${digest(unpacked(plainText(text) ?? flow(plain(text))).replace(ASSET, '<hash>'))}`,
};

/**
 * A value of a template with each reference as `<the name it refers to>`, JSON in a text as what it says, tags by their
 * keys, and a digest in the place of a script.
 */
export function plain(value: unknown): unknown {
  if (typeof value === 'string') return readable(value);
  if (typeof value !== 'object' || value === null) return value;
  return plainOnce(value);
}

const plainOnce = once((value: object): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
  if (others.length === 0) {
    if (isFunction(name)) return readable(resultOf(name, argument));
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainItem(key, item)]));
});

/** Remembers what it gave: templates are looked at many times with one part altered, and their objects never change. */
function once<T>(of: (value: object) => T): (value: object) => T {
  const known = new WeakMap<object, { readonly result: T }>();
  return (value) => {
    const found = known.get(value) ?? { result: of(value) };
    known.set(value, found);
    return found.result;
  };
}

const isFunction = (name: string): boolean => name === 'Ref' || name.startsWith('Fn::');

function plainItem(key: string, item: unknown): unknown {
  if (/Tags$/.test(key) && Array.isArray(item)) return tagsOf(item);
  if (key === 'runCommand' && Array.isArray(item)) {
    const texts = item.map(plainText);
    if (texts.length >= SCRIPT_LINES && texts.every((text) => text !== undefined))
      return readable(texts.join('\n'));
  }
  return plain(item);
}

/** The text that a value is; undefined for what is no text. */
function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
  return others.length === 0 && isFunction(name) ? resultOf(name, argument) : undefined;
}

/** What a function of CloudFormation gives, as far as it is known before the deployment. */
function resultOf(name: string, argument: unknown): string {
  if (name in REFERENCES) return REFERENCES[name]!(argument);
  if (name === 'Fn::Sub' && typeof argument === 'string') return argument.replace(/\$\{([^!}]+)\}/g, '<$1>');
  if (name === 'Fn::Join' && Array.isArray(argument) && Array.isArray(argument[1])) {
    const texts = argument[1].map(plainText);
    if (texts.every((text) => text !== undefined)) return texts.join(String(argument[0]));
  }
  return `${name.replace('Fn::', '')}(${[argument].flat().map(plain).map(flow).join(', ')})`;
}

function readable(text: string): unknown {
  if (/^[[{]/.test(text)) {
    try {
      return plain(JSON.parse(text));
    } catch {
      // It only looks like JSON.
    }
  }
  const { length } = text.split('\n');
  if (length >= SCRIPT_LINES) return `text of ${length} lines, ${digest(unpacked(text))}`;
  return text.replace(ASSET, '<hash>');
}

/** Tags by their keys, where each has another one. A name is for people in the console. */
export function tagsOf(tags: readonly unknown[]): object {
  const known = tags as readonly { Key?: unknown; Value?: unknown; [other: string]: unknown }[];
  const shown = known.filter((tag) => tag?.Key !== 'Name');
  const keys = shown.map((tag) => tag?.Key);
  if (keys.some((key) => typeof key !== 'string') || new Set(keys).size < keys.length)
    return shown.map(plain);
  return Object.fromEntries(
    shown.map(({ Key, Value, ...others }) => [
      String(Key),
      plain(Object.keys(others).length > 0 ? { Value, ...others } : Value),
    ]),
  );
}

/** A plain value in one line. */
export function flow(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'object' && value !== null ? flowOnce(value) : String(value);
}

const flowOnce = once((value: object): string => {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  const items = Object.entries(value).map(([key, item]) => `${key}: ${flow(item)}`);
  return `{${items.join(', ')}}`;
});

/** A function of CloudFormation that names nothing, with its arguments. */
const CALL = /^[A-Z][A-Za-z]+\(.*\)$/;

/** As it is, unless it could be taken for something else. */
const quoted = (text: string): string =>
  text === '' || (!CALL.test(text) && /\n|, |: |^[[{ ]|[\]} ]$/.test(text)) ? JSON.stringify(text) : text;

/** A plain value after its label: in one line where it fits, or else with each of its parts in a line of its own. */
export function block(label: string, value: unknown, indent = ''): string[] {
  const line = `${indent}${label} ${flow(value)}`;
  if (line.length <= WIDTH || isWords(value)) return [line];
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.flatMap((item) => itemOfList(item, inner))
    : Object.entries(value as object).flatMap(([key, item]) => block(`${key}:`, item, inner));
  return [`${indent}${label}`, ...parts];
}

/** What is no better in several lines: a text, or a list of short ones. */
const isWords = (value: unknown): boolean =>
  Array.isArray(value)
    ? flow(value).length <= LIST_WIDTH && value.every((item) => flow(item).length <= WIDTH / 2)
    : typeof value !== 'object' || value === null;

function itemOfList(item: unknown, indent: string): string[] {
  const [first = '', ...others] = block('-', item, indent);
  if (others.length === 0) return [first];
  // The first part beside the dash.
  return [`${indent}- ${others[0]!.trimStart()}`, ...others.slice(1)];
}
