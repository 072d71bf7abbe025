import { parseStep, type StepResult, takeStep } from '../shared/operation/step';
import type { Ports } from './ports';
import type { Settings } from './settings';
import { start } from './start';
import { stop } from './stop';

const WORK = { stop, start };

/**
 * One step of putting a deployment to sleep, or of waking it. It looks at what is, and takes the next safe steps. It
 * deletes nothing, and touches no volume: servers go as they do when they fail, and the reconciler gives the slots
 * away.
 */
export function takeSleepStep(event: unknown, ports: Ports, settings: Settings): Promise<StepResult> {
  const step = parseStep(event);
  if (step.operation !== 'stop' && step.operation !== 'start') {
    throw new Error(`operation is '${step.operation}'; allowed: stop or start`);
  }
  const work = WORK[step.operation];
  return takeStep(step, ports, settings.deadlineSeconds, (_, progress) =>
    work(step, progress, ports, settings),
  );
}
