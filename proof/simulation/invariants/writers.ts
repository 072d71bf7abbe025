import type { Doer } from '../aws/observer';
import { type Context, canWrite, type Invariant, stateOf, wasDone } from './invariant';

/** No volume is attached to an instance while another one that held it can still write. */
export function oneWriter({ world, violated }: Context): Invariant {
  const name = 'one-writer';
  return {
    name,
    onAttach(id, instanceId, by) {
      // What a person does against all advice is not ours to prevent.
      if (by === 'hand') return;
      const { hosts } = world();
      for (const host of hosts.all.values()) {
        if (host.instanceId === instanceId) continue;
        const held = host.mounted.has(id) || host.deadMounts.has(id);
        if (held && canWrite(world(), host.instanceId)) {
          const state = stateOf(world(), host.instanceId);
          violated(
            name,
            `${id} is attached to ${instanceId}, but ${host.instanceId} (${state}) had it mounted and can still write`,
          );
        }
      }
    },
    onMount(volumeId, instanceId) {
      const attachment = world().ec2.volumes.get(volumeId)?.attachments[0];
      if (attachment?.instanceId !== instanceId)
        violated(
          name,
          `${instanceId} mounts ${volumeId}, which is attached to ${attachment?.instanceId ?? 'nothing'}`,
        );
    },
  };
}

/** A volume or interface is detached from an instance that was terminated, never from one that lives. */
export function nothingTaken({ world, violated }: Context): Invariant {
  const name = 'nothing-taken';
  return {
    name,
    onDetach(id, instanceId, by: Doer) {
      if (typeof by === 'string' || !canWrite(world(), instanceId)) return;
      violated(name, `${by.operation} took ${id} from ${instanceId} (${stateOf(world(), instanceId)})`);
    },
    onCall(call, outcome) {
      const { Force } = call.input as { Force?: boolean };
      if (Force && wasDone(outcome))
        violated(name, `${call.operation} was forced: ${JSON.stringify(call.input)}`);
      if (!call.operation.startsWith('Detach') || !wasDone(outcome)) return;
      const { InstanceId } = call.input as { InstanceId?: string };
      if (InstanceId && canWrite(world(), InstanceId))
        violated(
          name,
          `${call.operation} was asked of ${InstanceId} (${stateOf(world(), InstanceId)}): ${JSON.stringify(call.input)}`,
        );
    },
  };
}

/** Never do two live hosts serve one slot. */
export function oneServer({ world, violated }: Context): Invariant {
  const name = 'one-server';
  return {
    name,
    onServe(host) {
      for (const other of world().hosts.all.values()) {
        if (other === host || !other.serving || other.slot !== host.slot) continue;
        if (canWrite(world(), other.instanceId))
          violated(
            name,
            `${host.slot} is served by ${host.instanceId} and by ${other.instanceId} (${stateOf(world(), other.instanceId)})`,
          );
      }
    },
  };
}
