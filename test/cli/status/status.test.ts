import { Unchecked } from '../../../cli/preflight/aws/ask';
import type { StatusAws } from '../../../cli/status/port';
import { resource } from '../deployment/account';
import { ago, group, instance, row, statusAccount } from './account';
import { GRID, NFS, nfsAws, report, status } from './looking';

test('a deployment that is well, on one screen', async () => {
  const { code, text } = await status(nfsAws());
  expect(code).toBe(0);
  expect(text).toMatchSnapshot();
});

test('a slot that is repaired needs time; after a quarter of an hour it needs a person', async () => {
  const lost = (minutes: number) =>
    nfsAws({
      slotItems: async () => [
        row('nfs-00', {
          owner: 'i-new',
          epoch: 4,
          phase: 'attaching',
          reason: 'owner i-new is starting',
          timeline: { failed: ago(minutes), detected: ago(minutes) },
        }),
      ],
      executions: async (arn) => (arn === 'recovery' ? [{ name: 'e', arn: 'a', since: ago(1) }] : []),
    });
  const soon = await report(lost(2));
  expect(soon).toMatchObject({ code: 1, verdict: 'time', underWay: [{ what: 'recovery', since: ago(2) }] });
  expect(soon.troubles).toEqual([
    {
      needs: 'time',
      text: 'slot nfs-00 is attaching: owner i-new is starting',
      next: 'wait: npx cdk-sas-grid status mine --watch',
    },
  ]);
  const late = await report(lost(16));
  expect(late.verdict).toBe('person');
  expect(late.troubles[0]!.next).toBe('see docs/operations/reasons.md#what-to-do-about-a-reason');
  const { text } = await status(lost(2));
  expect(text).toMatch(/nfs-00 +i-new +attaching +4 \(served 3\) +11:58 +- /);
  expect(text).toContain('    owner i-new is starting\n');
});

test('a node whose storage is being repaired waits as that does; alone it needs a person', async () => {
  const cutOff = (phase: 'attaching' | 'served') =>
    nfsAws({
      slotItems: async () => [
        row('nfs-00', phase === 'served' ? {} : { epoch: 4, phase, timeline: { failed: ago(2) } }),
      ],
      health: async () => ({
        'i-node1': {
          is: 'unhealthy',
          name: 'node1',
          usedPercent: 12,
          reasons: [{ code: 'mount', text: '/sasdata does not answer' }],
          at: ago(1),
        },
      }),
    });
  expect((await report(cutOff('attaching'))).verdict).toBe('time');
  expect((await report(cutOff('served'))).verdict).toBe('person');
});

test('blocked: a person is needed at once, and reads where to look', async () => {
  const reason = 'host i-nfs-00 refuses to serve, it found data that is not the slot’s: xfs';
  const blocked = await report(
    nfsAws({ slotItems: async () => [row('nfs-00', { servedEpoch: 2, phase: 'blocked', reason })] }),
  );
  expect(blocked.troubles).toEqual([
    {
      needs: 'person',
      text: `slot nfs-00 is blocked: ${reason}`,
      next: 'see docs/operations/what-hosts-say.md',
    },
  ]);
  const broken = await report(nfsAws({ slotItems: async () => [{ ...row('nfs-00'), epoch: 'three' }] }));
  expect(broken.troubles[0]!.next).toBe('see docs/operations/map.md');
});

test('an alarm that rings, a server that misses probes, and replacements that are suspended', async () => {
  const found = await report(
    nfsAws({
      alarms: async ([name = '']) => [
        { name, state: 'ALARM', description: 'Tier nfs: not served', since: ago(9) },
      ],
      slotItems: async () => [row('nfs-00', { probe: { epoch: 3, round: 9, misses: 4, at: ago(1) } })],
      said: async (document) => ({ 'i-nfs-00': `${document} says that nfsd does not run` }),
      groups: async () => [group('nfs', 'Nfs/Server', ['i-nfs-00'], { suspended: ['ReplaceUnhealthy'] })],
    }),
  );
  expect(found.troubles.map(({ needs, text, next }) => [needs, text, next])).toEqual([
    [
      'person',
      'alarm mine-storage-NfsServerAlarmsUnserved-X: Tier nfs: not served',
      'see docs/operations/failover.md#a-slot-is-not-served',
    ],
    [
      'person',
      'slot nfs-00: i-nfs-00 missed 4: probe says that nfsd does not run',
      'see docs/operations/reasons.md#a-service-fails',
    ],
    [
      'person',
      'tier nfs: failed servers are not replaced, since somebody has suspended ReplaceUnhealthy',
      'aws autoscaling resume-processes --auto-scaling-group-name group-nfs ' +
        '(docs/operations/failover.md#hold-a-tier-for-inspection)',
    ],
  ]);
});

test('what a probe said of an owner before is not told of this one', async () => {
  const items = [row('nfs-00', { probe: { epoch: 2, round: 9, misses: 4, at: ago(1) } })];
  expect((await report(nfsAws({ slotItems: async () => items }))).slots[0]!.health).toBeNull();
});

