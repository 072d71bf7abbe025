import type { CommandStatus, HostPort, Order, Ports } from '../../../lambda/volume-reconciler/ports';

/**
 * What a host is to say of an order; undefined: it does as the simulated host does. Or Systems
 * Manager does not take the command: `refused` for a moment, or the host is `unreachable`.
 */
export type Says = (order: Order, instanceId: string) => CommandStatus | keyof typeof CODES | undefined;

const CODES = { refused: 'ThrottlingException', unreachable: 'InvalidInstanceId' } as const;

/** Hosts that say what a test has them say, in place of the simulated ones. */
export function saying(says: Says): (ports: Ports) => { hosts: HostPort } {
  const said = new Map<string, CommandStatus>();
  return ({ hosts }) => ({
    hosts: {
      tell: async (instanceId, order) => {
        const answer = says(order, instanceId);
        if (answer === undefined) return hosts.tell(instanceId, order);
        if (answer === 'refused' || answer === 'unreachable') return { code: CODES[answer] };
        const id = `said-${said.size}`;
        said.set(id, answer);
        return { id };
      },
      statuses: async (asked, now) => {
        const others = asked.filter(({ id }) => !said.has(id));
        const found = { ...(await hosts.statuses(others, now)) };
        for (const { slot, id } of asked) if (said.has(id)) found[slot] = said.get(id)!;
        return found;
      },
    },
  });
}
