import { parseStep, type StepResult, takeStep } from '../shared/operation/step';
import { measureAge } from './age';
import { backup } from './backup';
import type { Ports } from './ports';
import type { Settings } from './settings';

/** One step of a backup; or, each hour, how old the newest one is. It touches no volume. */
export async function handle(
  event: unknown,
  ports: Ports,
  settings: Settings,
): Promise<StepResult | { readonly ageSeconds: number }> {
  if ((event as { action?: unknown } | null)?.action === 'measure') return measureAge(ports, settings);
  const step = parseStep(event);
  if (step.operation !== 'backup') throw new Error(`operation is '${step.operation}'; allowed: backup`);
  return takeStep(step, ports, settings.deadlineSeconds, (_, progress) =>
    backup(step, progress, ports, settings),
  );
}
