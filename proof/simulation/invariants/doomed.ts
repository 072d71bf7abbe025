import { doomedThings } from '../aws/ec2/doom';
import { NOTICED_MS } from '../bound';
import type { Context, Invariant } from './invariant';

const LOOK_MS = 10_000;

/**
 * Nothing of a slot is deleted with its server where the project has a say: a termination or a launch that the group
 * gives up is not completed while EC2 would delete something with the instance, and at rest nothing stays so. What ends
 * an instance past its group leaves nobody the time; the simulated EC2 then keeps what it would delete.
 */
export function nothingDeleted({
  world,
  violated,
  beganAt,
  oldestAnswerMs,
  faultsEndedAt,
}: Context): Invariant {
  const name = 'nothing-deleted';
  let nextLook = 0;
  return {
    name,
    onGroupTerminates(instanceId) {
      const ended = [...world().group.actions]
        .reverse()
        .find((action) => action.instanceId === instanceId)?.ended;
      // Of what ran into its time-out another invariant asks why (`completed-once`).
      if (ended?.by === undefined) return;
      const began = beganAt(ended.by);
      // Whoever looked before, or at an old answer, could not know.
      for (const { id, instanceId: holder, since } of doomedThings(world().ec2))
        if (holder === instanceId && since < began - oldestAnswerMs(began))
          violated(
            name,
            `${id} is deleted with ${instanceId}, whose end was let go on ` +
              `${seconds(world().scheduler.now() - since)} after it came to be so`,
          );
    },
    onStep(now) {
      const ended = faultsEndedAt();
      if (ended === undefined || now.scheduler.now() < nextLook) return;
      nextLook = now.scheduler.now() + LOOK_MS;
      for (const { id, instanceId, since } of doomedThings(now.ec2)) {
        const instance = now.ec2.instances.get(instanceId);
        if (instance?.state !== 'running') continue;
        const from = Math.max(since, ended, instance.stateSince);
        if (now.scheduler.now() - from > NOTICED_MS)
          violated(
            name,
            `${id} is to be deleted with ${instanceId}, for ${NOTICED_MS / 60_000} minutes at rest`,
          );
      }
    },
  };
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
