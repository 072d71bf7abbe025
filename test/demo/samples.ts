import type { Cluster } from '../../proof/kit/cluster';
import type { Transition } from '../../proof/kit/history';
import type { Estate, MapSlot } from '../../proof/kit/model';
import { stepsOf } from '../../proof/kit/recovery';
import { type BenchmarkReport, type FailureReport, passed, type Report } from '../../proof/kit/report';
import type { Evidence } from '../../proof/kit/verify';
import { failOver, story } from '../kit/samples';

/** Shorthand of a transition: the order is the time. */
export function history(
  ...lines: [kind: string, id: string, from: string | null, to: string | null, instance?: string][]
) {
  return lines.map(
    ([kind, id, from, to, instance], time): Transition => ({ time, kind, id, from, to, instance }),
  );
}

export function slot(overrides: Partial<MapSlot> = {}): MapSlot {
  return {
    tier: 'oss',
    slot: 'oss-00',
    networkInterfaceId: 'eni-0',
    address: '172.16.4.20',
    volumes: ['vol-a', 'vol-b'],
    owner: 'i-new',
    epoch: 2,
    servedEpoch: 2,
    formatted: true,
    phase: 'served',
    ...overrides,
  };
}

/** One OSS with two volumes whose first server, i-old, was replaced by i-new. All is well. */
export function goodEstate(): Estate {
  const attachment = { instanceId: 'i-new', state: 'attached' };
  const volume = (id: string) => ({
    id,
    state: 'in-use',
    type: 'gp2',
    sizeGiB: 750,
    attachments: [attachment],
  });
  const instance = (id: string, state: string) => ({
    id,
    name: 'oss',
    type: 'm6i.large',
    state,
    privateAddress: '172.16.4.99',
  });
  return {
    tiers: [{ tier: 'oss', group: 'group-oss', workflowArn: 'arn:aws:states:::oss', slots: 1 }],
    slots: [slot()],
    owners: [{ tier: 'oss', instanceId: 'i-new', slot: 'oss-00', epoch: 2 }],
    instances: [instance('i-old', 'terminated'), instance('i-new', 'running')],
    volumes: [volume('vol-a'), volume('vol-b')],
    interfaces: [{ id: 'eni-0', address: '172.16.4.20', attachment }],
    groups: { 'group-oss': [{ instanceId: 'i-new', lifecycleState: 'InService', health: 'Healthy' }] },
  };
}

/** Evidence of a recovery in which all held. */
export function goodEvidence(): Evidence {
  const estate = goodEstate();
  const record = story(...failOver('i-old', 'i-new'));
  const superblocks = {
    'vol-a': { uuid: 'uuid-a', formatCount: 1 },
    'vol-b': { uuid: 'uuid-b', formatCount: 1 },
  };
  return {
    estate,
    before: { ...estate, slots: [slot({ owner: 'i-old', epoch: 1, servedEpoch: 1 })] },
    history: [...record.history],
    calls: [...record.calls],
    superblocks,
    superblocksBefore: superblocks,
    victim: 'i-old',
  };
}

const ok = (id: string, title: string, detail = 'all') => ({ id, title, detail, passed: true });

export function sampleFailure(overrides: Partial<FailureReport> = {}): FailureReport {
  const moments = {
    terminated: 1.1,
    replacementSeen: 0.6,
    replacementRunning: 1.4,
    claimed: 2.6,
    volumesAttached: 4.2,
    interfaceAttached: 3.9,
    served: 7.6,
    inService: 8.1,
  };
  return {
    tier: 'oss',
    slot: 'oss-01',
    oldInstance: 'i-0aaa',
    newInstance: 'i-0bbb',
    volumes: ['vol-1', 'vol-2'],
    address: '172.16.4.21',
    recoverySeconds: 8.1,
    steps: stepsOf(moments),
    recorded: [{ name: 'fence: the old server is terminated', start: 0.4, end: 1.9, seconds: 1.5 }],
    apiCalls: { total: 40, byAction: { 'ec2:AttachVolume': 2, 'ec2:DescribeVolumes': 38 } },
    verified: true,
    checks: [ok('slots-served', 'Every slot is served by a running server')],
    ...overrides,
  };
}

/** A report of a deployment whose file system AWS runs. */
export function managedReport(overrides: Partial<Report> = {}): Report {
  const node = {
    slot: 'node2',
    tier: 'grid',
    oldInstance: 'i-0ccc',
    newInstance: 'i-0ccc',
    volumes: [],
    recorded: undefined,
  };
  return sampleReport({
    servers: [],
    mgsNid: '',
    managedFileSystem: { id: 'fs-0123', source: 'fs-0123.fsx.us-east-1.amazonaws.com@tcp:/abcd' },
    failures: [sampleFailure(node)],
    ...overrides,
  });
}

export function sampleBenchmark(): BenchmarkReport {
  return {
    runId: '20260102T030405Z-4f1c',
    verdict: 'failed',
    reasons: ['/saswork writes 12 MB/s per core; 100 are wanted.'],
    notRepresentative: 'Measured on the disk of one machine.',
    seconds: 12.345,
    page: 'benchmark.html',
    figures: [{ directory: '/saswork', phase: 'write', hosts: 5, MBps: 480, MBpsPerCore: 12, wanted: 100 }],
    checks: [{ id: 'benchmark-hosts', title: 'Every host ran', passed: true, detail: '5 hosts' }],
  };
}

