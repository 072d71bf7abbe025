import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { SERVICE_LIMITS } from '../../../constructs/sizing';
import { toItem } from '../../../lambda/shared/attributes';
import { slotNames } from '../../../lambda/shared/slot-names';
import { verdict } from '../../../lambda/volume-map-resource/domain';
import { propertiesOf } from '../../../lambda/volume-map-resource/request';
import type { SlotDecision } from '../../../lambda/volume-reconciler/actions';
import type { Applied } from '../../../lambda/volume-reconciler/apply';
import { Ec2Compute } from '../../../lambda/volume-reconciler/aws-compute';
import { AutoScalingTier } from '../../../lambda/volume-reconciler/aws-group';
import { SsmHosts } from '../../../lambda/volume-reconciler/aws-hosts';
import { DynamoVolumeMap } from '../../../lambda/volume-reconciler/aws-map';
import { reconcile } from '../../../lambda/volume-reconciler/handler';
import { resultOf } from '../../../lambda/volume-reconciler/result';
import { SETTINGS, SILENT } from './settings';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };
const NOW = Date.parse('2026-01-01T00:10:00Z');
const VOLUMES = 8;

/** A tier of which every server runs and holds its slot, behind real clients; counts what they send. */
function tierOf(slots: number, told: boolean) {
  const sent: string[] = [];
  const all = Array.from({ length: slots }, (_, index) => index);
  const volumesOf = (index: number) =>
    Array.from({ length: VOLUMES }, (_, position) => ({ volumeId: `vol-${index}-${position}`, device: 'x' }));
  const command = { id: 'c', sentAt: '2026-01-01T00:09:00.000Z', epoch: 1, attempts: 1, failures: 0 };
  const rows = all.map((index) => ({
    item: `slot#oss-${String(index).padStart(2, '0')}`,
    slot: `oss-${String(index).padStart(2, '0')}`,
    networkInterfaceId: `eni-${index}`,
    address: '10.0.0.1',
    volumes: volumesOf(index),
    owner: `i-${index}`,
    epoch: 1,
    servedEpoch: told ? 0 : 1,
    formatted: true,
    phase: told ? 'serving' : 'served',
    timeline: { claimed: '2026-01-01T00:00:00.000Z', completed: '2026-01-01T00:05:00.000Z' },
    ...(told ? { command: { ...command, id: `c-${index}` } } : {}),
  }));
  const paged = <T>(items: T[], largest: number, given: { MaxResults?: number; NextToken?: string }) => {
    const size = Math.min(given.MaxResults ?? largest, largest);
    const start = Number(given.NextToken ?? 0);
    const more = start + size < items.length ? { NextToken: String(start + size) } : {};
    return { page: items.slice(start, start + size), more };
  };
  const attached = (index: number) => ({ InstanceId: `i-${index}`, State: 'attached' });
  const answers: { [name: string]: (input: never) => unknown } = {
    QueryCommand: () => ({ Items: rows.map((row) => toItem(row)) }),
    UpdateItemCommand: () => ({ Attributes: { wakeups: { N: '0' }, beatAt: { N: '0' } } }),
    DescribeAutoScalingGroupsCommand: () => ({
      AutoScalingGroups: [
        {
          Instances: all.map((index) => ({
            InstanceId: `i-${index}`,
            LifecycleState: 'InService',
            HealthStatus: 'Healthy',
          })),
        },
      ],
    }),
    DescribeInstancesCommand: (input) => {
      const instances = all.map((index) => ({
        InstanceId: `i-${index}`,
        State: { Name: 'running' },
        Tags: [{ Key: 'Name', Value: `stack-${rows[index]!.slot}` }],
      }));
      const { page, more } = paged(instances, 1000, input);
      return { Reservations: [{ Instances: page }], ...more };
    },
    DescribeVolumesCommand: (input) => {
      const volumes = all.flatMap((index) =>
        volumesOf(index).map(({ volumeId }) => ({
          VolumeId: volumeId,
          State: 'in-use',
          Attachments: [attached(index)],
        })),
      );
      const { page, more } = paged(volumes, 500, input);
      return { Volumes: page, ...more };
    },
    DescribeNetworkInterfacesCommand: (input) => {
      const interfaces = all.map((index) => ({
        NetworkInterfaceId: `eni-${index}`,
        Status: 'in-use',
        Attachment: { AttachmentId: `a-${index}`, InstanceId: `i-${index}`, Status: 'attached' },
      }));
      const { page, more } = paged(interfaces, 1000, input);
      return { NetworkInterfaces: page, ...more };
    },
    GetCommandInvocationCommand: () => ({ Status: 'InProgress' }),
    ListCommandInvocationsCommand: (input) => {
      const listed = all.map((index) => ({
        CommandId: `c-${index}`,
        InstanceId: `i-${index}`,
        Status: 'InProgress',
      }));
      const { page, more } = paged(listed, 50, input);
      return { CommandInvocations: page, ...more };
    },
  };
  const client = <C extends object>(real: C): C =>
    Object.assign(real, {
      send: async (request: { constructor: { name: string }; input: never }) => {
        sent.push(request.constructor.name.replace(/Command$/, ''));
        return answers[request.constructor.name]!(request.input);
      },
    });
  const ports = {
    clock: { now: () => NOW },
    log: SILENT,
    map: new DynamoVolumeMap(client(new DynamoDBClient(OFFLINE)), 'table', 'oss'),
    compute: new Ec2Compute(client(new EC2Client(OFFLINE)), 'stack/Oss'),
    group: new AutoScalingTier(client(new AutoScalingClient(OFFLINE)), 'stack-oss'),
    hosts: new SsmHosts(client(new SSMClient(OFFLINE)), 'document', SILENT),
  };
  return { ports, sent, settings: { ...SETTINGS, slots: slotNames('oss', slots) } };
}

