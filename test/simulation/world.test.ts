import { performance } from 'node:perf_hooks';
import { type Call, type CallFault, NO_FAULTS } from '../../proof/simulation/aws/call';
import type { Observer } from '../../proof/simulation/aws/observer';
import { World } from '../../proof/simulation/aws/world';
import type { WorldOptions } from '../../proof/simulation/aws/world-options';
import { sample } from '../helpers/exhaustive';
import { deployment } from './deployment';

const MINUTE = 60_000;

function newWorld(options: Partial<WorldOptions> = {}): World {
  return new World({ deployment: deployment(), slots: 2, volumesPerSlot: 2, seed: 1, ...options });
}

async function deployed(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = newWorld(options);
  expect(await world.finish(world.stack.deploy())).toEqual({ ok: true, reason: 'all slots are served' });
  return world;
}

const ownerOf = (world: World, slot: string): string => String(world.map.items.get(`slot#${slot}`)?.owner);

/** What a tier has to look like when nothing is left to do. */
function expectServed(world: World): void {
  expect(world.isServed()).toBe(true);
  for (const volume of world.ec2.volumes.values()) {
    const owner = ownerOf(world, volume.slot);
    expect(volume).toMatchObject({ content: 'target', formats: 1, contentOf: volume.slot });
    expect(volume.attachments).toMatchObject([{ instanceId: owner, state: 'attached' }]);
    expect(volume.tags['cdk-sas-grid:formatted']).toBe(volume.slot);
    expect(world.hosts.writersOf(volume.id)).toEqual([owner]);
  }
  for (const networkInterface of world.ec2.interfaces.values()) {
    expect(networkInterface.attachment).toMatchObject({ instanceId: ownerOf(world, networkInterface.slot) });
  }
}

async function failedOver(world: World, slot = 'oss-00', limitMinutes = 60): Promise<void> {
  const lost = ownerOf(world, slot);
  world.ec2.terminate(lost);
  await world.run(limitMinutes * MINUTE, () => world.isServed() && ownerOf(world, slot) !== lost);
  expect(ownerOf(world, slot)).not.toBe(lost);
}

test('a new tier is served, and so is a slot whose server was lost', async () => {
  const world = await deployed();
  expectServed(world);
  await failedOver(world);
  expectServed(world);
  expect(world.map.items.get('slot#oss-00')).toMatchObject({ epoch: 2, servedEpoch: 2 });
  expect(world.map.items.get('slot#oss-01')).toMatchObject({ epoch: 1 });
  const launches = world.group.actions.filter((action) => action.transition.endsWith('LAUNCHING'));
  expect(launches.map((action) => action.ended?.how)).toEqual(['continue', 'continue', 'continue']);
  expect(world.transport.throttle.refused).toBe(0);
});

async function trace(seed: number): Promise<string[]> {
  const lines: string[] = [];
  const observer: Observer = {
    onCall: (call, outcome) =>
      lines.push(`${call.at} ${call.worker} ${call.operation} ${JSON.stringify(call.input)} ${outcome}`),
    onInstance: (id, state) => lines.push(`${id} ${state}`),
    onExecution: (name, status) => lines.push(`${name} ${status}`),
  };
  const world = await deployed({ seed, observer });
  await failedOver(world);
  lines.push(`${world.now()} ${world.scheduler.steps}`);
  return lines;
}

test('a seed gives the same run each time, and another seed another one', async () => {
  const first = await trace(5);
  expect(first.length).toBeGreaterThan(300);
  expect(await trace(5)).toEqual(first);
  expect(await trace(6)).not.toEqual(first);
});

const SPEED_RUNS = 10;

