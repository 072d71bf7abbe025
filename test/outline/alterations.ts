/** A value of a template that is not what it was. */
export interface Alteration {
  /** Where, with `*` for the items of lists, and the keys of tags. */
  readonly path: string;
  readonly how: 'another' | 'dropped' | 'added' | 'another asset';
  /** The whole value, with the alteration in it. */
  readonly value: unknown;
}

const ASSET = /[0-9a-f]{64}/;

/** Each part of a value altered in turn: texts, numbers and switches are others, each is dropped, and one is added. */
export function* alterations(value: unknown, path = ''): Generator<Alteration> {
  if (Array.isArray(value)) yield* ofList(value, path);
  else if (typeof value === 'object' && value !== null) yield* ofObject(value, path);
  else yield* ofScalar(value, path);
}

function* ofScalar(value: unknown, path: string): Generator<Alteration> {
  if (typeof value === 'number') yield { path, how: 'another', value: value + 1 };
  else if (typeof value === 'boolean') yield { path, how: 'another', value: !value };
  else yield { path, how: 'another', value: `${value}x` };
  if (typeof value === 'string' && ASSET.test(value))
    yield { path, how: 'another asset', value: value.replace(ASSET, 'e'.repeat(64)) };
}

function* ofList(list: readonly unknown[], path: string): Generator<Alteration> {
  for (const [index, item] of list.entries()) {
    const inner = `${path}.${nameOf(item)}`;
    for (const altered of alterations(item, inner))
      yield { ...altered, value: replaced(list, index, altered.value) };
    yield { path: inner, how: 'dropped', value: list.filter((_, other) => other !== index) };
  }
  const last = list[list.length - 1] ?? 'added';
  yield { path: `${path}.${nameOf(last)}`, how: 'added', value: [...list, last] };
}

function* ofObject(object: object, path: string): Generator<Alteration> {
  for (const [key, item] of Object.entries(object)) {
    const inner = `${path}.${key}`;
    for (const altered of alterations(item, inner)) {
      // A function of CloudFormation has so many arguments and no more.
      const isArgument = isFunction(object) && altered.how === 'added' && altered.path === `${inner}.*`;
      if (!isArgument) yield { ...altered, value: { ...object, [key]: altered.value } };
    }
    const { [key]: _, ...others } = object as Record<string, unknown>;
    yield { path: inner, how: 'dropped', value: others };
  }
  if (!isFunction(object))
    yield { path: `${path}.Added`, how: 'added', value: { ...object, Added: 'added' } };
}

const replaced = (list: readonly unknown[], at: number, item: unknown): unknown[] =>
  list.map((other, index) => (index === at ? item : other));

const nameOf = (item: unknown): string => {
  const { Key } = (item ?? {}) as { readonly Key?: unknown };
  return typeof Key === 'string' ? `*(${Key})` : '*';
};

const isFunction = (object: object): boolean => {
  const keys = Object.keys(object);
  return keys.length === 1 && /^(Ref|Condition|Fn::.*)$/.test(keys[0]!);
};
