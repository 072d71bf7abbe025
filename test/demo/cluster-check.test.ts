import { type ClusterViolation, checkCluster } from '../../proof/demo/cluster-check';
import { clusterHistory, history } from './samples';

type Line = Parameters<typeof history>[number];

const VOLUMES = ['vol-a'];
const rules = (...lines: Line[]): ClusterViolation['rule'][] =>
  checkCluster(history(...lines), VOLUMES).violations.map(({ rule }) => rule);

/** An instance that runs, has the volume, and is a node. */
const member = (instance: string, node: string): Line[] => [
  ['instance', instance, 'pending', 'running'],
  ['volume-attachment', 'vol-a', 'attaching', 'attached', instance],
  ['cluster-member', node, null, instance, instance],
];
const formatted: Line = ['format', 'vol-a', null, 'sasgfs2', 'i-1'];
const mount = (instance: string): Line => ['shared-mount', 'vol-a', null, instance, instance];
const unmount = (instance: string): Line => ['shared-mount', 'vol-a', instance, null, instance];
const ends = (instance: string): Line => ['instance', instance, 'shutting-down', 'terminated'];
const fence = (instance: string, node: string, by: string): Line => ['fence', instance, node, 'off', by];

/** Two nodes that have it mounted. */
const two: Line[] = [
  ...member('i-1', 'node1'),
  ...member('i-2', 'node2'),
  formatted,
  mount('i-1'),
  mount('i-2'),
];

test('the loss of a node as it has to be', () => {
  const verdict = checkCluster(clusterHistory(), ['vol-a', 'vol-b']);
  expect(verdict).toMatchObject({ violations: [], unfenced: [], mounts: 6 });
  expect(verdict.fenced).toMatchObject([{ instance: 'i-old', node: 'node2', by: 'i-1' }]);
  expect(verdict.mounted).toEqual({ 'vol-a': ['i-1', 'i-new'], 'vol-b': ['i-1', 'i-new'] });
});

describe('a history that endangers shared data is caught', () => {
  test.each<[string, ClusterViolation['rule'][], Line[]]>([
    [
      'somebody mounts who never joined',
      ['mounted-by-stranger'],
      [...two, ['volume-attachment', 'vol-a', null, 'attached', 'i-9'], mount('i-9')],
    ],
    [
      'somebody mounts who has left',
      ['mounted-by-stranger'],
      [...two, unmount('i-2'), ['cluster-member', 'node2', 'i-2', null, 'i-2'], mount('i-2')],
    ],
    [
      'somebody mounts what he has not got',
      ['mounted-without-volume'],
      [...two, unmount('i-2'), ['volume-attachment', 'vol-a', 'attached', 'detached', 'i-2'], mount('i-2')],
    ],
    [
      'it is mounted before it is formatted',
      ['mounted-before-format'],
      [...member('i-1', 'node1'), mount('i-1')],
    ],
    [
      'a third node mounts while a lost one was not fenced',
      ['mounted-before-fence'],
      [...two, unmount('i-2'), ends('i-2'), ...member('i-3', 'node3'), mount('i-3')],
    ],
    [
      'a survivor mounts again while a lost one was not fenced',
      ['mounted-before-fence'],
      [...two, unmount('i-1'), unmount('i-2'), ends('i-2'), mount('i-1')],
    ],
    ['one host mounts it for itself', ['mounted-alone'], [...two, ['mount', 'vol-a', null, 'i-1', 'i-1']]],
    ['two instances are one node', ['node-twice'], [...two, ...member('i-3', 'node2')]],
    [
      'a node that runs is taken for off',
      ['fenced-alive', 'fenced-mounted'],
      [...two, fence('i-2', 'node2', 'i-1')],
    ],
    [
      'a node that still shuts down is taken for off',
      ['fenced-alive'],
      [...two, unmount('i-2'), ['instance', 'i-2', 'running', 'shutting-down'], fence('i-2', 'node2', 'i-1')],
    ],
    [
      'a fenced node has it mounted still',
      ['fenced-mounted'],
      [...two, ends('i-2'), fence('i-2', 'node2', 'i-1')],
    ],
    [
      'nobody of the cluster fenced it',
      ['fenced-by-stranger'],
      [...two, unmount('i-2'), ends('i-2'), fence('i-2', 'node2', 'i-9')],
    ],
    [
      'it fenced itself',
      ['fenced-by-stranger'],
      [...two, unmount('i-2'), ends('i-2'), fence('i-2', 'node2', 'i-2')],
    ],
    [
      'a fenced node mounts',
      ['fenced-acts'],
      [...two, unmount('i-2'), ends('i-2'), fence('i-2', 'node2', 'i-1'), mount('i-2')],
    ],
    [
      'a fenced node joins',
      ['fenced-acts'],
      [
        ...two,
        unmount('i-2'),
        ends('i-2'),
        fence('i-2', 'node2', 'i-1'),
        ['cluster-member', 'node2', null, 'i-2'],
      ],
    ],
    ['it is formatted after it was used', ['formatted-in-use'], [...two, formatted]],
  ])('%s', (_, expected, lines) => {
    expect(rules(...lines)).toEqual(expected);
  });

  test('a lost node that nobody fenced is told at the end', () => {
    expect(checkCluster(history(...two, unmount('i-2'), ends('i-2')), VOLUMES).unfenced).toEqual(['i-2']);
  });
});

describe('what is allowed', () => {
  test.each<[string, Line[]]>([
    ['all nodes mount at once', two],
    [
      'a node leaves in order, and ends without being fenced',
      [...two, unmount('i-2'), ['cluster-member', 'node2', 'i-2', null], ends('i-2'), mount('i-1')],
    ],
    [
      'a fenced node that was started again joins',
      [
        ...two,
        unmount('i-2'),
        ['instance', 'i-2', 'stopping', 'stopped'],
        fence('i-2', 'node2', 'i-1'),
        ['instance', 'i-2', 'pending', 'running'],
        ['cluster-member', 'node2', null, 'i-2'],
        mount('i-2'),
      ],
    ],
    [
      'the whole cluster ends, and other instances are a new one',
      [
        ...two,
        ...[unmount('i-1'), ends('i-1'), unmount('i-2'), ends('i-2')],
        ...member('i-3', 'node1'),
        mount('i-3'),
      ],
    ],
    [
      'other volumes are not looked at',
      [...two, ['mount', 'vol-x', null, 'i-1'], ['shared-mount', 'vol-x', null, 'i-9']],
    ],
  ])('%s', (_, lines) => {
    expect(rules(...lines)).toEqual([]);
  });
});
