import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { labelOf } from '../../proof/simulation/faults/kinds';
import { planOf } from '../../proof/simulation/faults/plan';
import type { Report } from '../../proof/simulation/report';
import { EXHAUSTIVE, upTo } from '../helpers/exhaustive';
import { RUNS as ALL_RUNS, BASE_SEED } from './seeds';

const ROOT = resolve(__dirname, '../..');

const RUNS = upTo(ALL_RUNS, 50);

/**
 * The labels of all faults that strike in these runs. Not taken from the code: there one that is never drawn any more
 * would not be missed.
 */
const OFTEN = [
  'agent-gone',
  'carrier-lost',
  'call conflict',
  'call crash-after',
  'call crash-before',
  'call late',
  'call server-error-after',
  'call server-error-before',
  'call slow',
  'call throttle',
  'call timeout-after',
  'call timeout-before',
  'clocks-off',
  'cloudformation doubled',
  'cloudformation late',
  'damaged',
  'orphans',
  'slow-volume',
  'deploy another-map',
  'deploy grow',
  'deploy grow, rolled back',
  'deploy same',
  'deploy same, rolled back',
  'event doubled',
  'event late',
  'event lost',
  'events-lost',
  'hang',
  'health-lie',
  'hook-times-out',
  'host-fails',
  'host-hangs',
  'instance-refresh',
  'invocation refused',
  'invocation twice',
  'lease-by-hand',
  'moved-by-hand',
  'network-manager',
  'no-capacity',
  'no-lease',
  'not-kept',
  'out-of-group',
  'packet-filter',
  'path-lost',
  'permissions-late',
  'probe-lies',
  'reboot',
  'root-replaced',
  'schedule doubled',
  'second-worker',
  'sleep',
  'service-fails',
  'services-fail',
  'silent-service',
  'some-capacity',
  'stale',
  'status-check',
  'stop',
  'stop-start',
  'stuck-attachment',
  'stuck-interface',
  'system-check',
  'terminate',
  'throttling',
  'upgrade',
];

/** Of these some four at most are expected in so few runs. */
const SELDOM = [
  'deploy another-map, rolled back',
  'detach-by-hand',
  'edit delete-owner-row',
  'edit delete-row',
  'edit lower-epoch',
  'edit not-formatted',
  'edit owner-of-another',
  'edit raise-epoch',
  'edit remove-owner',
  'edit unknown-owner',
  'edit unreadable',
  'interface-by-hand',
  'looks-blank',
  'schedule late',
  'schedule lost',
];

/** In the plans of so many seeds each fault is drawn some twenty times. */
const PLANS = 3000;

/** Runs the command line as `make simulate` does. */
function simulate(...args: string[]) {
  const tsx = join(ROOT, 'node_modules/.bin/tsx');
  return spawnSync(tsx, ['proof/simulation/cli.ts', ...args], { cwd: ROOT, encoding: 'utf8' });
}

const reportOf = (name: string): Report =>
  JSON.parse(readFileSync(join(ROOT, 'out/simulation', name), 'utf8'));

describe('the code as it is', () => {
  test('violates no invariant', () => {
    const done = simulate(
      '--runs',
      String(RUNS),
      '--seed',
      String(BASE_SEED),
      '--report',
      'out/simulation/test.json',
    );
    expect(`${done.stdout}${done.stderr}`).toContain(`${RUNS.toLocaleString('en-US')}, seeds`);
    expect(done.status).toBe(0);
    const { summary } = reportOf('test.json');
    expect(summary.runs).toBe(RUNS);
    expect(summary.failures).toEqual([]);
    expect(summary.worstShare.share).toBeLessThanOrEqual(1);
  });

  test('met every kind of fault', () => {
    const { injected } = reportOf('test.json').summary;
    const missing = OFTEN.filter((label) => injected[label] === undefined);
    // A third of the runs does not meet them all.
    expect(missing.length).toBeLessThan(EXHAUSTIVE ? 1 : OFTEN.length / 4);
    const unknown = Object.keys(injected).filter((label) => ![...OFTEN, ...SELDOM].includes(label));
    expect(unknown).toEqual([]);
    // By hand: each edit is rare, all of them are not.
    expect(SELDOM.filter((label) => label.startsWith('edit ') && injected[label])).not.toEqual([]);
  });

  test('has every kind of fault in its plans, and no other', () => {
    const drawn = new Set<string>();
    for (let seed = BASE_SEED; seed < BASE_SEED + PLANS; seed++)
      for (const fault of planOf(seed).faults) drawn.add(labelOf(fault));
    expect([...drawn].sort()).toEqual([...OFTEN, ...SELDOM].sort());
  });
});

describe('the command', () => {
  test('prints the trace of a run, the same each time', () => {
    const trace = () =>
      simulate('--runs', '1', '--seed', '7', '--trace', '--report', 'out/simulation/one.json');
    const first = trace();
    expect(first.status).toBe(0);
    expect(first.stdout).toContain('AttachVolume');
    // Its digits make the table as wide as it is.
    const timeless = (text: string) => text.replace(/^rate .*$/m, '').replace(/-+/g, '-');
    expect(timeless(trace().stdout)).toBe(timeless(first.stdout));
  });

  test('prints a failing seed with the command that shows it again, and its shortest trace', () => {
    const args = ['--runs', '400', '--seed', '1', '--stop', '--mutation', 'no-fencing-wait'];
    const done = simulate(...args, '--report', 'out/simulation/failing.json');
    expect(done.status).toBe(1);
    const { seed } = reportOf('failing.json').summary.failures[0]!;
    expect(done.stdout).toContain(`--runs 1 --seed ${seed} --trace --mutation no-fencing-wait`);
    expect(done.stdout).toMatch(/Shortest trace, found in \d+ runs/);
    expect(done.stdout).toMatch(
      /VIOLATION {2}released-after-end: .* was taken from i-\w+, which was shutting-down/,
    );
  });

  test('runs only those seeds that have the faults that are asked for', () => {
    const first = 300;
    const count = 60;
    const wanted = Array.from({ length: count }, (_, index) => planOf(first + index)).filter(({ faults }) =>
      faults.some((fault) => fault.kind === 'deploy' && fault.change === 'grow'),
    );
    expect(wanted.length).toBeGreaterThan(0);
    const args = ['--runs', String(count), '--seed', String(first), '--report', 'out/simulation/chosen.json'];
    const done = simulate(...args, '--with', 'deploy grow');
    expect(reportOf('chosen.json').summary.runs).toBe(wanted.length);
    expect(done.stdout).toContain(`${wanted.length}, of the seeds from 300 those with deploy grow`);
    expect(simulate(...args, '--with', 'deploy gr').stdout).toContain(
      'None of these seeds has faults of all of: deploy gr',
    );
  });

  test.each([
    [['--with', 'edit', '--resume', 'out/soak.json'], '--resume adds up all runs of the code as it is'],
    [['--runs', '0'], "--runs is '0'; allowed: a whole number from 1 to 1000000000"],
    [['--mutation', 'none'], 'unknown mutation none; there are no-fencing-wait'],
    [['--sede', '1'], 'There is no option --sede; did you mean --seed?'],
  ])('refuses %j', (args, message) => {
    const done = simulate(...args);
    expect(done.stderr).toContain(message);
    expect(done.status).toBe(2);
  });
});
