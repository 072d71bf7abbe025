import type { Subject } from '../findings';
import type { Zone } from '../needs/needs';

/** Finds the names of zones that are known by a subnet only. */
export async function zoneNames({ needs, aws }: Subject): Promise<(zone: Zone) => string | undefined> {
  const zones = [...needs.hosts.map(({ zone }) => zone), ...needs.endpoints.flatMap((one) => one.zones)];
  const subnets = [...new Set(zones.flatMap(({ subnet }) => subnet ?? []))];
  const found = subnets.length > 0 ? await aws.zonesOfSubnets(subnets) : [];
  const names = new Map(found.map(({ id, zone }) => [id, zone]));
  return ({ name, subnet }) => name ?? (subnet === undefined ? undefined : names.get(subnet));
}
