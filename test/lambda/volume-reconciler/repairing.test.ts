import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandStatus } from '../../../lambda/volume-reconciler/ports';
import { REPAIR_MS, STILL_BRINGING_UP } from '../../../lambda/volume-reconciler/settings';
import { drive, Process } from './drive';
import { saying } from './said';
import { SETTINGS } from './settings';
import { Tier } from './tier';

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
  const tier = await Tier.launched();
  expect((await drive(tier, undefined, 'deployment', SHORT)).outcome).toBe('served');
  await tier.lose('oss-00');
  let first: { readonly instanceId: string; readonly at: number } | undefined;
  const hosts = saying((_, instanceId) => {
    first ??= { instanceId, at: tier.now };
    return instanceId === first.instanceId ? says((tier.now - first.at) / 1000) : undefined;
  });
  const process = new Process(hosts);
  // An execution ends after a while, and the schedule starts the next.
  const idle = hours > 12 ? 55 : 20;
  let result = await drive(tier, process, 'run 0', SHORT, 3600, idle);
  for (let hour = 1; hour < hours && result.outcome !== 'served'; hour++)
    result = await drive(tier, process, `run ${hour}`, SHORT, 3600, idle);
  expect(tier.violations).toEqual([]);
  const { abandoned, abandonedAt } = tier;
  const lasted = ((abandonedAt[0] ?? Number.NaN) - first!.at) / 1000;
  return { ...result, abandoned, sameServer: tier.ownerOf('oss-00') === first?.instanceId, lasted };
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
  const { abandoned, lasted } = await lost((seconds) => (seconds < 60 * MINUTE ? REPAIRING : then), 3);
  expect(abandoned).toHaveLength(1);
  // 20 minutes, since the recovery time-out is shorter.
  expect(lasted).toBeGreaterThan(79 * MINUTE);
  expect(lasted).toBeLessThan(85 * MINUTE);
});

test('a repair that never ends is given up after a day, before the hook gives up', async () => {
  const { outcome, abandoned, lasted } = await lost(() => REPAIRING, 26);
  expect(outcome).toBe('served');
  expect(abandoned).toHaveLength(1);
  expect(lasted).toBeGreaterThan(REPAIR_MS / 1000 - 5 * MINUTE);
  expect(lasted).toBeLessThan(25 * 60 * MINUTE);
});

test('one whose mount waits for multiple-mount protection beyond the recovery time-out is waited for', async () => {
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
