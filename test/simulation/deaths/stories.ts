import type { Timings } from '../../../proof/simulation/aws/timings';
import { World } from '../../../proof/simulation/aws/world';
import { NOTICED_MS } from '../../../proof/simulation/bound';
import { Injector } from '../../../proof/simulation/faults/injector';
import type { Fault } from '../../../proof/simulation/faults/kinds';
import type { Plan } from '../../../proof/simulation/faults/plan';
import type { Scenario } from '../../../proof/simulation/faults/scenario';
import { Checker } from '../../../proof/simulation/invariants/checker';
import { run } from '../../../proof/simulation/run';
import { isAtRest } from '../../../proof/simulation/served';
import { deployment } from '../deployment';

const MINUTE = 60_000;

export interface Story {
  readonly name: string;
  /** Goes through it with these deaths, and says what is wrong of all that must not be. */
  readonly tell: (deaths: readonly Fault[]) => Promise<string[]>;
  /** How it may end: first as it does without a death, then how else, each of which comes about. */
  readonly ends: readonly string[];
  /** The calls at which a function dies. @default - all */
  readonly only?: string;
}

/** A story that `run` tells: with all its invariants, until all is served, and on to see that it stays so. */
function story(
  name: string,
  ends: readonly string[],
  faults: readonly Fault[],
  scenario: Partial<Scenario> = {},
  only?: string,
): Story {
  const plan = (deaths: readonly Fault[]): Plan => ({
    scenario: {
      seed: 2,
      slots: 1,
      volumesPerSlot: 1,
      start: 'served',
      spareServers: 0,
      pace: 'quick',
      recoveryTimeoutSeconds: 900,
      goesOn: true,
      ...scenario,
    },
    // Of two faults for one call the last one counts.
    faults: [...faults, ...deaths],
  });
  const tell = async (deaths: readonly Fault[]): Promise<string[]> => {
    const { violations, servedAfterMs, personActed, hooksTimedOut } = await run(plan(deaths));
    const wrong = violations.map(({ invariant, message }) => `${invariant}: ${message}`);
    if (servedAfterMs === undefined) wrong.push('not all was served');
    // It costs no launch either: the next pass takes up what was left, whoever begins it.
    if ((servedAfterMs ?? 0) > NOTICED_MS)
      wrong.push(`it was served ${servedAfterMs! / MINUTE} minutes later`);
    if (hooksTimedOut > 0) wrong.push('a lifecycle action was left to its time-out');
    // A death is nothing that somebody has to see to.
    if (personActed) wrong.push('it took a person');
    return wrong;
  };
  return { name, tell, ends, only };
}

/** What is waited for costs calls that find nothing new. */
const AT_ONCE: Partial<Timings> = {
  boot: [200, 400],
  attach: [50, 100],
  agent: [50, 100],
  install: [50, 100],
  format: [50, 100],
  mount: [10, 50],
  groupReaction: [50, 100],
  shutdown: [2000, 5000],
};

/** `run` has no stack deleted. */
const deletion: Story = {
  name: 'the tier is deleted',
  ends: ['done, done, 00 let go, 01 let go'],
  tell: async (deaths) => {
    const injector = new Injector(deaths, 2);
    const checker = new Checker(() => 0);
    const tier = new World({
      deployment: deployment(),
      slots: 2,
      volumesPerSlot: 1,
      seed: 2,
      timings: AT_ONCE,
      faults: injector,
      observer: checker.observer,
    });
    checker.watch(tier);
    await tier.finish(tier.stack.deploy());
    await tier.run(MINUTE, () => isAtRest(tier));
    injector.arm(tier.now());
    await tier.finish(tier.stack.delete());
    // Whatever is late comes.
    await tier.run(10 * MINUTE);
    injector.disarm();
    checker.faultsEnd();
    await tier.run(10 * MINUTE);
    const wrong = checker.violations.map(({ invariant, message }) => `${invariant}: ${message}`);
    const held = [...tier.ec2.volumes.values()].filter(({ attachments }) => attachments.length > 0);
    if (held.length > 0) wrong.push(`${held.map(({ id }) => id)} are attached`);
    if (tier.group.members.size > 0) wrong.push('the group has members');
    return wrong;
  },
};

const lost: Fault = { kind: 'terminate', at: 0, targets: [{ owner: 0 }] };
const grow = (rollBackAfterMs?: number): Fault => ({
  kind: 'deploy',
  at: 0,
  change: 'grow',
  ...(rollBackAfterMs === undefined ? {} : { rollBackAfterMs }),
});

/** Calls are struck for so long. */
const strikingFor = (ms: number): Fault => ({ kind: 'clocks-off', at: 0, ms, byMs: 0 });

