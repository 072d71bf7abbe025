import type { Action } from './actions';
import type { Settings } from './settings';
import type { View } from './view';

/**
 * A volume or interface of the tier that EC2 would delete with the instance that has it. `AttachVolume` and
 * `AttachNetworkInterface` never make it so, and no policy of CloudFormation has a say in it; but anybody may set it on
 * a running instance (EC2 API reference, ModifyInstanceAttribute, where it is even the default), and rules for tidy
 * accounts ask for it (AWS Config, `ec2-volume-inuse-check` with `deleteOnTermination`).
 */
export interface Doomed {
  readonly id: string;
  readonly instanceId: string;
  /** Of a volume. */
  readonly device?: string;
  /** Of an interface. */
  readonly attachmentId?: string;
}

/** Of rows that cannot be read and of slots that are let go, too: their data is to outlive the servers all the more. */
export function doomedOf({ volumes, interfaces, instanceOf }: View): Doomed[] {
  const ofVolumes = volumes.flatMap(({ id, attachments }) =>
    attachments
      .filter((attachment) => attachment.deleteOnTermination)
      .map(({ instanceId, device }) => ({ id, instanceId, device })),
  );
  const ofInterfaces = interfaces.flatMap(({ id, attachment }) =>
    attachment?.deleteOnTermination
      ? [{ id, instanceId: attachment.instanceId, attachmentId: attachment.id }]
      : [],
  );
  // What an instance took with it is gone, and is shown for a moment longer.
  return [...ofVolumes, ...ofInterfaces].filter(
    ({ instanceId }) => instanceOf(instanceId)?.state !== 'terminated',
  );
}

/** States of an instance whose end has not begun: what it has can still be kept. */
const SAVABLE: readonly (string | undefined)[] = ['pending', 'running', 'stopping', 'stopped'];

/**
 * Makes them outlive their instances: one call for all volumes of an instance, as a device is named and not a volume.
 */
export function keepDoomed(doomed: readonly Doomed[], view: View): Action[] {
  const holders = new Set(doomed.map(({ instanceId }) => instanceId));
  // Instances that the describes do not show are none of the tier's, and its reconciler may change nothing of them.
  const savable = [...holders].filter((id) => SAVABLE.includes(view.instanceOf(id)?.state));
  return savable.flatMap((instanceId) => {
    const here = doomed.filter((each) => each.instanceId === instanceId);
    const volumes = here.filter((each) => each.device !== undefined);
    const ofInterfaces = here.flatMap(({ id, attachmentId }): Action[] =>
      attachmentId === undefined
        ? []
        : [{ kind: 'keep-interface', instanceId, interfaceId: id, attachmentId }],
    );
    if (volumes.length === 0) return ofInterfaces;
    const volumeIds = volumes.map(({ id }) => id);
    const devices = volumes.map(({ device }) => device!);
    return [{ kind: 'keep-volumes', instanceId, volumeIds, devices }, ...ofInterfaces];
  });
}

/**
 * Whether a step would begin, or let go on, the end of an instance that takes something with it. One that waits for its
 * termination still runs, and waits on until what it has is kept.
 */
export function endsSomething(
  action: Action,
  doomed: readonly Doomed[],
  view: View,
  settings: Settings,
): boolean {
  const ends =
    action.kind === 'mark-unhealthy' ||
    (action.kind === 'complete' && (action.result === 'ABANDON' || action.hook === settings.terminateHook));
  if (!ends || !SAVABLE.includes(view.instanceOf(action.instanceId)?.state)) return false;
  return doomed.some(({ instanceId }) => instanceId === action.instanceId);
}
