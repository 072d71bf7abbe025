import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandStatus, HostPort, Ports } from '../../../lambda/volume-reconciler/ports';
import { STILL_INSTALLING } from '../../../lambda/volume-reconciler/settings';
import { drive, Process } from './drive';
import { SETTINGS, SILENT, World } from './world';

/** Systems Manager takes commands and does not deliver the next ones; `most` of them. */
function notDelivering(world: World, most: number): HostPort {
  const { hosts } = world.ports();
  const ids = new Set<string>();
  return {
    tell: async (instanceId, order) => {
      if (ids.size === most) return hosts.tell(instanceId, order);
      const id = `undelivered-${ids.size}`;
      ids.add(id);
      return { id };
    },
    statuses: async (asked, now) => {
      const found = { ...(await hosts.statuses(asked, now)) };
      for (const { slot, id, sentAt } of asked.filter((each) => ids.has(each.id))) {
        const over = now - Date.parse(sentAt) >= 60_000;
        found[slot] = over ? { state: 'undelivered', detail: 'Delivery Timed Out' } : { state: 'pending' };
        expect(id).toMatch(/^undelivered-/);
      }
      return found;
    },
  };
}

async function lost(): Promise<World> {
  const world = new World();
  expect((await drive(world, undefined, 'deployment')).outcome).toBe('served');
  world.kill(world.ownerOf('oss-00')!);
  world.advance(1);
  return world;
}

const processOf = (world: World, more: Partial<Ports>) => new Process({ ...world.ports(), ...more });
const abandoned = (world: World) => world.completed.filter((each) => each.endsWith('ABANDON'));

test('what was not delivered is told again and is no failure: the same server serves', async () => {
  const world = await lost();
  await drive(world, processOf(world, { hosts: notDelivering(world, 5) }), 'one', SETTINGS, 250);
  const owner = world.ownerOf('oss-00');
  const { command, reason } = world.map.slots.get('oss-00')!;
  expect(command!.attempts).toBeGreaterThan(3);
  expect(command).toMatchObject({ failures: 0 });
  expect(reason).toBe(`Systems Manager did not deliver the command to ${owner}: Delivery Timed Out`);
  expect((await drive(world, undefined, 'two')).outcome).toBe('served');
  expect(world.ownerOf('oss-00')).toBe(owner);
  expect(world.map.slots.get('oss-00')!.reason).toBeUndefined();
  expect(abandoned(world)).toEqual([]);
  expect(world.violations).toEqual([]);
});

test('a launch that nothing is delivered to is given up at its deadline, and kept as unreachable after three', async () => {
  const world = await lost();
  const last: Record<string, number> = {};
  const log = { ...SILENT, metrics: (_: string, values: object) => Object.assign(last, values) };
  const settings = { ...SETTINGS, recoveryTimeoutSeconds: 600 };
  const process = processOf(world, { log, hosts: notDelivering(world, Number.POSITIVE_INFINITY) });
  await drive(world, process, 'one', settings, 3600);
  expect(abandoned(world)).toHaveLength(3);
  expect(last).toMatchObject({ UnreachableLaunchesKept: 1, FailingLaunchesKept: 0 });
  const { reason, command } = world.map.slots.get('oss-00')!;
  expect(reason).toMatch(/^Systems Manager did not deliver the command to .* is kept for inspection/);
  expect(command).toMatchObject({ failures: 0 });
});

describe('a spare that has been up for days and takes a slot', () => {
  const WITH_SPARE = { ...SETTINGS, spareServers: 1 };
  const installing = {
    state: 'failed',
    exitCode: 75,
    detail: 'the software is still being installed',
  } as const;

  /** Seconds until the slot is served; some hosts are not heard. */
  async function recovery(unheard: (id: string, spare: string) => boolean, says?: CommandStatus) {
    const world = new World(2, 1);
    await drive(world, undefined, 'deployment', WITH_SPARE);
    world.advance(2);
    for (const machine of world.machines.values()) machine.launchedAt -= 86_400_000;
    const [spare] = world.idle();
    world.kill(world.ownerOf('oss-00')!);
    world.advance(1);
    const from = world.now;
    const { hosts } = world.ports();
    const tell: HostPort['tell'] = async (id, order) => {
      if (!unheard(id, spare!)) return hosts.tell(id, order);
      return says ? { id: `unheard-${world.now}` } : { code: 'InvalidInstanceId' };
    };
    const statuses: HostPort['statuses'] = async (asked, now) => {
      const found = { ...(await hosts.statuses(asked, now)) };
      for (const { slot, id } of asked) if (says && id.startsWith('unheard-')) found[slot] = says;
      return found;
    };
    const process = processOf(world, { hosts: { tell, statuses } });
    const { outcome } = await drive(world, process, 'run', WITH_SPARE, 3000);
    expect(world.violations).toEqual([]);
    return { world, spare, outcome, seconds: (world.now - from) / 1000 };
  }

  test.each([
    ['cannot be reached', undefined],
    ['is still being installed', installing],
  ])('is given up after ten minutes when it %s, and the next server serves', async (_name, says) => {
    const { world, spare, outcome, seconds } = await recovery((id, spare) => id === spare, says);
    expect(outcome).toBe('served');
    expect(world.unhealthy).toEqual([spare]);
    expect(seconds).toBeGreaterThan(600);
    expect(seconds).toBeLessThan(800);
  });

  test('has the whole time when it says that something else is missing', async () => {
    const says = { state: 'failed', exitCode: 75, detail: 'the MGS does not answer' } as const;
    const { world, outcome } = await recovery((id, spare) => id === spare, says);
    expect(outcome).toBe('out-of-time');
    expect(world.unhealthy).toEqual([]);
  });

  test('says that it is being installed in the words that are looked for', () => {
    const program = readFileSync(join(__dirname, '../../../constructs/host/bin/sas-grid-serve'), 'utf8');
    expect(program).toContain(`"$EXIT_NOT_YET" 'the software is ${STILL_INSTALLING}'`);
  });
});
