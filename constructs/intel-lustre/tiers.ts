import { Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import {
  invalid,
  isConcrete,
  knownBytes,
  requireInteger,
  requireKnownInteger,
  requireKnownList,
} from '../private/validation';
import { SERVICE_LIMITS } from '../sizing';
import type { LustreServers } from './preset';
import type { IntelLustreProps, LustreStriping } from './props';
import type { LustreServerOptions } from './server-options';

/** Everything that is known about the servers of one kind. */
export type Tier = LustreServers &
  Pick<
    LustreServerOptions,
    | 'standby'
    | 'existingVolumes'
    | 'restoreFrom'
    | 'addresses'
    | 'capacityReservation'
    | 'fallbackInstanceTypes'
  >;

// What a stack holds beside the interfaces and volumes of the object storage servers: 147 resources of the file system
// (three tiers, the map, the monitoring page), 44 of a network in the same stack, and 39 for spares, a game day, an
// alarm topic and for what the user adds. The sum decides which servers are in nested stacks, and never changes.
const OTHER_RESOURCES = 230;

/** What of the object storage servers is in the stack of the file system; the rest is in nested stacks. */
export const STORAGE_RESOURCES = SERVICE_LIMITS.stackResources.value - OTHER_RESOURCES;

/** As many as some instance type attaches; which attaches how many, VolumeReattachment looks up. */
const MAX_VOLUMES = 37;

/** The largest number that was deployed (to the embedded AWS). */
export const MAX_OSS = 128;

const KIBIBYTE = 1024;

/** The management or metadata tier: always one server with one target. */
export function singleTier(
  scope: IConstruct,
  kind: string,
  preset: LustreServers,
  options: LustreServerOptions = {},
): Tier {
  const fix = 'Leave it out: distributed metadata and a shared management target are not offered.';
  requireKnownInteger(scope, `${kind}.serverCount`, options.serverCount, 1, 1, fix);
  requireKnownInteger(scope, `${kind}.volumesPerServer`, options.volumesPerServer, 1, 1, fix);
  return merged(preset, options);
}

/** The object storage tier. */
export function objectStorageTier(
  scope: IConstruct,
  preset: LustreServers,
  options: LustreServerOptions = {},
): Tier {
  const tier = merged(preset, options);
  requireKnownInteger(
    scope,
    'oss.serverCount',
    tier.serverCount,
    1,
    MAX_OSS,
    'Throughput grows with the servers; beyond this number use larger ones.',
  );
  requireKnownInteger(
    scope,
    'oss.volumesPerServer',
    tier.volumesPerServer,
    1,
    MAX_VOLUMES,
    'Each volume is one Lustre target; use larger volumes instead of more.',
  );
  return tier;
}

function merged(preset: LustreServers, options: LustreServerOptions): Tier {
  return {
    serverCount: options.serverCount ?? preset.serverCount,
    instanceType: options.instanceType ?? preset.instanceType,
    volumesPerServer: options.volumesPerServer ?? preset.volumesPerServer,
    volume: options.volume ?? preset.volume,
    standby: options.standby,
    existingVolumes: options.existingVolumes,
    restoreFrom: options.restoreFrom,
    addresses: options.addresses,
    capacityReservation: options.capacityReservation,
    fallbackInstanceTypes: options.fallbackInstanceTypes,
  };
}

/** Rejects a name that Lustre cannot write into a target's label. */
export function requireFileSystemName(scope: IConstruct, name: string): void {
  if (Token.isUnresolved(name)) {
    throw invalid(
      scope,
      'fileSystemName',
      'a token',
      'a name known at synthesis',
      'It is written into every target and can never change; spell it out.',
    );
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9_-]{0,7}$/.test(name)) {
    throw invalid(
      scope,
      'fileSystemName',
      name,
      "1 to 8 letters, digits, '_' or '-', not beginning with '-'",
      "Shorten it, for example to 'sasdata'. The mount point can have any name.",
    );
  }
}