test('a node that is not healthy, one that starts, one that is stopped, and one that is being replaced', async () => {
  const nodes = ['ill', 'new', 'off', 'gone'].map((id) =>
    resource(`Node${id}`, 'AWS::EC2::Instance', `i-${id}`),
  );
  const grid = { ...GRID, resources: [...GRID.resources!.slice(1), ...nodes] };
  const said = (is: 'unhealthy' | 'silent') => ({
    is,
    name: 'node',
    reasons: [{ code: 'mount', text: '/sasdata is not mounted' }],
    at: ago(1),
  });
  const found = await report(
    nfsAws({
      instances: async () => [
        instance('i-nfs-00'),
        instance('i-ill'),
        instance('i-new', { launched: ago(5) }),
        instance('i-off', { state: 'stopped' }),
      ],
      health: async () => ({
        'i-ill': said('unhealthy'),
        'i-new': said('silent'),
        'i-off': said('unhealthy'),
      }),
    }),
    [NFS, grid],
  );
  expect(found.hosts.map(({ server, state, health, mounts }) => [server, state, health, mounts])).toEqual(
    expect.arrayContaining([
      ['i-ill', 'running', 'unhealthy', 'missing'],
      ['i-new', 'running', 'unsure', null],
      ['i-off', 'stopped', null, null],
      ['i-gone', 'gone', null, null],
    ]),
  );
  expect(found.troubles).toEqual([
    {
      needs: 'person',
      text: 'node (i-ill) is unhealthy: mount: /sasdata is not mounted',
      next: 'see docs/operations/failover.md#a-server-of-a-grid-is-not-well',
    },
    expect.objectContaining({ needs: 'time', text: 'i-gone is gone' }),
  ]);
});

test('a storage server that a person stops is said to be, and what would have been right', async () => {
  const found = await report(
    nfsAws({ instances: async (ids) => ids.map((id) => instance(id, { state: 'stopping' })) }),
  );
  expect(found.troubles).toContainEqual({
    needs: 'time',
    text: expect.stringMatching(
      /^slot nfs-00: its server i-nfs-00 is stopping: a person .* its address stay$/,
    ),
    next: expect.stringMatching(/: npx cdk-sas-grid stop mine$/),
  });
});

test('asleep is calm, also while alarms ring of it; an operation needs time', async () => {
  const operations = { name: 'mine-operations', outputs: { OperationsTable: 'operations' } };
  const asleep: Partial<StatusAws> = {
    slotItems: async () => [row('nfs-00', { owner: undefined, phase: 'asleep' })],
    alarms: async ([name = '']) => [{ name, state: 'ALARM' }],
    groups: async () => [group('nfs', 'Nfs/Server', [], { suspended: ['Launch'] })],
    health: async () => ({}),
    instances: async (ids) => ids.map((id) => instance(id, { state: 'stopped' })),
  };
  const { code, text } = await status(nfsAws(asleep), [NFS, GRID, operations]);
  expect(code).toBe(0);
  expect(text).toContain('asleep; start: npx cdk-sas-grid start mine');
  const lock = { operation: 'stop', step: 'storage servers end', since: ago(2), execution: 'arn' };
  const stops = await report(nfsAws({ ...asleep, lock: async () => lock }), [NFS, GRID, operations]);
  expect(stops).toMatchObject({
    code: 1,
    verdict: 'time',
    underWay: [{ text: 'stop runs: storage servers end' }],
  });
});

test('while a stack is being deleted its slots are let go, which needs nobody', async () => {
  const aws = nfsAws({ slotItems: async () => [row('nfs-00', { released: true })] });
  const deleting = await report(aws, [{ ...NFS, status: 'DELETE_IN_PROGRESS' }]);
  expect(deleting.troubles.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^mine-storage is DELETE_IN_PROGRESS/),
  ]);
  expect((await report(aws)).troubles[0]!.next).toBe('see docs/operations/delete.md');
});

test('the first deployment is under way, or has failed: there is no output, and no slot', async () => {
  const nothing = statusAccount({ groups: async () => [group('nfs', 'Nfs/Server', ['i-1'])] });
  const made = { ...NFS, status: 'CREATE_IN_PROGRESS' };
  expect(await report(nothing, [made])).toMatchObject({
    code: 1,
    verdict: 'time',
    underWay: [{ what: 'deployment' }],
  });
  const failures = [{ logicalId: 'V', type: 'AWS::EC2::Volume', reason: 'quota', at: ago(1) }];
  const failed = await report(nothing, [{ ...NFS, status: 'CREATE_FAILED', failures }]);
  expect(failed.troubles[0]).toEqual({
    needs: 'person',
    text: 'mine-storage is CREATE_FAILED: V (AWS::EC2::Volume): quota',
    next:
      'mend the cause, then make deploy DEPLOYMENT=mine; never cdk rollback ' +
      '(docs/operations/failed-deployment.md)',
  });
  const before = await report(nothing, [{ name: 'mine-network' }]);
  expect(before.troubles[0]!.text).toBe('there is no stack mine-storage');
});

test('what may not be read is a line, and never well', async () => {
  const refused = async () => {
    throw new Unchecked('the right to cloudwatch:DescribeAlarms is missing');
  };
  const { code, text } = await status(
    nfsAws({ alarms: refused, throughput: async () => Promise.reject(new Error('odd')) }),
  );
  expect(code).toBe(1);
  expect(text).toContain('Alarms     not known');
  expect(text).toContain('Not known: the right to cloudwatch:DescribeAlarms is missing');
  expect(text).toContain('Not known: Error: odd');
  expect(text).toMatch(/nfs-00 .* - +-\n/);
});
