import { Duration, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { IEphemeralScratch } from '../ephemeral-scratch';
import { tellOtherVpc, tellUnseenZone } from '../private/in-network';
import { checkDomainInZone, zoneNameOf } from '../private/published-name';
import { checkSignalTimeout } from '../private/resource-signal';
import {
  invalid,
  isConcrete,
  requireInteger,
  requireKnownInteger,
  requireKnownList,
  requireRootDevice,
} from '../private/validation';
import type { ISharedFileSystem } from '../shared-file-system';
import { requireMountPoint } from '../shared-file-system/mount-point';
import type { SasGridClusterProps } from './props';

// An interface, an instance, a name and an alarm per server; CloudFormation takes 500 resources per stack.
const MAX_NODES = 100;

const LABEL = /^[a-z][a-z0-9-]{0,61}[a-z0-9]$|^[a-z]$/;

// A name in DNS has 253 characters at most; the host's label and a dot come before.
const MAX_DOMAIN = 253 - 64;

const isDomain = (name: string): boolean =>
  name.length <= MAX_DOMAIN && /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))+$/.test(name);

/** Everything about a grid, defaults filled in. The names are those of all planned servers. */
export interface CheckedGrid {
  readonly names: string[];
  readonly domainName: string;
  readonly mountPoint: string;
  readonly lsfDirectory: string;
  readonly sasDirectory: string;
  readonly sasUid: number;
  readonly sasGid: number;
}

/** Checks the properties that no other construct checks, and fills in the defaults. */
export function checkedGrid(scope: IConstruct, props: SasGridClusterProps): CheckedGrid {
  requireKnownInteger(
    scope,
    'nodeCount',
    props.nodeCount,
    1,
    MAX_NODES,
    'A grid has at least one node beside its control server; build a second cluster for more.',
  );
  const planned = props.plannedNodeCount ?? props.nodeCount;
  requireKnownInteger(
    scope,
    'plannedNodeCount',
    planned,
    props.nodeCount,
    MAX_NODES,
    'Plan for at least the nodes there are.',
  );
  const names = [
    props.controlName ?? 'control',
    ...Array.from({ length: planned }, (_, index) => `${props.nodeNamePrefix ?? 'node'}${index + 1}`),
  ];
  checkNames(scope, names);
  tellOtherVpc(scope, 'securityGroup', props.securityGroup, props.network.vpc);
  tellOtherVpc(scope, 'subnet', props.subnet, props.network.vpc);
  tellUnseenZone(scope, props.hostedZone, props.network.vpc);
  const zone = zoneNameOf(scope, props.hostedZone);
  const domainName = props.domainName ?? zone ?? 'sas-grid.internal';
  if (!Token.isUnresolved(domainName) && !isDomain(domainName)) {
    throw invalid(
      scope,
      'domainName',
      domainName,
      `two or more lower-case labels of letters, digits and dashes joined by dots, ${MAX_DOMAIN} characters at most`,
      "For example 'sas-grid.internal'.",
    );
  }
  checkDomainInZone(scope, domainName, zone);
  checkAddresses(scope, props.addresses, names);
  requireRootDevice(scope, props.rootDeviceName);
  checkSignalTimeout(scope, 'installTimeout', props.installTimeout);
  const mountPoint = props.mountPoint ?? '/sasdata';
  requireMountPoint(scope, 'mountPoint', mountPoint);
  checkPorts(scope, props.additionalPorts);
  return {
    names,
    domainName,
    mountPoint,
    lsfDirectory: onSharedFileSystem(scope, 'lsfDirectory', props.lsfDirectory, mountPoint, 'lsf'),
    sasDirectory: onSharedFileSystem(scope, 'sasDirectory', props.sasDirectory, mountPoint, 'sas'),
    ...accountOf(scope, props),
  };
}

/** The numbers of the account that owns SAS, checked. */
export function accountOf(
  scope: IConstruct,
  { sasUid = 5000, sasGid = 5000 }: { readonly sasUid?: number; readonly sasGid?: number },
): { readonly sasUid: number; readonly sasGid: number } {
  const fix = 'Choose a number that no other account of the image has.';
  requireInteger(scope, 'sasUid', sasUid, 1000, 60_000, fix);
  requireInteger(scope, 'sasGid', sasGid, 1000, 60_000, fix);
  return { sasUid, sasGid };
}

