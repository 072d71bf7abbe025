import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandStatus, HostPort } from '../../../lambda/volume-reconciler/ports';
import { REPAIR_MS, STILL_BRINGING_UP } from '../../../lambda/volume-reconciler/settings';
import { drive, Process } from './drive';
import { SETTINGS, World } from './world';

const SHORT = { ...SETTINGS, recoveryTimeoutSeconds: 900 };

/** A host that is at work, as its last line says it. */
const atWork = (words: string): CommandStatus => ({
  state: 'failed',
  exitCode: 75,
  detail: `sasfs-OST0000 is ${words}; call again`,
});
const REPAIRING = atWork('still being repaired');
const MINUTE = 60;

/**
 * A server is lost, and the first one after it does not get to serve.
 *
 * @param says what becomes of a command of that server, by the seconds since it was sent first; undefined: it serves
 */
async function lost(says: (seconds: number) => CommandStatus | 'refused' | undefined, hours: number) {
  const world = new World();
  expect((await drive(world, undefined, 'deployment', SHORT)).outcome).toBe('served');
  world.kill(world.ownerOf('oss-00')!);
  world.advance(1);
  const { hosts } = world.ports();
  const sent = new Map<string, CommandStatus>();
  let first: { readonly instanceId: string; readonly at: number } | undefined;
  const tell: HostPort['tell'] = async (instanceId, order) => {
    first ??= { instanceId, at: world.now };
    const said = instanceId === first.instanceId ? says((world.now - first.at) / 1000) : undefined;
    if (said === undefined) return hosts.tell(instanceId, order);
    if (said === 'refused') return { code: 'ThrottlingException' };
    const id = `said-${sent.size}`;
    sent.set(id, said);
    return { id };
  };
  const statuses: HostPort['statuses'] = async (asked, now) => {
    const found = { ...(await hosts.statuses(asked, now)) };
    for (const { slot, id } of asked) if (sent.has(id)) found[slot] = sent.get(id)!;
    return found;
  };
  const process = new Process({ ...world.ports(), hosts: { tell, statuses } });
  // An execution ends after a while, and the schedule starts the next.
  let result = await drive(world, process, 'run 0', SHORT, 3600, 20);
  for (let hour = 1; hour < hours && result.outcome !== 'served'; hour++)
    result = await drive(world, process, `run ${hour}`, SHORT, 3600, 20);
  expect(world.violations).toEqual([]);
  const abandoned = world.completed.filter((each) => each.endsWith('ABANDON'));
  const owner = world.ownerOf('oss-00');
  return { ...result, world, abandoned, sameServer: owner === first?.instanceId, first: first! };
}

test('a server that repairs a file system for hours is waited for, and serves', async () => {
  const { outcome, abandoned, sameServer } = await lost(
    (seconds) => (seconds < 180 * MINUTE ? REPAIRING : undefined),
    5,
  );
  expect({ outcome, abandoned, sameServer }).toEqual({ outcome: 'served', abandoned: [], sameServer: true });
});

test('also while Systems Manager refuses commands for minutes', async () => {
  const { outcome, abandoned, sameServer } = await lost((seconds) => {
    if (seconds >= 60 * MINUTE) return undefined;
    return seconds > 30 * MINUTE && seconds < 45 * MINUTE ? 'refused' : REPAIRING;
  }, 2);
  expect({ outcome, abandoned, sameServer }).toEqual({ outcome: 'served', abandoned: [], sameServer: true });
});

const MISSING = { state: 'failed', exitCode: 75, detail: '1 of 2 targets are mounted so far' } as const;

test('one that has repaired is not late at once when it says something else: it has the time of a launch', async () => {
  const { outcome, abandoned, sameServer } = await lost((seconds) => {
    if (seconds >= 130 * MINUTE) return undefined;
    return seconds < 120 * MINUTE ? REPAIRING : MISSING;
  }, 5);
  expect({ outcome, abandoned, sameServer }).toEqual({ outcome: 'served', abandoned: [], sameServer: true });
});

test.each([
  ['is not heard any more', 'refused'],
  ['lacks something else', MISSING],
] as const)('one that has repaired and %s is given up after that time', async (_name, then) => {
  const { abandoned, world, first } = await lost((seconds) => (seconds < 60 * MINUTE ? REPAIRING : then), 3);
  expect(abandoned).toHaveLength(1);
  const lasted = (world.machines.get(first.instanceId)!.endedAt! - first.at) / 1000;
  // 20 minutes, since the recovery time-out is shorter.
  expect(lasted).toBeGreaterThan(79 * MINUTE);
  expect(lasted).toBeLessThan(85 * MINUTE);
});

test('a repair that never ends is given up after a day, before the hook gives up', async () => {
  const { outcome, abandoned, world, first } = await lost(() => REPAIRING, 26);
  expect(outcome).toBe('served');
  expect(abandoned).toHaveLength(1);
  const lasted = world.machines.get(first.instanceId)!.endedAt! - first.at;
  expect(lasted).toBeGreaterThan(REPAIR_MS - 5 * MINUTE * 1000);
  expect(lasted).toBeLessThan(25 * 60 * MINUTE * 1000);
});

test('one whose mount waits for multiple-mount protection for longer than the recovery time-out is waited for', async () => {
  const MOUNTING = atWork('still being mounted, for 700 s at most');
  const { outcome, abandoned, sameServer } = await lost(
    (seconds) => (seconds < 25 * MINUTE ? MOUNTING : undefined),
    2,
  );
  expect({ outcome, abandoned, sameServer }).toEqual({ outcome: 'served', abandoned: [], sameServer: true });
});

test.each(['repaired', 'mounted'])(
  'of a file system that is being %s, hosts say so in the words that are looked for',
  (what) => {
    const folder = mkdtempSync(join(tmpdir(), 'repairing-'));
    const library = join(__dirname, '../../../constructs/host/lib/background.sh');
    const said = execFileSync(
      'bash',
      ['-euo', 'pipefail', '-c', `. ${library}; doing ${what} sasfs-OST0000 /dev/none; still_at_work`],
      { env: { ...process.env, ROOT: folder }, encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
    expect(said).toMatch(new RegExp(`^sasfs-OST0000 is (${STILL_BRINGING_UP.join('|')});`));
    expect(said).toContain(what);
  },
);
