import { join, resolve } from 'node:path';
import type { Call, CallFault } from '../../proof/simulation/aws/call';
import type { World } from '../../proof/simulation/aws/world';
import { useDefinition } from '../../proof/simulation/definition';
import { Injector } from '../../proof/simulation/faults/injector';
import type { Fault } from '../../proof/simulation/faults/kinds';
import { Checker } from '../../proof/simulation/invariants/checker';
import { isSettled } from '../../proof/simulation/served';
import { CALLS, ONLY_READ, operationsIn } from './deaths/calls';
import { STORIES } from './deaths/stories';
import { deployment } from './deployment';

/*
 * Each function dies before and after each single call that it makes, one death a run: first a story without one, which
 * says what is called and in which order, then the same story twice for each of its calls.
 */

const LAMBDA = resolve(__dirname, '../../lambda');
const DEATHS = ['crash-before', 'crash-after'] as const;

/** A call that a function made while faults struck. */
interface Made {
  readonly worker: string;
  readonly invocation: string;
  readonly operation: string;
  readonly fault: CallFault['kind'] | undefined;
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
