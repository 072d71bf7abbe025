import { Fn, Token } from 'aws-cdk-lib';
import { GridNetwork, type GridNetworkProps, InvalidInputError } from '../../../../constructs';
import { checkArguments } from '../../../../constructs/private/inputs/check';
import { FOREIGN_ENUMS } from '../../../../constructs/private/inputs/foreign-types';
import { inputTable, propertiesOf } from '../../../../constructs/private/inputs/table';
import { inputTable as readInputTable } from '../../../../scripts/input-table.js';
import { testStack } from '../../../helpers/app';
import { RightInputs } from '../../../helpers/right-inputs';

const OUR_MESSAGE = /^.+: (?<what>.+) is (?<value>[\s\S]+?); allowed: .+\. .+[.?]$/;
const { calls, enums } = inputTable();
const right = new RightInputs(testStack());

/** Wrong values of a type: what TypeScript would not compile, and what every type may not be. */
function wrongValues(type: string): unknown[] {
  const bare = type.replace(/^\?/, '');
  const missing = type.startsWith('?') ? [null] : [null, undefined];
  if (bare.endsWith('[]')) return [...missing, {}, 5, [null], [undefined], right.stack];
  if (bare.endsWith('{}')) return [...missing, 'text', 5, []];
  if (propertiesOf(bare)) return [...missing, 'text', 5, [], right.stack];
  if (bare === 'string') return [...missing, '', 5, {}, [], true];
  if (bare === 'number') return [...missing, Number.NaN, -Infinity, '5', '', 'five', {}, [], true];
  if (bare === 'boolean') return [...missing, 'true', 1, 0, {}, []];
  if (bare in enums || bare in FOREIGN_ENUMS) return [...missing, 'no-such', '', -5, {}, []];
  return [
    ...missing,
    'arn:aws:x',
    60,
    {},
    [],
    true,
    ...(/^I?Construct$|IDependable/.test(bare) ? [] : [right.stack]),
  ];
}

interface Case {
  readonly call: string;
  readonly what: string;
  readonly value: unknown;
  readonly args: { readonly [name: string]: unknown };
}

/** A struct with one wrong property, or a misspelt one, and those in it likewise. */
function* wrongStructs(
  struct: string,
  depth = 0,
): Generator<{ what: string; value: unknown; props: object }> {
  const properties = propertiesOf(struct)!;
  const base = right.struct(struct);
  for (const [name, type] of Object.entries(properties)) {
    for (const value of wrongValues(type)) yield { what: name, value, props: { ...base, [name]: value } };
    const misspelt = name.length > 3 ? `${name.slice(0, -1)}${name.at(-1)!.toUpperCase()}x` : `${name}Of`;
    yield { what: misspelt, value: 5, props: { ...base, [misspelt]: 5 } };
    const inner = type.replace(/^\?|\[\]$/g, '');
    if (!propertiesOf(inner) || depth > 2) continue;
    const list = type.endsWith('[]');
    for (const { what, value, props } of wrongStructs(inner, depth + 1)) {
      yield {
        what: `${name}${list ? '[0]' : ''}.${what}`,
        value,
        props: { ...base, [name]: list ? [props] : props },
      };
    }
  }
}

function* wrongCalls(call: string): Generator<Case> {
  const args = right.args(call, 'Wrong');
  for (const [name, type] of Object.entries(calls[call]!)) {
    // A construct without a scope is the root of a tree, and no input of ours.
    const values = call === 'BenchmarkHosts.all' ? [[null], ['text'], [{}]] : wrongValues(type);
    for (const value of values) yield { call, what: name, value, args: { ...args, [name]: value } };
    const struct = type.replace(/^\?/, '');
    if (!propertiesOf(struct)) continue;
    for (const { what, value, props } of wrongStructs(struct)) {
      yield { call, what, value, args: { ...args, [name]: props } };
    }
  }
}

/** What is wrong with how a call answers a wrong input; nothing when it is refused as it should be. */
function faultOf({ call, what, value, args }: Case): string | undefined {
  const told = `${call}: ${what} = ${value === right.stack ? 'a stack' : JSON.stringify(value)}`;
  try {
    right.call(call, Object.values(args));
  } catch (error) {
    const { name, message } = error as Error;
    if (!InvalidInputError.isInvalidInputError(error)) return `${told}: ${name}: ${message}`;
    const said = OUR_MESSAGE.exec(message)?.groups;
    if (!said) return `${told} is not refused with value, range and fix: ${message}`;
    const about = said.what!.replace(/\[\d+\]$/, '');
    if (about !== what) return `${told} is refused as ${about}: ${message}`;
    return undefined;
  }
  return `${told} is taken`;
}

