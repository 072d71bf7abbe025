import type { World } from '../aws/world';
import type { Strikes } from './strikes';
import type { Targets } from './targets';

/** What happens to instances, as EC2 and their group see them. */
export function instanceStrikes({ ec2, group, hosts, scheduler }: World, targets: Targets) {
  return {
    terminate: (fault) => targets.instances(fault.targets, (id) => ec2.terminate(id)),
    stop: (fault) =>
      targets.instance(fault.target, (id) => {
        if (fault.hangMs !== undefined) ec2.hangGoingDown(id, fault.hangMs);
        return ec2.stop(id);
      }),
    'stop-start': (fault) =>
      targets.instance(fault.target, (id) => {
        if (!ec2.stop(id)) return false;
        scheduler.after(fault.ms, () => ec2.start(id), 'start again');
        return true;
      }),
    hang: (fault) =>
      targets.instance(fault.target, (id) => {
        ec2.hangGoingDown(id, fault.ms);
        ec2.terminate(id);
      }),
    'status-check': (fault) =>
      targets.instance(fault.target, (id) => {
        if (fault.hangMs !== undefined) ec2.hangGoingDown(id, fault.hangMs);
        ec2.failStatusCheck(id);
      }),
    'system-check': (fault) =>
      targets.instance(fault.target, (id) => {
        ec2.failStatusCheck(id);
        hosts.agentGone(id, fault.ms);
        // What it was moved from lost its power: the operating system starts again.
        scheduler.after(fault.ms, () => ec2.mend(id) && hosts.reboot(id), 'mended');
      }),
    'health-lie': (fault) => targets.instance(fault.target, (id) => group.lieAboutHealth(id, fault.says)),
    'out-of-group': (fault) => targets.instance(fault.target, (id) => group.detachInstance(id)),
  } satisfies Strikes;
}
