import type { World } from '../aws/world';
import type { HandEdits } from './hand-edits';
import type { Fault } from './kinds';
import type { Strikes } from './strikes';
import type { Targets } from './targets';

/** Shorter than a pass, so that whoever comes gets the lease. */
const LEASE_GONE_EVERY_MS = 200;

/** What happens to EC2 as a whole, the group, the workflow, the stack and the rows of the map. */
export function accountStrikes(world: World, targets: Targets, edits: HandEdits) {
  const { ec2, group, map, stack, workflows, scheduler, sleeper } = world;
  const startMore = (copies: number): string => {
    for (let copy = 0; copy < copies; copy++) workflows.startByHand();
    return `${copies} more executions`;
  };
  return {
    'no-capacity': (fault) => {
      ec2.noCapacity(fault.ms);
      return 'EC2';
    },
    'some-capacity': (fault) => {
      ec2.capacity.comesAndGoes(scheduler.now(), fault.turns);
      return 'EC2';
    },
    sleep: (fault) => {
      // A tier that is being made, or was deleted, is nobody's to stop.
      if (stack.slots.length === 0 || !stack.verdicts.some(({ ok }) => ok)) return undefined;
      sleeper.sleep(fault.ms);
      return 'the deployment';
    },
    'instance-refresh': (fault) => {
      group.instanceRefresh(fault.launchFirst);
      return 'the group';
    },
    'second-worker': (fault) => startMore(fault.copies),
    'no-lease': (fault) => {
      const whom = startMore(fault.copies);
      for (let ms = 0; ms < fault.ms; ms += LEASE_GONE_EVERY_MS)
        scheduler.after(ms, () => map.deleteRow('lease'), 'no lease');
      return whom;
    },
    deploy: (fault) => {
      if (stack.busy || stack.rollbackFailed) return undefined;
      void deploy(world, fault.change);
      if (fault.rollBackAfterMs !== undefined)
        scheduler.after(fault.rollBackAfterMs, () => stack.rollBack(), 'roll back');
      return 'the stack';
    },
    'lease-by-hand': (fault) => (edits.editLease(fault.edit) ? fault.edit : undefined),
    edit: (fault) => edits.edit(targets.slot(fault.slot), fault.edit),
  } satisfies Strikes;
}

function deploy({ stack }: World, change: Extract<Fault, { kind: 'deploy' }>['change']): Promise<unknown> {
  if (change === 'same') return stack.redeploy();
  return change === 'grow' ? stack.grow() : stack.useAnotherMap();
}
