import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Call, CallFault } from '../../simulation/aws/call';
import type { Timings } from '../../simulation/aws/timings';
import { World } from '../../simulation/aws/world';
import { NOTICED_MS } from '../../simulation/bound';
import { useDefinition } from '../../simulation/definition';
import { Injector } from '../../simulation/faults/injector';
import type { Fault } from '../../simulation/faults/kinds';
import type { Plan, Scenario } from '../../simulation/faults/plan';
import { Checker } from '../../simulation/invariants/checker';
import { run } from '../../simulation/run';
import { isAtRest, isSettled } from '../../simulation/served';
import { deployment } from './deployment';

/*
 * Each function dies before and after each single call that it makes, one death a run: first a story without one, which
 * says what is called and in which order, then the same story twice for each of its calls.
 */

const MINUTE = 60_000;
const LAMBDA = resolve(__dirname, '../../lambda');
const DEATHS = ['crash-before', 'crash-after'] as const;

/** What the three functions call. The deaths have to be at these and no others. */
const CALLS: { readonly [worker: string]: { readonly source: string; readonly operations: string[] } } = {
  reconciler: {
    source: 'volume-reconciler',
    operations: [
      'AttachNetworkInterface',
      'AttachVolume',
      'CompleteLifecycleAction',
      'CreateSnapshot',
      'CreateTags',
      'DescribeAutoScalingGroups',
      'DescribeInstances',
      'DescribeNetworkInterfaces',
      'DescribeSnapshots',
      'DescribeVolumes',
      'DetachNetworkInterface',
      'DetachVolume',
      'GetCommandInvocation',
      'ListCommandInvocations',
      'ModifyInstanceAttribute',
      'ModifyNetworkInterfaceAttribute',
      'Query',
      'RecordLifecycleActionHeartbeat',
      'SendCommand',
      'SetInstanceHealth',
      'TransactWriteItems',
      'UpdateItem',
    ],
  },
  seed: {
    source: 'volume-map-resource',
    operations: [
      'DescribeVolumes',
      'PutAnswer',
      'Query',
      'StartExecution',
      'TransactWriteItems',
      'UpdateItem',
    ],
  },
  prober: {
    source: 'health-prober',
    operations: [
      'DescribeAutoScalingGroups',
      'DescribeInstanceInformation',
      'DescribeInstanceRefreshes',
      'DescribeStacks',
      'ListCommandInvocations',
      'Query',
      'SendCommand',
      'SetInstanceHealth',
      'TransactWriteItems',
      'UpdateItem',
    ],
  },
};

/** A call that a function made while faults struck. */
interface Made {
  readonly worker: string;
  readonly invocation: string;
  readonly operation: string;
  readonly fault: CallFault['kind'] | undefined;
}

/**
 * What their sources name besides: reads in cases that no story has, on which nothing rests that is written. An agent
 * that is too old only changes words (aws.test.ts of the reconciler), and the seed compares snapshots of adopted volumes
 * before it writes anything (one-moment.test.ts).
 */
const ONLY_READ: { readonly [worker: string]: readonly string[] } = {
  reconciler: ['DescribeInstanceInformation'],
  seed: ['DescribeSnapshots'],
};

interface Story {
  readonly name: string;
  /** Goes through it with these deaths, and says what is wrong of all that must not be. */
  readonly tell: (deaths: readonly Fault[]) => Promise<string[]>;
  /** How it may end: first as it does without a death, then how else, each of which comes about. */
  readonly ends: readonly string[];
  /** The calls at which a function dies. @default - all */
  readonly only?: string;
}

/** What was called in it. */
let made: Made[] = [];
/** The one of the last story. */
let world: World;
/** Whether all was over in it when calls were struck no more. */
let wasOver = false;
const struck = new Set<string>();

/** Nothing that `run` returns says what was called, in which order, and what became of the stack. */
beforeAll(() => {
  useDefinition({ 900: deployment() });
  const { onCall, arm, disarm } = Injector.prototype;
  const { watch } = Checker.prototype;
  let isArmed = false;
  Injector.prototype.arm = function (now: number): void {
    made = [];
    isArmed = true;
    arm.call(this, now);
  };
  Injector.prototype.disarm = function (): void {
    isArmed = false;
    wasOver = isSettled(world);
    disarm.call(this);
  };
  Injector.prototype.onCall = function (call: Call): CallFault | undefined {
    const fault = onCall.call(this, call);
    const worker = call.worker.slice(0, call.worker.indexOf('/'));
    if (isArmed)
      made.push({ worker, invocation: call.worker, operation: call.operation, fault: fault?.kind });
    return fault;
  };
  Checker.prototype.watch = function (watched: World): void {
    world = watched;
    watch.call(this, watched);
  };
});

