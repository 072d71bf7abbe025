import { addressOf, answer } from '../shared/answer';
import { describeError } from '../shared/log';
import { untilPermitted } from '../shared/permitted';
import { keep, keepForSure } from './keep';
import type { Ports, Settings } from './ports';

/** What the function did, for its log. */
export interface Handled {
  readonly did: 'answered' | 'looked';
  readonly status?: 'SUCCESS' | 'FAILED';
}

/**
 * Serves the schedule, which looks, and CloudFormation, which makes sure before it ends the instances that have the
 * volumes. Throws if EC2 refuses what the schedule wants, or if the answer cannot be delivered.
 */
export async function handle(event: unknown, ports: Ports, settings: Settings): Promise<Handled> {
  const address = addressOf(event);
  if (typeof address === 'string') {
    await keep(ports, settings);
    return { did: 'looked' };
  }
  try {
    await untilPermitted(() => keepForSure(ports, settings), ports.timer, ports.log);
    return await answer(address, true, 'nothing goes with an instance', ports);
  } catch (error) {
    ports.log.error('request failed', { error: describeError(error) });
    return answer(address, false, error instanceof Error ? error.message : String(error), ports);
  }
}
