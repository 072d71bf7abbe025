import { check } from './check';
import { finish } from './finish';
import type { Ports } from './ports';
import { type Prepared, type PrepareEvent, prepare } from './prepare';
import { type Progress, type StepCall, start } from './start';

/** The steps of the workflow. Each is level-triggered: called twice, or after a crash, it does no harm. */
export async function handle(
  event: unknown,
  ports: Ports,
): Promise<Prepared | Progress | { runKey: string }> {
  const bag = (typeof event === 'object' && event !== null ? event : {}) as Record<string, unknown>;
  switch (bag.action) {
    case 'prepare':
      return prepare(event as PrepareEvent, ports);
    case 'start':
      return start(callOf(bag), ports);
    case 'check':
      return check(callOf(bag), ports);
    case 'finish':
      return finish({ runId: runIdOf(bag), problem: bag.problem }, ports);
    default:
      throw new Error(`action is ${JSON.stringify(bag.action)}; allowed: prepare, start, check, finish`);
  }
}

function callOf(bag: Record<string, unknown>): StepCall {
  const { step } = bag;
  if (!Number.isInteger(step) || (step as number) < 0) {
    throw new Error(`step is ${JSON.stringify(step)}; allowed: a whole number from 0`);
  }
  return { runId: runIdOf(bag), step: step as number };
}

function runIdOf({ runId }: Record<string, unknown>): string {
  if (typeof runId === 'string' && /^\d{8}T\d{6}Z-[0-9a-f]{4}$/.test(runId)) return runId;
  throw new Error(`runId is ${JSON.stringify(runId)}; allowed: such as 20261122T101500Z-4f1c`);
}
