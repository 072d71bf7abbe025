import {
  AttachVolumeCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  ModifyVolumeCommand,
} from '@aws-sdk/client-ec2';
import { EC2_RESOURCE_BUCKETS, ec2RequestBucket } from '../../constructs/sizing/data/ec2-request-limits';
import { PATIENCE } from '../../lambda/volume-reconciler/aws';
import { NO_FAULTS } from '../../proof/simulation/aws/call';
import { Throttle } from '../../proof/simulation/aws/transport/throttle';
import { Worker } from '../../proof/simulation/aws/transport/worker';
import { World } from '../../proof/simulation/aws/world';
import type { WorldOptions } from '../../proof/simulation/aws/world-options';
import { deployment } from './deployment';

const MINUTE = 60_000;
const ZONE = 'us-east-1a';

function newWorld(options: Partial<WorldOptions> = {}) {
  const world = new World({ deployment: deployment(), slots: 1, volumesPerSlot: 1, seed: 1, ...options });
  return { world, ec2: world.transport.clients(new Worker('test'), PATIENCE).ec2 };
}

test('the buckets of the EC2 API', () => {
  expect(ec2RequestBucket('AttachVolume', false)).toMatchObject({ capacity: 50, perSecond: 5 });
  expect(ec2RequestBucket('CreateTags', false)).toMatchObject({ capacity: 100, perSecond: 10 });
  expect(ec2RequestBucket('DescribeVolumes', true)).toMatchObject({ capacity: 100, perSecond: 20 });
  expect(ec2RequestBucket('DescribeVolumes', false)).toMatchObject({ capacity: 50, perSecond: 10 });
  expect(ec2RequestBucket('DescribeVpcs', false)).toMatchObject({ capacity: 100, perSecond: 20 });
  expect(EC2_RESOURCE_BUCKETS.RunInstances).toEqual({ capacity: 1000, perSecond: 2 });
});

test('a bucket is empty after its size and fills at its rate, each operation for itself', () => {
  const throttle = new Throttle();
  const take = (at: number) => throttle.admits('AttachVolume', {}, at);
  expect(Array.from({ length: 51 }, () => take(0)).filter(Boolean)).toHaveLength(50);
  expect(throttle.admits('DetachVolume', {}, 0)).toBe(true);
  expect([take(199), take(200), take(201)]).toEqual([false, true, false]);
  expect(Array.from({ length: 60 }, () => take(3_600_000)).filter(Boolean)).toHaveLength(50);
  expect(throttle.refused).toBe(13);
});

test('a describe that is behind shows what was so, and misses what is new', async () => {
  let age = 0;
  const { world, ec2 } = newWorld({ faults: { ...NO_FAULTS, staleness: () => age } });
  const state = async (ageMs: number): Promise<string | undefined> => {
    age = ageMs;
    const answer = await world.finish(ec2.send(new DescribeInstancesCommand({})));
    return answer.Reservations?.[0]?.Instances?.[0]?.State?.Name;
  };
  await world.run(10_000);
  const instance = world.ec2.launch(ZONE, {})!;
  await world.run(1000);
  expect([await state(0), await state(5000)]).toEqual(['pending', undefined]);
  await world.run(MINUTE, () => instance.state === 'running');
  expect([await state(0), await state(3000)]).toEqual(['running', 'pending']);
  world.ec2.terminate(instance.id);
  await world.run(5 * MINUTE);
  expect(await state(100_000)).toBe('terminated');
  await world.run(61 * MINUTE);
  expect([await state(0), await state(100_000)]).toEqual([undefined, undefined]);
});

test('describes page when they are asked to', async () => {
  const { world, ec2 } = newWorld();
  for (let count = 0; count < 5; count++) world.ec2.createVolume('oss-00', ZONE, {});
  const found: string[] = [];
  let NextToken: string | undefined;
  do {
    const page = await world.finish(ec2.send(new DescribeVolumesCommand({ MaxResults: 2, NextToken })));
    found.push(...page.Volumes!.map((volume) => volume.VolumeId!));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  expect(found).toEqual([...world.ec2.volumes.keys()]);
});

test.each([
  [
    'an operation',
    (client: { send(command: unknown): Promise<unknown> }) =>
      client.send(new ModifyVolumeCommand({ VolumeId: 'v' })),
  ],
  [
    'a parameter',
    (client: { send(command: unknown): Promise<unknown> }) =>
      client.send(new AttachVolumeCommand({ VolumeId: 'v', InstanceId: 'i', Device: 'd', DryRun: true })),
  ],
  [
    'a filter',
    (client: { send(command: unknown): Promise<unknown> }) =>
      client.send(new DescribeVolumesCommand({ Filters: [{ Name: 'size', Values: ['1'] }] })),
  ],
])('%s that is not simulated ends the run', async (_what, call) => {
  const { world, ec2 } = newWorld();
  const sent = world.finish(call(ec2 as never).catch(() => undefined));
  await expect(sent).rejects.toThrow('is not simulated');
});

test('a call that was long on its way is done when it arrives, also when its sender is gone', async () => {
  const { world } = newWorld({ faults: { ...NO_FAULTS, onCall: () => ({ kind: 'late', ms: MINUTE }) } });
  const worker = new Worker('late');
  const instance = world.ec2.launch(ZONE, {})!;
  const volume = world.ec2.createVolume('oss-00', ZONE, {});
  await world.run(MINUTE, () => instance.state === 'running');
  const { ec2 } = world.transport.clients(worker, PATIENCE);
  const command = new AttachVolumeCommand({
    VolumeId: volume.id,
    InstanceId: instance.id,
    Device: '/dev/sdf',
  });
  void ec2.send(command);
  await world.run(1000);
  worker.die();
  expect(volume.attachments).toEqual([]);
  await world.run(2 * MINUTE);
  expect(volume.attachments).toMatchObject([{ instanceId: instance.id, state: 'attached' }]);
});
