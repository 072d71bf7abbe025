import type { Host } from '../../lambda/shared/host';
import { OptionError } from '../arguments';
import { type FoundDeployment, outputOf } from '../deployment';

export interface HostsAws {
  /** Those with the tag of the deployment that are not terminated. */
  hosts(deployment: string): Promise<Host[]>;
  /** Who serves which slot, by the slot. */
  owners(table: string): Promise<ReadonlyMap<string, string>>;
}

/** All hosts of a deployment, with their slots. */
export async function hostsOf(deployment: FoundDeployment, aws: HostsAws): Promise<Host[]> {
  const table = outputOf(deployment, 'VolumeMapTable');
  const owners = table === undefined ? new Map<string, string>() : await aws.owners(table);
  const slots = new Map([...owners].map(([slot, owner]) => [owner, slot]));
  const hosts = (await aws.hosts(deployment.name)).map((host) => ({
    ...host,
    slot: slots.get(host.instanceId),
  }));
  return hosts.sort((a, b) => calledBy(a).localeCompare(calledBy(b), 'en', { numeric: true }));
}

/** How people call it. */
export const calledBy = ({ slot, name, instanceId }: Host): string => slot ?? name ?? instanceId;

/** @throws OptionError that lists the hosts when it is none of them, or more than one */
export function chosen(hosts: readonly Host[], word: string): Host {
  const found = hosts.filter(({ instanceId, slot, name }) => [instanceId, slot, name].includes(word));
  if (found.length === 1) return found[0]!;
  const known = hosts.map((host) => `${calledBy(host)} (${host.instanceId})`).join(', ') || 'there are none';
  throw new OptionError(
    found.length === 0
      ? `'${word}' is no host of the deployment; there are: ${known}.`
      : `'${word}' is the name of ${found.length} hosts: name one by its slot or its id: ${known}.`,
  );
}
