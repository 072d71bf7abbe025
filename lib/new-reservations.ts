import type { DeploymentConfig } from './config-types';

/** The key of the first new capacity reservation in a configuration; undefined when there is none. */
export function newReservationIn({ storage, nfs, io2, grid }: DeploymentConfig): string | undefined {
  const tiers = (['mgs', 'mds', 'oss'] as const).map((tier) => [`storage.${tier}`, storage?.[tier]] as const);
  const places = [...tiers, ['nfs', nfs] as const, ['io2', io2] as const, ['grid', grid] as const];
  const found = places.find(([, place]) => place?.capacityReservation?.startsWith('make'));
  return found && `${found[0]}.capacityReservation`;
}

/** The key of the first list of fallback types in a configuration; undefined when there is none. */
export function fallbackTypesIn({ storage, nfs }: DeploymentConfig): string | undefined {
  const tiers = (['mgs', 'mds', 'oss'] as const).map((tier) => [`storage.${tier}`, storage?.[tier]] as const);
  const found = [...tiers, ['nfs.ebs', nfs?.ebs] as const].find(([, place]) => place?.fallbackInstanceTypes);
  return found && `${found[0]}.fallbackInstanceTypes`;
}
