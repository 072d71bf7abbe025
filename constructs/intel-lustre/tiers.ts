import { Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import { SERVICE_LIMITS } from '../sizing';
import type { LustreServers } from './preset';
import type { IntelLustreProps, LustreServerOptions, LustreStriping } from './props';

/** Everything that is known about the servers of one kind. */
export type Tier = LustreServers & Pick<LustreServerOptions, 'existingVolumes' | 'addresses'>;

// What a stack holds beside the interfaces and volumes of the object storage servers: 107 resources of the file system (three
// tiers, the map, the monitoring page), 44 of a network in the same stack, and 29 for an alarm topic and for what the user adds.
const OTHER_RESOURCES = 180;

const STORAGE_RESOURCES = SERVICE_LIMITS.stackResources.value - OTHER_RESOURCES;

const MAX_OSS = 128;

const KIBIBYTE = 1024;

/** The management or metadata tier: always one server with one target. */
export function singleTier(
  scope: IConstruct,
  kind: string,
  preset: LustreServers,
  options: LustreServerOptions = {},
): Tier {
  const fix = 'Leave it out: distributed metadata and a shared management target are not offered.';
  requireInteger(scope, `${kind}.serverCount`, options.serverCount, 1, 1, fix);
  requireInteger(scope, `${kind}.volumesPerServer`, options.volumesPerServer, 1, 1, fix);
  return merged(preset, options);
}

/** The object storage tier. */
export function objectStorageTier(
  scope: IConstruct,
  preset: LustreServers,
  options: LustreServerOptions = {},
): Tier {
  const tier = merged(preset, options);
  requireInteger(
    scope,
    'oss.serverCount',
    tier.serverCount,
    1,
    MAX_OSS,
    'Throughput grows with the servers; beyond this number use larger ones.',
  );
  requireInteger(
    scope,
    'oss.volumesPerServer',
    tier.volumesPerServer,
    1,
    STORAGE_RESOURCES,
    'Each volume is one Lustre target; use larger volumes instead of more.',
  );
  const resources = tier.serverCount * (tier.volumesPerServer + 1);
  if (resources > STORAGE_RESOURCES) {
    throw invalid(
      scope,
      'The number of interfaces and volumes of the object storage servers',
      resources,
      `up to ${STORAGE_RESOURCES} in one stack (${tier.serverCount} servers with ${tier.volumesPerServer} volumes each)`,
      'Use fewer, larger volumes per server.',
    );
  }
  return tier;
}

function merged(preset: LustreServers, options: LustreServerOptions): Tier {
  return {
    serverCount: options.serverCount ?? preset.serverCount,
    instanceType: options.instanceType ?? preset.instanceType,
    volumesPerServer: options.volumesPerServer ?? preset.volumesPerServer,
    volume: options.volume ?? preset.volume,
    existingVolumes: options.existingVolumes,
    addresses: options.addresses,
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
  const stripeSizeBytes = options.stripeSize?.toBytes() ?? KIBIBYTE * KIBIBYTE;
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
