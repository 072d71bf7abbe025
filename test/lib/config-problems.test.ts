import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { CONFIG_FOLDER, ConfigError, deploymentNames, parseConfig } from '../../lib/config';

const PROBLEMS = [
  /^f(:\d+)?: [\w. ]+ (is .*; allowed: .+|has the unknown key '.+'; allowed: .+|lacks the key '.+'.*)\. .*[.?]$/,
  /^f(:\d+)?: [\w. ]+ lacks the key '\w+'.*\. Add it\.$/,
  /^f: .+; allowed: .+\. .+/,
];

type Node = { [key: string]: unknown };

const messagesOf = (config: unknown): string[] => {
  try {
    parseConfig(stringify(config), 'f');
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n');
  }
};

/** Each key of a configuration, by the way to it. */
function* keysOf(node: unknown, path: string[] = []): Generator<string[]> {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  for (const [key, value] of Object.entries(node)) {
    yield [...path, key];
    yield* keysOf(value, [...path, key]);
  }
}

/** A configuration in which one key is another, or has another value. */
function changed(config: object, path: string[], key: string, value?: unknown): object {
  const copy = structuredClone(config) as Node;
  const parent = path.slice(0, -1).reduce((node, each) => node[each] as Node, copy);
  const last = path.at(-1)!;
  const before = parent[last];
  delete parent[last];
  parent[key] = value === undefined ? before : value;
  return copy;
}

function wrongValues(value: unknown): unknown[] {
  if (typeof value === 'number') return [null, String(value), [], {}, -1];
  if (typeof value === 'boolean') return [null, String(value), 1, []];
  if (typeof value === 'string') return [null, 5, [], {}, true];
  return Array.isArray(value) ? [null, 5, {}, 'text', [null], [[]]] : [null, 5, [], 'text'];
}

const examples = deploymentNames().map((name): [string, object] => [
  name,
  parse(readFileSync(join(CONFIG_FOLDER, `${name}.yaml`), 'utf8')) as object,
]);

test.each(examples)('%s: what is misspelt, empty or of another type is told with what to do', (_, config) => {
  const faults: string[] = [];
  for (const path of keysOf(config)) {
    if (path.includes('tags')) continue;
    const last = path.at(-1)!;
    const misspelt = `${last.slice(0, -1)}${last.at(-1)!.toUpperCase()}x`;
    const messages = messagesOf(changed(config, path, misspelt));
    const told = messages.some(
      (line) => line.includes(`unknown key '${misspelt}'`) && line.endsWith(`Did you mean ${last}?`),
    );
    if (!told) faults.push(`${path.join('.')} misspelt: ${messages.join(' | ')}`);
    const value = path.reduce<unknown>((node, key) => (node as Node)[key], config);
    for (const wrong of wrongValues(value)) {
      const lines = messagesOf(changed(config, path, last, wrong));
      const named = lines.some((line) => line.includes(path.join('.')));
      if (named && lines.every((line) => PROBLEMS.some((problem) => problem.test(line)))) continue;
      faults.push(`${path.join('.')} = ${JSON.stringify(wrong)}: ${lines.join(' | ') || 'taken'}`);
    }
  }
  expect(faults).toEqual([]);
});

const MINIMAL = {
  description: 'a test',
  storage: { preset: 'current', fileSystemName: 'sasfs' },
  grid: { nodes: 2, instanceType: 'i4i.8xlarge' },
};

const storage = (software: unknown) => ({ ...MINIMAL, storage: { ...MINIMAL.storage, software } });
const grid = (more: object) => ({ ...MINIMAL, grid: { ...MINIMAL.grid, ...more } });

test.each<[string, object, string[]]>([
  [
    'a kind that is none',
    storage({ kind: 'repositry' }),
    [
      'f:6: storage.software.kind is "repositry"; allowed: preinstalled, repository. Did you mean repository?',
    ],
  ],
  [
    'what the kind that is meant lacks',
    storage({ kind: 'repository', url: 'https://a.example.com' }),
    ["f:6: storage.software lacks the key 'version' (the exact Lustre version, such as 2.16.1). Add it."],
  ],
  [
    'no kind',
    storage({}),
    [
      'f:5: storage.software is {}; allowed: kind: preinstalled, or kind: repository with url and version. ' +
        'Choose exactly one of these.',
    ],
  ],
  [
    'both of two',
    grid({ image: { amiId: 'ami-0123456789abcdef0', ssmParameter: '/x' } }),
    [
      'f:9: grid.image is {"amiId":"ami-0123456789abcdef0","ssmParameter":"/x"}; allowed: amiId, ' +
        'ssmParameter, or build. Choose exactly one of these.',
    ],
  ],
  [
    'a number in quotes',
    grid({ nodes: '4' }),
    [
      'f:6: grid.nodes is "4"; allowed: integer from 1 to 100; number of grid nodes besides the control server. ' +
        'Write it without quotes.',
    ],
  ],
  [
    'a value of a definition, as what it is here',
    { ...MINIMAL, network: { natAmiId: 'ami-1' } },
    [
      'f:9: network.natAmiId is "ami-1"; allowed: must match pattern "^ami-[0-9a-f]{8,17}$"; the image of the ' +
        'NAT instance, an Amazon Linux 2023; without it the newest at each deployment, which replaces the ' +
        'instance. Of a deployed one name the image that it has. Correct it.',
    ],
  ],
  [
    'the same mistake in two places of one definition',
    { ...grid({ image: { amiId: 'ami-1' } }), storage: { ...MINIMAL.storage, image: { amiId: 'ami-2' } } },
    ['f:6: storage.image.amiId is "ami-2"', 'f:11: grid.image.amiId is "ami-1"'].map(
      (line) =>
        `${line}; allowed: must match pattern "^ami-[0-9a-f]{8,17}$"; the id of a machine image in your region, ` +
        'such as ami-0123456789abcdef0. Correct it.',
    ),
  ],
  [
    'an item of a definition within a definition',
    {
      ...MINIMAL,
      storage: { ...MINIMAL.storage, oss: { fallbackInstanceTypes: ['m6in.4xlarge', 'large'] } },
    },
    [
      'f:8: storage.oss.fallbackInstanceTypes.1 is "large"; allowed: must match pattern ' +
        '"^[a-z][a-z0-9-]*\\.[a-z0-9-]+$"; an EC2 instance type such as i4i.8xlarge. Correct it.',
    ],
  ],
  [
    'one of two keys that belong together',
    grid({ scratch: { saswork: 70 } }),
    [
      'f:9: grid.scratch is {"saswork":70}; allowed: must have property utilloc when property saswork is ' +
        'present; SASWORK and UTILLOC on the instance store of the hosts. Correct it.',
    ],
  ],
])('%s', (_, config, messages) => {
  expect(messagesOf(config)).toEqual(messages);
});