/** The default striping as Lustre takes it. */
export function striping(
  scope: IConstruct,
  targets: number,
  options: LustreStriping = {},
): { stripeCount: number; stripeSizeBytes: number } {
  const stripeCount = options.stripeCount ?? -1;
  if (
    isConcrete(stripeCount) &&
    stripeCount !== -1 &&
    !(Number.isInteger(stripeCount) && stripeCount >= 1 && stripeCount <= targets)
  ) {
    throw invalid(
      scope,
      'striping.stripeCount',
      stripeCount,
      `-1 (all targets), or a whole number from 1 to the ${targets} object storage targets`,
      'Use -1 to spread each file over all targets.',
    );
  }
  const stripeSizeBytes = options.stripeSize
    ? knownBytes(scope, 'striping.stripeSize', options.stripeSize)
    : KIBIBYTE * KIBIBYTE;
  const step = 64 * KIBIBYTE;
  if (stripeSizeBytes % step !== 0 || stripeSizeBytes < step || stripeSizeBytes >= 4 * KIBIBYTE ** 3) {
    throw invalid(
      scope,
      'striping.stripeSize in bytes',
      stripeSizeBytes,
      'a multiple of 65536 (64 KiB), less than 4 GiB',
      'Use 1 MiB unless you have measured another to be better.',
    );
  }
  return { stripeCount, stripeSizeBytes };
}

/** Rejects a value of the client options that a host cannot use. */
export function checkClientOptions(scope: IConstruct, props: IntelLustreProps): void {
  requireInteger(
    scope,
    'client.lockLruSize',
    props.client?.lockLruSize,
    1,
    1_000_000,
    'Leave it out to let the servers size it; AWS uses 100 per vCPU for FSx clients.',
  );
}

/** Rejects a kept volume that two tiers name. Within one tier VolumeReattachment looks. */
export function refuseSharedVolumes(scope: IConstruct, tiers: { readonly [kind: string]: Tier }): void {
  for (const [kind, { existingVolumes }] of Object.entries(tiers)) {
    requireKnownList(scope, `${kind}.existingVolumes`, existingVolumes);
  }
  refuseShared(scope, 'existingVolumes', tiers, ({ existingVolumes }) => existingVolumes ?? []);
  refuseMixedSets(scope, tiers);
}

/** Targets of different sets would be served all the same, and files would be a mixture. */
function refuseMixedSets(scope: IConstruct, tiers: { readonly [kind: string]: Tier }): void {
  const all = Object.entries(tiers);
  const restored = all.filter(([, { restoreFrom }]) => restoreFrom !== undefined);
  // Of a token the seeding of the map tells.
  if (restored.length === 0 || restored.some(([, { restoreFrom }]) => Token.isUnresolved(restoreFrom?.set)))
    return;
  const sets = new Set(all.map(([, { restoreFrom }]) => restoreFrom?.set));
  if (sets.size > 1) {
    throw invalid(
      scope,
      'restoreFrom.set',
      all.map(([kind, { restoreFrom }]) => `${kind}: ${restoreFrom?.set ?? 'none'}`).join(', '),
      'one set for all tiers',
      'cdk-sas-grid restore writes the configuration of a whole set.',
    );
  }
  for (const [kind, { addresses }] of restored) {
    if (addresses !== undefined) continue;
    throw invalid(
      scope,
      `${kind}.addresses`,
      'missing',
      'the addresses that the servers of the set had',
      "Targets know the management server's and their own addresses. cdk-sas-grid restore writes them.",
    );
  }
}

/** Rejects an address of two tiers: one that both name, or one that the network has given to the other. */
export function refuseSharedAddresses(
  scope: IConstruct,
  tiers: { readonly [kind: string]: { readonly slots: readonly { readonly address: string }[] } },
): void {
  refuseShared(scope, 'addresses', tiers, ({ slots }) => slots.map(({ address }) => address));
}

function refuseShared<T>(
  scope: IConstruct,
  what: string,
  tiers: { readonly [kind: string]: T },
  valuesOf: (tier: T) => readonly string[],
): void {
  const owners = new Map<string, string>();
  for (const [kind, tier] of Object.entries(tiers)) {
    for (const value of valuesOf(tier).filter(isConcrete)) {
      const other = owners.get(value);
      if (other !== undefined && other !== kind) {
        const fix = `It is one of ${other}, too; every server needs its own.`;
        throw invalid(scope, `${kind}.${what}`, value, 'what no other tier has', fix);
      }
      owners.set(value, kind);
    }
  }
}