async function callsOfPass(slots: number, told = false): Promise<{ [name: string]: number }> {
  const { ports, sent, settings } = tierOf(slots, told);
  const event = {
    action: 'reconcile',
    execution: 'run',
    startedAt: new Date(NOW).toISOString(),
    deadlineSeconds: 3600,
  };
  const { outcome, slots: seen } = await reconcile(event, ports, settings);
  expect(outcome).toBe(told ? 'pending' : 'served');
  expect(seen).toHaveLength(slots);
  return Object.fromEntries(
    [...new Set(sent)].map((name) => [name, sent.filter((each) => each === name).length]),
  );
}

test('a pass over a tier costs the same calls whatever its size, but for pages of 500 volumes', async () => {
  const few = await callsOfPass(2);
  expect(few).toEqual({
    UpdateItem: 2,
    Query: 1,
    DescribeAutoScalingGroups: 1,
    DescribeInstances: 1,
    DescribeVolumes: 1,
    DescribeNetworkInterfaces: 1,
  });
  expect(await callsOfPass(62)).toEqual(few);
  expect(await callsOfPass(128)).toEqual({ ...few, DescribeVolumes: 3 });
});

test('hosts that were told are asked for by pages: at most eight single questions', async () => {
  const { GetCommandInvocation: few } = await callsOfPass(8, true);
  expect(few).toBe(8);
  const { GetCommandInvocation: single, ListCommandInvocations: pages } = await callsOfPass(128, true);
  expect(single).toBeUndefined();
  expect(pages).toBe(3);
});

test('Step Functions can carry what 128 talkative hosts said, and CloudFormation the verdict', () => {
  const reason = 'no such device: ’'.repeat(40);
  const slots = slotNames('oss', 128).map(
    (slot): SlotDecision => ({
      slot,
      owner: 'i-0123456789abcdef0',
      epoch: 1,
      phase: 'blocked',
      reason,
      moving: false,
      settled: false,
      actions: [],
    }),
  );
  const applied = Array(1500).fill({ text: reason, done: false } as Applied);
  const result = resultOf('pending', 1, 1, slots, applied);
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  expect(bytes(result)).toBeLessThan(SERVICE_LIMITS.workflowStateBytes.value);
  expect(result.slots).toHaveLength(128);
  expect(result.slots[127]!.reason).toContain('no such device');
  expect(bytes(verdict(result))).toBeLessThan(4096);
  // Where there is room, nothing is cut that was not cut before.
  expect(resultOf('pending', 1, 1, slots.slice(0, 3), []).slots[0]!.reason).toHaveLength(300);
});

describe('the slots that CloudFormation describes', () => {
  const common = {
    Tier: 'oss',
    Table: 'table',
    StateMachineArn: 'arn',
    TimeoutSeconds: '3000',
    SeededFor: 'x',
    Step: 'seed',
  };
  const plain = {
    slot: 'oss-00',
    networkInterfaceId: 'eni-0',
    address: '10.0.0.1',
    adopted: 'false',
    volumes: [{ volumeId: 'vol-0', device: '/dev/sdf' }],
  };
  const nested = {
    slot: 'oss-01',
    adopted: 'true',
    interfaceAddressVolumes: 'eni-1,10.0.0.2,vol-1,vol-2',
    devices: '/dev/sdf,/dev/sdg',
  };

  test('are read from either form', () => {
    expect(propertiesOf({ ...common, Slots: [plain, nested] }).slots).toEqual([
      { ...plain, adopted: false },
      {
        slot: 'oss-01',
        networkInterfaceId: 'eni-1',
        address: '10.0.0.2',
        adopted: true,
        volumes: [
          { volumeId: 'vol-1', device: '/dev/sdf' },
          { volumeId: 'vol-2', device: '/dev/sdg' },
        ],
      },
    ]);
  });

  test.each([
    [{ ...nested, interfaceAddressVolumes: 'eni-1,10.0.0.2,vol-1' }, /names 1 volumes and 2 devices/],
    [{ ...nested, interfaceAddressVolumes: 'eni-1,,vol-1,vol-2' }, /address is ""/],
    [{ ...nested, interfaceAddressVolumes: 'eni-1,10.0.0.2,vol-1,vol-0' }, /volume vol-0 is named twice/],
    [{ ...nested, interfaceAddressVolumes: 'eni-1' }, /names 0 volumes/],
  ])('and refused when they are not what they should be: %#', (slot, message) => {
    expect(() => propertiesOf({ ...common, Slots: [plain, slot] })).toThrow(message);
  });
});