/** Rejects what is no TCP port. */
export function checkPorts(scope: IConstruct, ports: readonly number[] = []): void {
  for (const port of ports) {
    requireKnownInteger(scope, 'additionalPorts', port, 1, 65_535, 'Name the TCP ports of your SAS servers.');
  }
}

/** How long what is left on the scratch has to be untouched before it goes; undefined: nothing goes. */
export function cleanUpAfter(scope: IConstruct, after = Duration.hours(72)): Duration | undefined {
  const hours = after.isUnresolved() ? after.toString() : after.toHours({ integral: false });
  if (typeof hours === 'string' || !Number.isInteger(hours) || hours > 8760) {
    throw invalid(
      scope,
      'cleanUpScratchAfter in hours',
      hours,
      'a whole number from 0 to 8760 that is known at synthesis',
      'For example Duration.hours(72); zero removes nothing.',
    );
  }
  return hours === 0 ? undefined : after;
}

function checkNames(scope: IConstruct, names: string[]): void {
  for (const name of names) {
    if (!LABEL.test(name)) {
      throw invalid(
        scope,
        'A host name',
        name,
        'a lower-case letter, then lower-case letters, digits and dashes, 63 characters at most',
        'Change controlName or nodeNamePrefix; LSF and DNS take plain labels only.',
      );
    }
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw invalid(
      scope,
      'controlName',
      twice,
      'a name that no node has',
      'Change controlName or nodeNamePrefix.',
    );
  }
}

function checkAddresses(scope: IConstruct, addresses: string[] | undefined, names: string[]): void {
  if (!addresses) return;
  requireKnownList(scope, 'addresses', addresses);
  const fix = "Name the control server's first, then the nodes' in order.";
  if (addresses.length !== names.length) {
    throw invalid(scope, 'The number of addresses', addresses.length, `${names.length}, one per server`, fix);
  }
  const known = addresses.filter(isConcrete);
  const twice = known.find((address, index) => known.indexOf(address) !== index);
  if (twice !== undefined) {
    throw invalid(scope, 'addresses', twice, 'a different address for each server', fix);
  }
  const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
  const bad = known.find((address) => !new RegExp(`^${octet}(\\.${octet}){3}$`).test(address));
  if (bad !== undefined) {
    throw invalid(scope, 'addresses', bad, "IPv4 addresses inside the servers' subnet", fix);
  }
}

/** Rejects a mount point that scratch covers, or that covers scratch. */
export function checkMountPoint(
  scope: IConstruct,
  mountPoint: string,
  scratch: readonly IEphemeralScratch[],
): void {
  if (!isConcrete(mountPoint)) return;
  const below = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`);
  const paths = scratch.flatMap(({ sasworkPath, utillocPath }) => [sasworkPath, utillocPath]);
  const hit = paths.find((path) => below(mountPoint, path) || below(path, mountPoint));
  if (hit === undefined) return;
  const fix = 'For example /sasdata; what is mounted first would be hidden by the other.';
  throw invalid(
    scope,
    'mountPoint',
    mountPoint,
    `a path outside the scratch space ${hit}, and not one that it is in`,
    fix,
  );
}

function onSharedFileSystem(
  scope: IConstruct,
  what: string,
  directory: string | undefined,
  mountPoint: string,
  name: string,
): string {
  const path = directory ?? `${mountPoint}/${name}`;
  requireMountPoint(scope, what, path);
  if (isConcrete(path) && isConcrete(mountPoint) && !path.startsWith(`${mountPoint}/`)) {
    throw invalid(
      scope,
      what,
      path,
      `a directory below ${mountPoint}`,
      'It must lie on the shared file system, where every server sees it and where it outlives each of them.',
    );
  }
  return path;
}

/** Rejects a file system on volumes that are attached to its own hosts: these are the grid. */
export function requireServed(scope: IConstruct, fileSystem: ISharedFileSystem): void {
  // By its method: of an object of another copy of the library, too.
  if (!('addGrid' in fileSystem)) return;
  const fix =
    'No other host can reach its volumes. Leave SasGridCluster out and call addGrid() of the ' +
    'Io2BlockExpressGfs2: its hosts become the grid, as many as nodeCount says there.';
  throw invalid(
    scope,
    'sharedFileSystem',
    fileSystem,
    'a file system that hosts mount over the network',
    fix,
  );
}
