import { Loss, lossSteps } from '../../proof/demo/cluster-failure';
import { verifyCluster } from '../../proof/demo/cluster-verify';
import { readOutputs } from '../../proof/kit/deploy';
import { describeFailure } from '../../proof/kit/report-json';
import type { Evidence } from '../../proof/kit/verify';
import { CLUSTER, clusterEstate, clusterEvidence, clusterHistory, history, sampleFailure } from './samples';

const failed = (evidence: Evidence) =>
  verifyCluster(evidence, CLUSTER)
    .filter(({ passed }) => !passed)
    .map(({ id }) => id);

/** The evidence with something changed in what EC2 says now. */
function withEstate(change: (estate: Evidence['estate']) => object): Evidence {
  const evidence = clusterEvidence();
  return { ...evidence, estate: { ...evidence.estate, ...change(evidence.estate) } };
}

const without = (...kinds: string[]): Evidence => ({
  ...clusterEvidence(),
  history: clusterHistory().filter(({ kind }) => !kinds.includes(kind)),
});

test('a node that was lost and replaced as it has to be passes every check', () => {
  expect(failed(clusterEvidence())).toEqual([]);
});

describe('each check fails when what it is about does not hold', () => {
  test.each<[string, string[], Evidence]>([
    [
      'a node without an instance',
      ['nodes-run', 'addresses-kept', 'same-slots'],
      withEstate(({ slots, interfaces }) => ({
        slots: slots.map((slot) =>
          slot.slot === 'node2' ? { ...slot, owner: 'i-gone', address: '1.2.3.4' } : slot,
        ),
        interfaces,
      })),
    ],
    [
      'a volume with somebody else',
      ['volumes-shared'],
      withEstate(({ volumes }) => ({
        volumes: volumes.map((volume) => ({
          ...volume,
          attachments: [...volume.attachments, { instanceId: 'i-x', state: 'attached' }],
        })),
      })),
    ],
    [
      'a node without a volume',
      ['volumes-shared'],
      withEstate(({ volumes }) => ({
        volumes: volumes.map((volume) => ({ ...volume, attachments: volume.attachments.slice(1) })),
      })),
    ],
    ['nothing mounted', ['all-mounted'], without('shared-mount')],
    ['no fence', ['fenced-first', 'fenced-by-survivor'], without('fence')],
    [
      'a violation that a host recorded',
      ['members-mount'],
      {
        ...clusterEvidence(),
        history: [...clusterHistory(), ...history(['violation', 'vol-a', 'gfs2', 'reformatted', 'i-1'])],
      },
    ],
    [
      'a second format',
      ['formatted-once', 'same-data'],
      {
        ...clusterEvidence(),
        superblocks: {
          'vol-a': { uuid: 'new', formatCount: 2 },
          'vol-b': { uuid: 'uuid', formatCount: 1 },
        },
      },
    ],
    ['an empty log of calls', ['allowed-by-roles'], { ...clusterEvidence(), calls: [] }],
    [
      'a survivor that was replaced as well',
      ['survivors-stayed'],
      {
        ...clusterEvidence(),
        before: {
          ...clusterEvidence().before!,
          slots: clusterEvidence().before!.slots.map((slot) =>
            slot.slot === 'node1' ? { ...slot, owner: 'i-0' } : slot,
          ),
        },
      },
    ],
  ])('%s', (_, ids, evidence) => {
    expect(failed(evidence)).toEqual(expect.arrayContaining(ids));
  });

  test('an empty history proves nothing', () => {
    expect(failed({ ...clusterEvidence(), history: [] })).toEqual(
      expect.arrayContaining(['all-mounted', 'one-writer', 'fenced-by-survivor']),
    );
  });
});

test('the outputs of a cluster say who its nodes are; there is no map', () => {
  const outputs = {
    FileSystemType: 'gfs2',
    MountPoint: '/sasdata',
    Nodes: JSON.stringify(CLUSTER.nodes),
    VolumeIds: '["vol-a","vol-b"]',
  };
  expect(readOutputs({ 'mine-storage': outputs }, 'mine')).toEqual({
    table: '',
    fileSystem: 'gfs2 on /sasdata',
    mgsNid: '',
    tiers: CLUSTER.nodes.map(({ name, group }) => ({ tier: name, group, workflowArn: '', slots: 1 })),
    cluster: CLUSTER,
  });
  expect(() => readOutputs({ 'mine-storage': { ...outputs, VolumeIds: '' } }, 'mine')).toThrow(
    /no output 'VolumeIds'/,
  );
});

describe('following the loss of a node', () => {
  const slot = { ...clusterEstate().slots[1]!, owner: 'i-old' };

  test('says each thing once, when it is seen for the first time', () => {
    const loss = new Loss(slot, 'i-old');
    const before = clusterHistory().filter(({ kind }) => kind === 'nothing');
    const empty = { ...clusterEstate(), groups: {}, instances: [] };
    expect(loss.observe(empty, before, 1)).toEqual([]);
    expect(loss.observe(clusterEstate(), clusterHistory(), 2)).toHaveLength(8);
    expect(loss.observe(clusterEstate(), clusterHistory(), 3)).toEqual([]);
    expect(loss).toMatchObject({ replacement: 'i-new', fencedBy: 'i-1', moments: { fenced: 2, mounted: 2 } });
  });

  test('a mount of the instance before is not the replacement’s', () => {
    const loss = new Loss(slot, 'i-old');
    loss.observe(
      clusterEstate(),
      clusterHistory().filter(({ to }) => to !== 'i-new'),
      1,
    );
    expect(loss.moments.joined).toBeUndefined();
    expect(loss.moments.mounted).toBeUndefined();
  });

  test('steps end where they were reached', () => {
    expect(lossSteps({ terminated: 1, fenced: 1.5 }).map(({ name, seconds }) => [name, seconds])).toEqual([
      ['Old node shuts down', 1],
      ['A survivor fences it', 0.5],
    ]);
  });
});

test('a failure of a cluster is told with who fenced', () => {
  const failure = sampleFailure({
    slot: 'node2',
    oldInstance: 'i-old',
    newInstance: 'i-new',
    fencedBy: 'i-1',
  });
  expect(describeFailure(failure)).toMatch(/^node2: i-1 fenced i-old, i-new joined at /);
});
