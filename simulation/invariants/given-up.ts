import type { SetInstanceHealthCommandInput } from '@aws-sdk/client-auto-scaling';
import { type Context, type Invariant, slotRows, wasDone } from './invariant';

/** The reconciler has no server replaced that serves its slot and was not even told so: rows of those that serve may be new. */
export function givenUpWithCause({ world, violated }: Context): Invariant {
  const name = 'given-up-with-cause';
  return {
    name,
    onCall({ operation, input, worker }, outcome) {
      if (operation !== 'SetInstanceHealth' || !worker.startsWith('reconciler/') || !wasDone(outcome)) return;
      const { InstanceId } = input as SetInstanceHealthCommandInput;
      const host = world().hosts.all.get(String(InstanceId));
      if (!host?.serving) return;
      for (const [slot, row] of slotRows(world())) {
        const told = (row.command as { epoch?: unknown } | undefined)?.epoch === row.epoch;
        if (row.owner === InstanceId && host.slot === slot && host.epoch === row.epoch && !told)
          violated(
            name,
            `${InstanceId} serves ${slot} and is to be replaced, though nobody has told it to serve`,
          );
      }
    },
  };
}
