import { parseFacts } from '../../proof/demo/hosts';
import { expectedParameters, type ManagedEvidence, verifyManaged } from '../../proof/demo/managed';
import { nodeOf } from '../../proof/demo/managed-run';
import type { Transition } from '../../proof/kit/history';
import type { MachineReport } from '../../proof/kit/report';

const machine = (name: string): MachineReport => ({
  name,
  instance: `i-${name}`,
  instanceType: 'i4i.8xlarge',
  address: `172.16.4.${name.length}`,
});
const MACHINES = ['control', 'node1', 'node2'].map(machine);
const TYPE = 'i4i.8xlarge';

function factsText(overrides: { options?: string; source?: string; shared?: string; target?: string } = {}) {
  return [
    `mount ${overrides.source ?? '172.16.4.7@tcp:/abcd1234'} /sasdata lustre ` +
      `${overrides.options ?? 'rw,flock,lazystatfs'}`,
    'mount /dev/md127 /saswork xfs rw',
    'mount /saswork/utilloc /utilloc none bind',
    ...Object.entries(expectedParameters(TYPE)).map(([name, value]) => `parameter ${name} ${value} `),
    `target ${overrides.target ?? 'active'}`,
    `shared ${overrides.shared ?? 'written by control'}`,
  ].join('\n');
}

const move = (
  time: number,
  kind: string,
  name: string,
  from: string | null,
  to: string | null,
): Transition => ({
  time,
  kind,
  id: kind === 'managed-mount' ? 'fs-1' : 'md127',
  from,
  to,
  instance: `i-${name}`,
});

function good(overrides: Partial<ManagedEvidence> = {}): ManagedEvidence {
  return {
    fileSystem: {
      FileSystemId: 'fs-1',
      Lifecycle: 'AVAILABLE',
      LustreConfiguration: { MountName: 'abcd1234' },
    },
    mountPoint: '/sasdata',
    expectedHosts: 3,
    machines: MACHINES,
    facts: Object.fromEntries(MACHINES.map(({ instance }) => [instance, parseFacts(factsText())])),
    written: 'written by control',
    history: [
      ...['control', 'node1', 'node2'].map((name) => move(1, 'managed-mount', name, null, 'mounted')),
      move(1, 'scratch-format', 'node1', null, 'formatted'),
      move(5, 'managed-mount', 'node1', 'mounted', null),
      move(6, 'scratch-format', 'node1', null, 'formatted'),
      move(7, 'managed-mount', 'node1', null, 'mounted'),
    ],
    failure: { before: machine('node1'), from: 4 },
    ...overrides,
  };
}

const facts = (overrides: Parameters<typeof factsText>[0]) => ({
  ...good().facts,
  'i-node1': parseFacts(factsText(overrides)),
});
const failed = (evidence: ManagedEvidence) => verifyManaged(evidence).filter(({ passed }) => !passed);

test('a node that came back passes every check', () => {
  expect(failed(good())).toEqual([]);
});

test('a deployment without failure is not asked for what a failure leaves', () => {
  expect(verifyManaged(good({ failure: undefined })).map(({ id }) => id)).not.toContain('same-node');
});

test('what AWS publishes for large clients is asked of large ones only', () => {
  expect(expectedParameters(TYPE)).toMatchObject({ 'ldlm.namespaces.*.lru_size': '3200' });
  expect(Object.keys(expectedParameters('m6i.large'))).toEqual([
    'osc.*OST*.max_rpcs_in_flight',
    'mdc.*.max_rpcs_in_flight',
    'mdc.*.max_mod_rpcs_in_flight',
  ]);
});

describe('each fault fails its check and is named', () => {
  const cases: [string, string, Partial<ManagedEvidence>, string][] = [
    ['no file system', 'file-system-available', { fileSystem: undefined }, 'gone'],
    [
      'one that is being deleted',
      'file-system-available',
      { fileSystem: { ...good().fileSystem!, Lifecycle: 'DELETING' } },
      'DELETING',
    ],
    ['a host too few', 'mounted-everywhere', { expectedHosts: 4 }, '3 hosts run instead of 4'],
    ['no flock', 'mounted-everywhere', { facts: facts({ options: 'rw' }) }, 'node1 lacks flock'],
    ['read-only', 'mounted-everywhere', { facts: facts({ options: 'ro,flock' }) }, 'node1 lacks rw'],
    ['another file system', 'mounted-everywhere', { facts: facts({ source: '1.2.3.4@tcp:/x' }) }, '1.2.3.4'],
    ['a silent host', 'mounted-everywhere', { facts: {} }, 'control has nothing on /sasdata'],
    ['no parameters', 'tuned', { facts: { ...good().facts, 'i-node1': parseFacts('') } }, 'lru_max_age'],
    ['other data', 'shared', { facts: facts({ shared: 'old' }) }, "node1 reads 'old'"],
    ['nothing written', 'shared', { written: '', facts: facts({ shared: '' }) }, 'nothing was written'],
    ['a unit that failed', 'nodes-ready', { facts: facts({ target: 'failed' }) }, 'node1 is not set up'],
    ['an empty history', 'never-stale', { history: [] }, 'no mount'],
    [
      'a stale mount',
      'never-stale',
      { history: [...good().history, move(8, 'managed-mount', 'node2', 'mounted', 'stale')] },
      'stale on i-node2',
    ],
    [
      'another address',
      'same-node',
      { failure: { before: { ...machine('node1'), address: '172.16.4.99' }, from: 4 } },
      'node1 is i-node1 at',
    ],
    [
      'scratch that stayed',
      'scratch-made-again',
      { history: good().history.filter(({ time }) => time !== 6) },
      '0 file systems made again',
    ],
    [
      'a mount that was not renewed',
      'mounted-again',
      { history: good().history.filter(({ time }) => time !== 7) },
      'its mounts: gone',
    ],
    [
      'another host that lost its mount',
      'others-undisturbed',
      { history: [...good().history, move(8, 'managed-mount', 'node2', 'mounted', null)] },
      'i-node2: gone',
    ],
  ];
  test.each(cases)('%s', (_name, id, overrides, words) => {
    expect(failed(good(overrides)).find((check) => check.id === id)?.detail).toContain(words);
  });
});

test('the node in the middle fails, never the control server', () => {
  expect(nodeOf(MACHINES).name).toBe('node2');
  expect(() => nodeOf([machine('control')])).toThrow('no node that could fail');
});