test.each(Object.keys(calls).filter((call) => Object.keys(calls[call]!).length > 0))(
  '%s refuses what is of another type, misspelt, nothing or missing, by its name',
  (call) => {
    const faults = [...wrongCalls(call)].map(faultOf).filter((fault) => fault !== undefined);
    expect(faults).toEqual([]);
  },
);

test('lists that must have something in them are refused when they are empty', () => {
  const lists: [string, string, (all: RightInputs) => object][] = [
    ['GameDay', 'tiers', (all) => all.struct('GameDayProps')],
    ['GameDayClients.hosts', 'hosts', () => ({})],
    ['BenchmarkHosts.all', 'hosts', () => ({})],
    ['BenchmarkHosts.instances', 'hosts', () => ({})],
    ['StorageBenchmark', 'paths', (all) => all.struct('StorageBenchmarkProps')],
    ['VolumeReattachment', 'volumes', (all) => all.struct('VolumeReattachmentProps')],
  ];
  for (const [call, list, props] of lists) {
    const args = right.args(call, `Empty-${call}`);
    const wrong =
      'props' in args && list !== 'hosts'
        ? { ...args, props: { ...props(right), [list]: [] } }
        : { ...args, [list]: [] };
    expect(() => right.call(call, Object.values(wrong))).toThrow(InvalidInputError);
  }
});

test('an error of another copy of the library is known, other errors are not', () => {
  const foreign = Object.defineProperty(new Error('x'), Symbol.for('cdk-sas-grid.InvalidInputError'), {
    value: true,
  });
  expect(InvalidInputError.isInvalidInputError(foreign)).toBe(true);
  for (const other of [new Error('x'), 'x', null, undefined]) {
    expect(InvalidInputError.isInvalidInputError(other)).toBe(false);
  }
});

test('properties that are undefined are left out, and tokens of every kind pass', () => {
  const token = { resolve: () => 'x', creationStack: [] };
  expect(checkArguments('NfsStorage.ebs', { props: { volumeCount: undefined, other: undefined } })).toEqual({
    props: { volumeCount: undefined, other: undefined },
  });
  const settled = checkArguments('FsxLustre.fromAttributes', {
    ...right.args('FsxLustre.fromAttributes', 'Tokens'),
    attributes: { fileSystemId: token, mountName: Token.asString(token) },
  }) as { attributes: { fileSystemId: unknown } };
  expect(typeof settled.attributes.fileSystemId).toBe('string');
  expect(Token.isUnresolved(settled.attributes.fileSystemId)).toBe(true);
  const { count } = checkArguments('StandbyServers.hotSpare', { count: token as unknown as number });
  expect(typeof count).toBe('number');
  const list = Fn.split(',', Fn.importValue('list'));
  expect(
    checkArguments('GridNetwork', { scope: right.stack, id: 'T', props: { webAccessFrom: list } }).props,
  ).toEqual({
    webAccessFrom: list,
  });
});

test.each([
  [
    'vpcCIDR',
    { vpcCIDR: '10.0.0.0/16' },
    /vpcCIDR is '10.0.0.0\/16'; allowed: the properties of GridNetworkProps: .*Did you mean vpcCidr\?/,
  ],
  [
    'nat as a word that is none',
    { nat: 'natty' },
    /nat is 'natty'; allowed: NatKind.GATEWAY, NatKind.INSTANCE, NatKind.NONE/,
  ],
  ['nat misspelt', { nat: 'gatway' }, /Use NatKind.GATEWAY, or leave it out/],
  ['a boolean as a text', { flowLogs: 'false' }, /flowLogs is 'false'; allowed: true or false/],
  [
    'nothing in existing',
    { existing: {} },
    /existing.vpc is undefined; allowed: a VPC, .*Set vpc: it is required/,
  ],
  [
    'one range instead of a list',
    { webAccessFrom: '10.0.0.0/8' },
    /webAccessFrom is '10.0.0.0\/8'; .*Put it into a list/,
  ],
  [
    'a key by its ARN',
    { encryptionKey: 'arn:aws:kms:x' },
    /encryptionKey is 'arn:aws:kms:x'; .*kms.Key.fromKeyArn/,
  ],
])('%s: says what is meant', (_, props, message) => {
  expect(() => new GridNetwork(right.stack, 'Said', props as GridNetworkProps)).toThrow(message);
});

test('the table is that of the sources', () => {
  expect(inputTable()).toEqual(readInputTable());
});