/** What became of the operations on the stack and of the slots. */
function end(): string {
  const { stack, map } = world;
  const rows = [...map.items.entries()].flatMap(([item, row]) => {
    const [, slot] = /^slot#\w+-(\d+)$/.exec(item) ?? [];
    return slot === undefined ? [] : [`${slot} ${row.released ? 'let go' : row.phase}`];
  });
  const operations = stack.verdicts.map(({ ok }) => (ok ? 'done' : 'undone'));
  return [...operations, ...(stack.rollbackFailed ? ['in vain'] : []), ...rows].join(', ');
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

const STORIES: readonly Story[] = [
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
];

const nameOf = ({ worker, operation }: Made): string => `${worker} ${operation}`;

/** The death of a function at the call with this index. */
function deathAt(calls: readonly Made[], index: number, kind: (typeof DEATHS)[number]): Fault {
  const { worker, operation } = calls[index]!;
  const nth = calls.slice(0, index + 1).filter((call) => nameOf(call) === nameOf(calls[index]!)).length;
  return { kind: 'call', worker, operation, nth, fault: { kind } };
}

const died = ({ fault }: Made): boolean => fault?.startsWith('crash') === true;

/** What is wrong with how a death struck: that call and no other, and the process did nothing any more. */
function wrongDeath(expected: readonly Made[], index: number, kind: (typeof DEATHS)[number]): string[] {
  const before = (calls: readonly Made[]): string => calls.slice(0, index).map(nameOf).join();
  const deaths = made.filter(died);
  const call = made[index];
  const wrong: string[] = [];
  if (before(made) !== before(expected)) wrong.push('other calls were made before it');
  if (deaths.length !== 1 || call === undefined || deaths[0] !== call || call.fault !== kind)
    wrong.push(`it struck ${deaths.map((each) => `${nameOf(each)} ${each.fault}`).join() || 'nothing'}`);
  else if (nameOf(call) !== nameOf(expected[index]!)) wrong.push(`it struck ${nameOf(call)}`);
  else if (
    kind === 'crash-before' &&
    made.slice(index + 1).some(({ invocation }) => invocation === call.invocation)
  )
    wrong.push('it lived on');
  return wrong;
}

test.each(STORIES)(
  '$name, and a function dies before or after any call',
  async ({ tell, ends, only }) => {
    expect(await tell([])).toEqual([]);
    expect(end()).toBe(ends[0]);
    const calls = made;
    expect(calls.filter(died)).toEqual([]);
    // Later calls are of passes and rounds that find all at rest, as the last ones here are.
    expect(wasOver).toBe(true);
    const failures: object[] = [];
    const ended = new Set([end()]);
    for (const [index, call] of calls.entries()) {
      if (only !== undefined && nameOf(call) !== only) continue;
      for (const kind of DEATHS) {
        const death = deathAt(calls, index, kind);
        const wrong = [...(await tell([death])), ...wrongDeath(calls, index, kind)];
        if (!ends.includes(end())) wrong.push(`it ended otherwise: ${end()}`);
        ended.add(end());
        if (wrong.length > 0) failures.push({ death, wrong });
        else struck.add(`${nameOf(call)} ${kind}`);
      }
    }
    expect(failures).toEqual([]);
    expect([...ended].sort()).toEqual([...ends].sort());
  },
  600_000,
);

/** Operations that the sources of a function name, by what they take from the SDK, and the answer to CloudFormation. */
function operationsIn(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const found: string[] = [];
  for (const [, names, from] of text.matchAll(/^import\s[^;'"]*?\{([^}]*)\}\s*from\s*'([^']+)'/gm)) {
    if (from!.startsWith('@aws-sdk/')) {
      for (const [, command, pages] of names!.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g))
        found.push(command ?? pages!);
    } else if (from!.startsWith('.')) {
      if (names!.includes('HttpAnswers')) found.push('PutAnswer');
      const next = join(dirname(file), `${from}.ts`);
      if (existsSync(next)) found.push(...operationsIn(next, seen));
    }
  }
  return found;
}

test.each(Object.entries(CALLS))('%s calls nothing else', (worker, { source, operations }) => {
  const named = [...operations, ...(ONLY_READ[worker] ?? [])].sort();
  expect([...new Set(operationsIn(join(LAMBDA, source, 'index.ts')))].sort()).toEqual(named);
});

test('each function has died before and after each operation that it calls', () => {
  const pairs = Object.entries(CALLS).flatMap(([worker, { operations }]) =>
    operations.map((operation) => `${worker} ${operation}`),
  );
  expect([...struck].sort()).toEqual(
    pairs.flatMap((pair) => DEATHS.map((death) => `${pair} ${death}`)).sort(),
  );
});
