import type { Context, Invariant } from './invariant';
import { slotRows } from './invariant';

/** What a slot has that no night may change. */
const identityOf = ({ volumes, address, networkInterfaceId }: { readonly [name: string]: unknown }) =>
  JSON.stringify({ volumes, address, networkInterfaceId });

/** Once a stop is done nothing can write; what slept comes back with the same volumes at the same address. */
export function comesBack({ world, violated }: Context): Invariant {
  const name = 'comes-back';
  let before: ReadonlyMap<string, string> | undefined;
  const rows = (): Map<string, string> =>
    new Map(
      // One that somebody has made unreadable is put right by a person.
      [...slotRows(world())]
        .filter(([, row]) => row.networkInterfaceId !== undefined)
        .map(([slot, row]) => [slot, identityOf(row)]),
    );
  return {
    name,
    onOperationEnd(operation, outcome) {
      const { group, hosts, map, stack } = world();
      if (outcome !== 'done') return;
      if (operation === 'stop') {
        before = rows();
        // A deployment gives the group its size, and with it servers, whoever sleeps.
        if (stack.busy || group.desired > 0 || !map.items.has('sleep')) return;
        const writer = [...group.members.keys()].find((id) => hosts.all.get(id)?.mounted.size);
        if (writer !== undefined)
          violated(name, `${writer} has a volume mounted while the deployment sleeps`);
        return;
      }
      if (map.items.has('sleep')) violated(name, 'it was started, and the map says that it sleeps');
      if (group.desired < stack.slots.length && !stack.busy)
        violated(name, `it was started, and its group has ${group.desired} servers`);
      const after = rows();
      for (const [slot, identity] of before ?? []) {
        const found = after.get(slot);
        if (found !== undefined && found !== identity)
          violated(name, `${slot} was ${identity}, and is ${found}`);
      }
      before = undefined;
    },
  };
}
