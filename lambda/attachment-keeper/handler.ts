import { addressOf, answer } from '../shared/answer';
import { describeError } from '../shared/log';
import { momentsOf } from '../shared/one-moment';
import { untilPermitted } from '../shared/permitted';
import { keep, keepForSure } from './keep';
import type { Ports, Settings } from './ports';

/** What a custom resource of CloudFormation asks for, in its property `Requires`. */
const ONE_MOMENT = 'one-moment';

/** What the function did, for its log. */
export interface Handled {
  readonly did: 'answered' | 'looked';
  readonly status?: 'SUCCESS' | 'FAILED';
}

/**
 * Serves the schedule, which looks, and CloudFormation, which makes sure before it ends the instances that have the
 * volumes, and before it makes instances that serve adopted ones. Throws if EC2 refuses what the schedule wants, or if
 * the answer cannot be delivered.
 */
export async function handle(event: unknown, ports: Ports, settings: Settings): Promise<Handled> {
  const address = addressOf(event);
  if (typeof address === 'string') {
    await keep(ports, settings);
    return { did: 'looked' };
  }
  try {
    const [asked, done] = isAboutMoments(event)
      ? [() => requireOneMoment(ports, settings), 'the volumes may be served']
      : [() => keepForSure(ports, settings), 'nothing goes with an instance'];
    await untilPermitted(asked, ports.timer, ports.log);
    return await answer(address, true, done, ports);
  } catch (error) {
    ports.log.error('request failed', { error: describeError(error) });
    return answer(address, false, error instanceof Error ? error.message : String(error), ports);
  }
}

/** Whether CloudFormation asks for `requireOneMoment`, and goes on to nodes. */
function isAboutMoments(event: unknown): boolean {
  const { RequestType, ResourceProperties } = event as { [key: string]: unknown };
  const properties = ResourceProperties as { [key: string]: unknown } | undefined;
  return RequestType !== 'Delete' && properties?.Requires === ONE_MOMENT;
}

/**
 * Nobody asks while nodes have any of the volumes.
 *
 * @throws when the volumes, which are one file system, hold different moments
 */
async function requireOneMoment({ attachments, log }: Ports, { volumeIds }: Settings): Promise<void> {
  const volumes = await attachments.origins(volumeIds);
  // Nodes have some, or EC2 does not know one: the nodes say so.
  if (volumes.length < volumeIds.length) return;
  const { problem, gone } = await momentsOf(volumes, (ids) => attachments.begunAt(ids));
  if (gone.length > 0) log.info('snapshots are gone: their moment is not known', { gone });
  if (problem !== undefined) throw new Error(`the volumes of the cluster ${problem}`);
}