/** A process stands still, so that a wait has few calls in it that find nothing new. */
const still = (operation: string, nth: number, ms: number): Fault => ({
  kind: 'call',
  worker: 'reconciler',
  operation,
  nth,
  fault: { kind: 'slow', ms },
});

/** So many that hosts are asked by pages. */
const NINE = [0, 1, 2, 3, 4, 5, 6, 7, 8];

export const STORIES: readonly Story[] = [
  story('a tier of two is deployed', ['done, 00 served, 01 served'], [], { slots: 2, start: 'deployment' }),
  // What died is begun again by Lambda a minute later, which is before the workflow that it had started ends.
  story(
    'a tier is deployed, and EC2 has no server for it at first',
    ['done, 00 served'],
    [{ kind: 'no-capacity', at: 0, ms: 70_000 }],
    { start: 'deployment' },
  ),
  story('a server is lost', ['done, 00 served'], [lost]),
  story(
    'a server is replaced with which EC2 would delete what it has',
    ['done, 00 served'],
    [
      { kind: 'not-kept', at: 0, slot: 0, what: 'both' },
      { kind: 'health-lie', at: 1_000, target: { owner: 0 }, says: 'Unhealthy' },
    ],
  ),
  story('an update changes nothing', ['done, done, 00 served'], [{ kind: 'deploy', at: 0, change: 'same' }]),
  story(
    'an update names another map',
    ['done, undone, 00 served'],
    [{ kind: 'deploy', at: 0, change: 'another-map' }],
  ),
  story('a slot is added', ['done, done, 00 served, 01 served'], [grow()]),
  story(
    'a slot is added, and taken back before it has a server',
    ['done, undone, 00 served, 01 let go', 'done, undone, 00 served'],
    [grow(200)],
    { pace: 'usual' },
  ),
  story(
    'a slot is added, and taken back when its server comes',
    [
      'done, undone, 00 served, 01 let go',
      'done, undone, 00 served',
      // Until Lambda begins the rollback's request again, the server has come, and was told to format.
      'done, undone, in vain, 00 served, 01 served',
    ],
    [grow(3_000)],
    { pace: 'usual' },
  ),
  story(
    'a slot is added, and served before it can be taken back',
    [
      'done, undone, in vain, 00 served, 01 served',
      // Until Lambda begins the request again that is to add it, it is undone.
      'done, undone, 00 served',
      'done, undone, 00 served, 01 let go',
    ],
    [grow(30_000)],
  ),
  story(
    'a service hangs, and the prober has its server replaced',
    ['done, 00 served, 01 served'],
    [strikingFor(7 * MINUTE), { kind: 'service-fails', at: 0, target: { owner: 0 }, how: 'hung' }],
    { slots: 2 },
  ),
  story(
    'a server is lost, and EC2 leaves on it what it held',
    ['done, 00 served'],
    [
      { kind: 'stuck-attachment', at: 0, ms: 1, slot: 0, volume: 0, state: 'attached' },
      { kind: 'stuck-interface', at: 0, ms: 1, slot: 0, state: 'attached' },
      still('DescribeVolumes', 6, 80_000),
      still('DescribeVolumes', 7, 36_000),
      lost,
    ],
  ),
  story(
    'a server is lost, and the spare that takes its slot fails',
    ['done, 00 served'],
    [
      { kind: 'host-fails', at: 0, exitCode: 1, times: 3 },
      still('GetCommandInvocation', 2, 4_500),
      still('GetCommandInvocation', 5, 4_500),
      lost,
    ],
    { spareServers: 1 },
  ),
  story(
    'a server is lost, and the next one finds damage that is repaired after a snapshot',
    ['done, 00 served'],
    [{ kind: 'orphans', at: 0, slot: 0, volume: 0, repairMs: 500, failing: 0 }, lost],
  ),
  deletion,
  // What else so many call is in the stories above.
  story(
    'nine servers are lost, and the next ones repair file systems',
    [`done, ${NINE.map((slot) => `0${slot} served`).join(', ')}`],
    [
      ...NINE.map((slot): Fault => ({ kind: 'damaged', at: 0, slot, volume: 0, repairMs: 10_000 })),
      { kind: 'terminate', at: 0, targets: NINE.map((owner) => ({ owner })) },
    ],
    { slots: NINE.length },
    'reconciler ListCommandInvocations',
  ),
  // No other story is long enough for it: what was asked is read five minutes later.
  story(
    'the servers of a grid are asked again and again',
    ['done, 00 served'],
    [strikingFor(11 * MINUTE)],
    {},
    'node-health ListCommandInvocations',
  ),
];