export function sampleReport(overrides: Partial<Report> = {}): Report {
  const report: Report = {
    schemaVersion: 1,
    finishedAt: '2026-01-02T03:04:05.000Z',
    deployment: 'sas-grid-lustre',
    fileSystem: 'sasfs',
    mgsNid: '172.16.4.10@tcp',
    passed: true,
    totalSeconds: 71.23456,
    phases: [{ name: 'Synthesize and deploy', seconds: 31 }],
    servers: [
      {
        tier: 'oss',
        slot: 'oss-01',
        instance: 'i-0aaa',
        instanceType: 'm6in.8xlarge',
        address: '172.16.4.21',
        volumes: [
          { id: 'vol-1', type: 'gp3', sizeGiB: 750 },
          { id: 'vol-2', type: 'gp3', sizeGiB: 750 },
        ],
      },
    ],
    machines: [{ name: 'grid-1', instance: 'i-0ccc', instanceType: 'i4i.8xlarge', address: '172.16.0.11' }],
    deploymentChecks: [ok('slots-served', 'Every slot is served by a running server')],
    failures: [sampleFailure()],
    teardownChecks: [ok('stacks-gone', 'The stacks are deleted')],
    ...overrides,
  };
  return { ...report, passed: passed(report) };
}

export const CLUSTER: Cluster = {
  nodes: ['node1', 'node2'].map((name, index) => ({
    name,
    address: `172.16.4.${64 + index}`,
    networkInterface: `eni-${index + 1}`,
    group: `group-${name}`,
  })),
  volumes: ['vol-a', 'vol-b'],
};

/** A cluster whose second node, i-old, was lost, fenced by i-1, and is i-new now. */
export function clusterEstate(): Estate {
  const owners = ['i-1', 'i-new'];
  const instance = (id: string, state: string) => ({
    id,
    name: id,
    type: 'r5b.large',
    state,
    privateAddress: '',
  });
  return {
    tiers: CLUSTER.nodes.map(({ name, group }) => ({ tier: name, group, workflowArn: '', slots: 1 })),
    slots: CLUSTER.nodes.map(({ name, address, networkInterface }, index) =>
      slot({
        tier: name,
        slot: name,
        address,
        networkInterfaceId: networkInterface,
        owner: owners[index],
        epoch: 0,
        servedEpoch: 0,
      }),
    ),
    owners: [],
    instances: [instance('i-1', 'running'), instance('i-old', 'terminated'), instance('i-new', 'running')],
    volumes: CLUSTER.volumes.map((id) => ({
      id,
      state: 'in-use',
      type: 'io2',
      sizeGiB: 1000,
      attachments: owners.map((instanceId) => ({ instanceId, state: 'attached' })),
    })),
    interfaces: CLUSTER.nodes.map(({ address, networkInterface }, index) => ({
      id: networkInterface,
      address,
      attachment: { instanceId: owners[index]!, state: 'attached' },
    })),
    groups: Object.fromEntries(
      CLUSTER.nodes.map(({ group }, index) => [
        group,
        [{ instanceId: owners[index]!, lifecycleState: 'InService', health: 'Healthy' }],
      ]),
    ),
  };
}

/** The history that leads to clusterEstate(). */
export function clusterHistory(): Transition[] {
  type Line = Parameters<typeof history>[number];
  const each = (line: (volume: string) => Line) => CLUSTER.volumes.map(line);
  const starts = (instance: string, number: number): Line[] => [
    ['instance', instance, 'pending', 'running'],
    ...each((volume) => ['volume-attachment', volume, 'attaching', 'attached', instance]),
    ['interface-attachment', `eni-${number}`, 'attaching', 'attached', instance],
    ['cluster-member', `node${number}`, null, instance, instance],
  ];
  const mounts = (instance: string) =>
    each((volume): Line => ['shared-mount', volume, null, instance, instance]);
  return history(
    ...starts('i-1', 1),
    ...starts('i-old', 2),
    ...each((volume) => ['format', volume, null, 'sasgfs2', 'i-1']),
    ...mounts('i-1'),
    ...mounts('i-old'),
    ['instance', 'i-old', 'running', 'shutting-down'],
    ['instance', 'i-old', 'shutting-down', 'terminated'],
    ...each((volume) => ['shared-mount', volume, 'i-old', null, 'i-old']),
    ['fence', 'i-old', 'node2', 'off', 'i-1'],
    ...each((volume) => ['volume-attachment', volume, 'attached', 'detached', 'i-old']),
    ['interface-attachment', 'eni-2', 'attached', 'detached', 'i-old'],
    ...starts('i-new', 2),
    ...mounts('i-new'),
  );
}

/** Evidence of the loss of a node in which all held. */
export function clusterEvidence(): Evidence {
  const estate = clusterEstate();
  const superblocks = {
    'vol-a': { uuid: 'uuid', formatCount: 1 },
    'vol-b': { uuid: 'uuid', formatCount: 1 },
  };
  return {
    estate,
    before: {
      ...estate,
      slots: estate.slots.map((each) => (each.slot === 'node2' ? { ...each, owner: 'i-old' } : each)),
    },
    history: clusterHistory(),
    calls: [
      {
        time: 1,
        answered: 1,
        service: 'ec2',
        action: 'AttachVolume',
        parameters: {},
        userAgent: 'host',
        role: 'Node',
      },
    ],
    superblocks,
    superblocksBefore: superblocks,
    victim: 'i-old',
  };
}
