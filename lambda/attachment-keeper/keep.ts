import { describeError, errorName } from '../shared/log';
import type { Doomed, Ports, Settings } from './ports';

/** EC2's answers are eventually consistent: for so long one may tell of before a change, milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 2_000;

/**
 * Has EC2 keep what it would delete with an instance. Each thing is tried, whatever becomes of the others.
 *
 * @returns what was found
 * @throws when EC2 refused any
 */
export async function keep({ attachments, log }: Ports, settings: Settings): Promise<readonly Doomed[]> {
  const { volumeIds, interfaceIds } = settings;
  const volumes = await attachments.doomedVolumes(volumeIds);
  const interfaces = await attachments.doomedInterfaces(interfaceIds);
  const refusals: { readonly text: string; readonly name: string }[] = [];
  const tryEach = async (doomed: Doomed, kept: Promise<void>): Promise<void> => {
    try {
      await kept;
      log.info('kept', { ...doomed });
    } catch (error) {
      const text = `${doomed.id} at ${doomed.instanceId}: ${describeError(error)}`;
      refusals.push({ text, name: errorName(error) });
    }
  };
  for (const doomed of volumes) await tryEach(doomed, attachments.keepVolume(doomed));
  for (const doomed of interfaces) await tryEach(doomed, attachments.keepInterface(doomed));
  const found = [...volumes, ...interfaces];
  log.metrics(settings.tag, { AttachmentsNotKept: found.length });
  if (refusals.length > 0) {
    const text = `EC2 does not keep what it would delete: ${refusals.map((one) => one.text).join('; ')}`;
    // A permission that is missing is waited for elsewhere.
    throw Object.assign(new Error(text), { name: refusals[0]!.name });
  }
  return found;
}

/**
 * The same until EC2 says that nothing goes with an instance any more.
 *
 * @throws when that takes longer than a minute, with what is left
 */
export async function keepForSure(ports: Ports, settings: Settings): Promise<void> {
  const end = ports.timer.now() + PATIENCE_MS;
  for (;;) {
    const found = await keep(ports, settings);
    if (found.length === 0) return;
    if (ports.timer.now() >= end) {
      const left = found.map(({ id, instanceId }) => `${id} at ${instanceId}`).join(', ');
      throw new Error(
        `EC2 would delete with its instance (DeleteOnTermination): ${left}. Somebody sets it again and again: ` +
          'find out who, then delete the stack once more.',
      );
    }
    await ports.timer.sleep(PAUSE_MS);
  }
}
