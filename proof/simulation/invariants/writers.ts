import { attached, type Former, served, taken } from '../../kit/invariants/rules';
import type { Doer } from '../aws/observer';
import type { World } from '../aws/world';
import { type Context, type Invariant, seen } from './invariant';

export function oneWriter({ world, violated }: Context): Invariant {
  const name = 'one-writer';
  return {
    name,
    onAttach(id, instanceId, by) {
      // What a person does against all advice is not ours to prevent.
      if (by === 'hand') return;
      for (const what of attached(id, seen(world().ec2, instanceId), formersOf(world(), id)))
        violated(name, what);
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

/** Who has a volume or interface, or had the volume mounted and may have something left to write to it. */
function formersOf({ ec2, hosts }: World, thing: string): Former[] {
  const attachments = ec2.volumes.get(thing)?.attachments ?? [ec2.interfaces.get(thing)?.attachment];
  const having = attachments.flatMap((each) => each?.instanceId ?? []);
  const mounting = [...hosts.all.values()]
    .filter((host) => host.mounted.has(thing) || host.deadMounts.has(thing))
    .map((host) => host.instanceId);
  return [...new Set([...having, ...mounting])].map((id) => ({
    ...seen(ec2, id),
    hasIt: having.includes(id),
  }));
}

export function neverTakenFromLiving({ world, violated }: Context): Invariant {
  const name = 'never-taken-from-living';
  return {
    name,
    onDetach(id, instanceId, by: Doer) {
      if (typeof by === 'string') return;
      for (const what of taken(`${by.operation} took ${id}`, seen(world().ec2, instanceId)))
        violated(name, what);
    },
    onCall({ operation, input }) {
      if (!operation.startsWith('Detach')) return;
      const { InstanceId, Force } = input as { InstanceId?: string; Force?: boolean };
      const from = InstanceId === undefined ? undefined : seen(world().ec2, InstanceId);
      for (const what of taken(`${operation} was asked`, from, Force)) violated(name, what);
    },
  };
}

export function oneServer({ world, violated }: Context): Invariant {
  const name = 'one-server';
  return {
    name,
    onServe({ slot, instanceId }) {
      const others = [...world().hosts.all.values()]
        .filter((other) => other.serving && other.slot === slot)
        .map((other) => seen(world().ec2, other.instanceId));
      for (const what of served(String(slot), instanceId, others)) violated(name, what);
    },
  };
}