test('the speed of a deployment with a fail-over', async () => {
  await failedOver(await deployed());
  const before = process.cpuUsage();
  const since = performance.now();
  let calls = 0;
  for (let seed = 100; seed < 100 + SPEED_RUNS; seed++) {
    const world = await deployed({ seed });
    await failedOver(world);
    calls += world.calls;
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = ((user + system) / 1000 / SPEED_RUNS).toFixed(1);
  const elapsed = ((performance.now() - since) / SPEED_RUNS).toFixed(1);
  process.stdout.write(
    `deployment and fail-over: ${cpu} ms of CPU (${elapsed} ms) for ${Math.round(calls / SPEED_RUNS)} calls\n`,
  );
  expect(calls / SPEED_RUNS).toBeGreaterThan(100);
});

/** @param operation a name, or `<name> of <worker>` where several make the call */
function onceAt(
  operation: string,
  fault: CallFault,
): { onCall(call: Call): CallFault | undefined; done(): boolean } {
  let done = false;
  return {
    onCall: (call) => {
      const isIt = `${call.operation} of ${call.worker}`.startsWith(operation);
      if (done || !isIt) return undefined;
      done = true;
      return fault;
    },
    done: () => done,
  };
}

const STRUCK = [
  'AttachVolume',
  'TransactWriteItems of seed',
  'TransactWriteItems of reconciler',
  'SendCommand',
  'CompleteLifecycleAction',
  'CreateTags',
  'PutAnswer',
];

const KINDS = [
  'crash-before',
  'crash-after',
  'timeout-before',
  'timeout-after',
  'server-error-after',
  'throttle',
] as const;

const STRIKES = STRUCK.flatMap((operation) => KINDS.map((kind) => [operation, kind] as const));

// Each fifth has each operation, and each kind.
test.each(sample(STRIKES, 5))('%s with %s: the tier is served all the same', async (operation, kind) => {
  const fault = onceAt(operation, { kind } as CallFault);
  const world = newWorld({ faults: { ...NO_FAULTS, onCall: fault.onCall } });
  const verdict = await world.finish(world.stack.deploy());
  await world.run(30 * MINUTE, () => world.isServed());
  expect(fault.done()).toBe(true);
  expect(verdict.ok).toBe(true);
  expectServed(world);
});

test('a worker that dies sends nothing more, and the workflow hears of it', async () => {
  const calls: Call[] = [];
  let dead = '';
  const world = await deployed({
    observer: { onCall: (call) => calls.push(call) },
    faults: {
      ...NO_FAULTS,
      onCall: (call) => {
        if (dead !== '' || call.operation !== 'AttachVolume') return undefined;
        dead = call.worker;
        return { kind: 'crash-before' };
      },
    },
  });
  const attach = calls.findIndex((call) => call.operation === 'AttachVolume' && call.worker === dead);
  // What it had sent at the same moment arrives; nothing is sent later.
  const later = calls.slice(attach + 1).filter((call) => call.worker === dead);
  expect(later.every((call) => call.at === calls[attach]!.at)).toBe(true);
  expect(world.isServed()).toBe(true);
});

test('the SDK repeats what was throttled, five times at most', async () => {
  const attempts: number[] = [];
  const world = newWorld({
    faults: {
      ...NO_FAULTS,
      onCall: (call) => {
        if (call.operation !== 'DescribeInstances' || attempts.length >= 5) return undefined;
        attempts.push(call.attempt);
        return { kind: 'throttle' };
      },
    },
  });
  expect((await world.finish(world.stack.deploy())).ok).toBe(true);
  expect(attempts).toEqual([1, 2, 3, 4, 5]);
});

test('lost events are made up for by the schedule, repeated and late ones do no harm', async () => {
  let lost = 0;
  const world = await deployed({
    faults: {
      ...NO_FAULTS,
      onEvent: (event) => {
        if (event.kind === 'cloudformation') return { copies: 2 };
        if (event.kind !== 'autoscaling') return { copies: 3, delayMs: 700 };
        lost += 1;
        return { drop: true };
      },
    },
  });
  await failedOver(world);
  expectServed(world);
  expect(lost).toBeGreaterThan(3);
});

test('old answers of describes do no harm', async () => {
  const world = await deployed({ faults: { ...NO_FAULTS, staleness: (call) => (call.index % 7) * 3000 } });
  await failedOver(world);
  expectServed(world);
});

test('a server that hangs while shutting down keeps its volumes until it is gone', async () => {
  const world = await deployed();
  const lost = ownerOf(world, 'oss-00');
  world.ec2.hangGoingDown(lost, 30 * MINUTE);
  world.ec2.terminate(lost);
  await world.run(29 * MINUTE);
  const volumes = [...world.ec2.volumes.values()].filter((volume) => volume.slot === 'oss-00');
  for (const volume of volumes) expect(world.hosts.writersOf(volume.id)).toEqual([lost]);
  expect(ownerOf(world, 'oss-00')).toBe(lost);
  await world.run(30 * MINUTE, () => world.isServed() && ownerOf(world, 'oss-00') !== lost);
  expectServed(world);
});
