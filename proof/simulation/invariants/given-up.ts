import type {
  CompleteLifecycleActionCommandInput,
  SetInstanceHealthCommandInput,
} from '@aws-sdk/client-auto-scaling';
import type { Call } from '../aws/call';
import { type Context, type Invariant, slotRows, wasDone } from './invariant';

/** The instance that the reconciler has replaced with this call. */
function givenUpBy({ operation, input, worker }: Call): string | undefined {
  if (!worker.startsWith('reconciler/')) return undefined;
  if (operation === 'SetInstanceHealth') return (input as SetInstanceHealthCommandInput).InstanceId;
  if (operation !== 'CompleteLifecycleAction') return undefined;
  const { LifecycleActionResult, InstanceId } = input as CompleteLifecycleActionCommandInput;
  return LifecycleActionResult === 'ABANDON' ? InstanceId : undefined;
}

/**
 * The reconciler has no server replaced that serves its slot and was not even told so: rows of those that serve may be
 * new.
 */
export function givenUpWithCause({ world, violated }: Context): Invariant {
  const name = 'given-up-with-cause';
  return {
    name,
    onCall(call, outcome) {
      const instanceId = givenUpBy(call);
      if (call.operation !== 'SetInstanceHealth' || instanceId === undefined || !wasDone(outcome)) return;
      const host = world().hosts.all.get(instanceId);
      if (!host?.serving) return;
      for (const [slot, row] of slotRows(world())) {
        const told = (row.command as { epoch?: unknown } | undefined)?.epoch === row.epoch;
        if (row.owner === instanceId && host.slot === slot && host.epoch === row.epoch && !told)
          violated(
            name,
            `${instanceId} serves ${slot} and is to be replaced, though nobody has told it to serve`,
          );
      }
    },
  };
}

/** How recent a host's word has to be that it repairs. */
const HEARD_MS = 600_000;

/**
 * The reconciler has no server replaced that repairs or mounts a file system and has said so: the next one would begin
 * anew.
 */
export function repairsEnd({ world, violated }: Context): Invariant {
  const name = 'repairs-end';
  return {
    name,
    onCall(call, outcome) {
      const instanceId = givenUpBy(call);
      if (instanceId === undefined || !wasDone(outcome)) return;
      const { ec2, hosts } = world();
      // One that ends, or stops, does not get to the end of it.
      if (!hosts.all.get(instanceId)?.isBringingUp || ec2.instances.get(instanceId)?.state !== 'running')
        return;
      for (const [slot, row] of slotRows(world())) {
        const command = row.command as { repairingAt?: unknown } | undefined;
        if (row.owner !== instanceId || row.released) continue;
        if (world().scheduler.now() - Date.parse(String(command?.repairingAt)) < HEARD_MS)
          violated(name, `${instanceId} repairs or mounts a file system of ${slot}, and is to be replaced`);
      }
    },
  };
}
