import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandStatus, HostPort, Ports } from '../../../lambda/volume-reconciler/ports';
import { STILL_INSTALLING } from '../../../lambda/volume-reconciler/settings';
import { drive, Process } from './drive';
import { saying } from './said';
import { SETTINGS, SILENT } from './settings';
import { Tier } from './tier';

/** Systems Manager takes commands and does not deliver the next ones; `most` of them. */
function notDelivering(most: number): (ports: Ports) => { hosts: HostPort } {
  const ids = new Set<string>();
  return ({ hosts }) => ({
    hosts: {
      tell: async (instanceId, order) => {
        if (ids.size === most) return hosts.tell(instanceId, order);
        const id = `undelivered-${ids.size}`;
        ids.add(id);
        return { id };
      },
      statuses: async (asked, now) => {
        const heard = asked.filter(({ id }) => !ids.has(id));
        const found = { ...(await hosts.statuses(heard, now)) };
        for (const { slot, sentAt } of asked.filter(({ id }) => ids.has(id))) {
          const over = now - Date.parse(sentAt) >= 60_000;
          found[slot] = over ? { state: 'undelivered', detail: 'Delivery Timed Out' } : { state: 'pending' };
        }
        return found;
      },
    },
  });
}

async function lost(): Promise<Tier> {
  const tier = await Tier.launched();
  expect((await drive(tier, undefined, 'deployment')).outcome).toBe('served');
  await tier.lose('oss-00');
  return tier;
}

test('what was not delivered is told again and is no failure: the same server serves', async () => {
  const tier = await lost();
  await drive(tier, new Process(notDelivering(5)), 'one', SETTINGS, 250);
  const owner = tier.ownerOf('oss-00');
  const { command, reason } = tier.rowOf('oss-00');
  expect(command!.attempts).toBeGreaterThan(3);
  expect(command).toMatchObject({ failures: 0 });
  expect(reason).toBe(`Systems Manager did not deliver the command to ${owner}: Delivery Timed Out`);
  expect((await drive(tier, undefined, 'two')).outcome).toBe('served');
  expect(tier.ownerOf('oss-00')).toBe(owner);
  expect(tier.rowOf('oss-00').reason).toBeUndefined();
  expect(tier.abandoned).toEqual([]);
  expect(tier.violations).toEqual([]);
});

test('a launch that nothing reaches is given up at its deadline, and kept as unreachable after three', async () => {
  const tier = await lost();
  const last: Record<string, number> = {};
  const log = { ...SILENT, metrics: (_: string, values: object) => Object.assign(last, values) };
  const settings = { ...SETTINGS, recoveryTimeoutSeconds: 600 };
  const mute = notDelivering(Number.POSITIVE_INFINITY);
  const process = new Process((ports) => ({ log, ...mute(ports) }));
  await drive(tier, process, 'one', settings, 3600);
  expect(tier.abandoned).toHaveLength(3);
  expect(last).toMatchObject({ UnreachableLaunchesKept: 1, FailingLaunchesKept: 0 });
  const { reason, command } = tier.rowOf('oss-00');
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
    const tier = await Tier.launched({ spareServers: 1 });
    await drive(tier, undefined, 'deployment', WITH_SPARE);
    await tier.advance(2);
    tier.world.ec2.growOld(86_400_000);
    const [spare] = tier.idle;
    await tier.lose('oss-00');
    const from = tier.now;
    const mute = saying((_, id) => (unheard(id, spare!) ? (says ?? 'unreachable') : undefined));
    const process = new Process(mute);
    const { outcome } = await drive(tier, process, 'run', WITH_SPARE, 3000, 5);
    expect(tier.violations).toEqual([]);
    return { tier, spare, outcome, seconds: (tier.now - from) / 1000 };
  }

  test.each([
    ['cannot be reached', undefined],
    ['is still being installed', installing],
  ])('is given up after ten minutes when it %s, and the next server serves', async (_name, says) => {
    const { tier, spare, outcome, seconds } = await recovery((id, spare) => id === spare, says);
    expect(outcome).toBe('served');
    expect(tier.unhealthy).toEqual([spare]);
    expect(seconds).toBeGreaterThan(600);
    expect(seconds).toBeLessThan(800);
  });

  test('has the whole time when it says that something else is missing', async () => {
    const says = { state: 'failed', exitCode: 75, detail: 'the MGS does not answer' } as const;
    const { tier, outcome } = await recovery((id, spare) => id === spare, says);
    expect(outcome).toBe('out-of-time');
    expect(tier.unhealthy).toEqual([]);
  });

  test('says that it is being installed in the words that are looked for', () => {
    const program = readFileSync(join(__dirname, '../../../constructs/host/bin/sas-grid-serve'), 'utf8');
    expect(program).toContain(`"$EXIT_NOT_YET" 'the software is ${STILL_INSTALLING}'`);
  });
});
