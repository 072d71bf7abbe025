import { addressOf, answer } from '../shared/answer';
import { describeError } from '../shared/log';
import { momentsOf } from '../shared/one-moment';
import { untilPermitted } from '../shared/permitted';
import { keep, keepForSure } from './keep';
import type { Ports, Settings } from './ports';
import { requireWholeSet } from './whole-set';

/** What a custom resource of CloudFormation asks for, in its property `Requires`. */
const ONE_MOMENT = 'one-moment';
const WHOLE_SET = 'whole-set';

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
    const check = checkIn(event);
    const [asked, done] = check
      ? [() => check(ports, settings), 'the volumes may be served']
      : [() => keepForSure(ports, settings), 'nothing goes with an instance'];
    await untilPermitted(asked, ports.timer, ports.log);
    return await answer(address, true, done, ports);
  } catch (error) {
    ports.log.error('request failed', { error: describeError(error) });
    return answer(address, false, error instanceof Error ? error.message : String(error), ports);
  }
}

type Check = (ports: Ports, settings: Settings) => Promise<void>;

/** What CloudFormation wants to be sure of before it goes on to nodes; undefined when it asks for something else. */
function checkIn(event: unknown): Check | undefined {
  const { RequestType, ResourceProperties } = event as { [key: string]: unknown };
  const properties = (ResourceProperties ?? {}) as { [key: string]: unknown };
  if (RequestType === 'Delete') return undefined;
  if (properties.Requires === ONE_MOMENT) return requireOneMoment;
  if (properties.Requires !== WHOLE_SET) return undefined;
  const { BackupSet, Tier, Slot } = properties;
  const wanted = { set: String(BackupSet), tier: String(Tier), slot: String(Slot) };
  return (ports, settings) => requireWholeSet(ports, settings, wanted);
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
