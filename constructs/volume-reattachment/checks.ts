import { Annotations, Duration, Token } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { type HostBundle, HostRole } from '../host';
import { filesOf } from '../host/files';
import { warnOfBandwidth } from '../private/server-bandwidth';
import {
  gibibytes,
  invalid,
  isConcrete,
  requireInstanceType,
  requireInteger,
  requireKnownInteger,
  requireKnownList,
  requireMinutes,
  requireRootDevice,
  sizeInGiB,
} from '../private/validation';
import { ebsVolumeProblems, instanceTypeFacts, type LimitName, maxDataVolumes } from '../sizing';
import type { VolumeReattachmentProps } from './props';
import { checkSlotStacks } from './slot-stacks';
import { warnOfStorageQuota } from './storage-quota';

/** More servers than this in one tier have not been thought through. */
const MAX_SLOTS = 128;

/** As many names as the runbook has, too (docs/operations/failover.md); `deviceName` has more. */
const MAX_VOLUMES_PER_SLOT = 37;

/** More than this nobody has capacity for, either. */
const MAX_FALLBACKS = 10;

/** The server's own interface and the slot's. */
const INTERFACES = 2;

/** What carries the data between a server and its volumes. What is behind the server is not known here. */
const VOLUME_LINES: LimitName[] = ['ebs-bandwidth', 'shared-interface'];

/** Rejects what is known at synthesis to be wrong. */
export function checkProps(scope: IConstruct, props: VolumeReattachmentProps): void {
  checkTier(scope, props.tier);
  checkNamesOfFixed(scope, props.neverChanges);
  requireKnownInteger(scope, 'slotCount', props.slotCount, 1, MAX_SLOTS, 'Give the number of servers.');
  if (props.standby && props.standby.kind !== 'none') {
    const fix =
      'Give the number of servers that may be lost at once without waiting for a launch; 1 is usual.';
    requireKnownInteger(
      scope,
      'standby: the number of hot spares',
      props.standby.count,
      1,
      props.slotCount,
      fix,
    );
  }
  requireInteger(
    scope,
    'the number of volumes per slot',
    props.volumes.length,
    1,
    MAX_VOLUMES_PER_SLOT,
    'Give each slot its volumes; use fewer, larger ones if there are too many.',
  );
  requireInstanceType(scope, 'instanceType', props.instanceType);
  checkAttachments(scope, props.instanceType, props.volumes.length);
  warnOfXen(scope, props.instanceType);
  checkFallback(scope, props);
  checkVolumes(scope, props);
  warnOfBandwidth(scope, `a server of tier ${props.tier}`, props.instanceType, props.volumes, VOLUME_LINES);
  checkHostSoftware(scope, props.hostBundle);
  checkExistingVolumes(scope, props);
  checkSlotStacks(scope, props);
  checkAddresses(scope, props);
  warnOfStorageQuota(scope, props);
  requireMinutes(scope, 'recoveryTimeout', props.recoveryTimeout, Duration.minutes(5), Duration.hours(12));
  requireMinutes(scope, 'schedule', props.schedule, Duration.minutes(1), Duration.hours(1));
  requireMinutes(
    scope,
    'healthProbe.interval',
    props.healthProbe?.interval,
    Duration.minutes(1),
    Duration.minutes(15),
  );
  if (props.healthProbe?.misses !== undefined) {
    const fix = 'Give the number of failures in a row after which a server is replaced.';
    requireKnownInteger(scope, 'healthProbe.misses', props.healthProbe.misses, 2, 10, fix);
  }
  requireRootDevice(scope, props.rootDeviceName);
  if (props.rootVolumeSize) {
    const range = { min: 8, max: 16_384 };
    gibibytes(
      scope,
      'rootVolumeSize in GiB',
      props.rootVolumeSize,
      range,
      'Give a size that the image fits in.',
    );
  }
}

function checkNamesOfFixed(scope: IConstruct, fixed: object = {}): void {
  const wrong = Object.keys(fixed).find((name) => !/^[A-Za-z0-9]+$/.test(name));
  if (wrong === undefined) return;
  const fix = 'For example fileSystemName.';
  throw invalid(scope, 'A name in neverChanges', wrong, 'letters and digits', fix);
}

function checkTier(scope: IConstruct, tier: string): void {
  if (Token.isUnresolved(tier)) {
    throw invalid(scope, 'tier', tier, 'text known at synthesis', 'Name the tier, for example oss.');
  }
  if (!/^[a-z][a-z0-9-]{0,15}$/.test(tier)) {
    const allowed = 'a lower-case letter, then at most 15 lower-case letters, digits or dashes';
    throw invalid(scope, 'tier', tier, allowed, 'Use a short name such as oss.');
  }
}

/**
 * On Xen a volume shows neither its id nor any other identity to the host (Amazon EC2 User Guide, "Device names for
 * volumes on Amazon EC2 instances"), and the host serves no disk that it cannot identify.
 */
function warnOfXen(scope: IConstruct, instanceType: ec2.InstanceType): void {
  const name = instanceType.toString();
  if (!isConcrete(name) || instanceTypeFacts(name)?.hypervisor !== 'xen') return;
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:volumesWithoutIdentity',
    `${name} is a type before Nitro: its volumes do not show their ids to the host, and a disk without an ` +
      'identity is never served. It deploys on the embedded AWS only; for an account choose a Nitro type.',
  );
}

/** Types that a replacement may be of. Each has to do what the tier's own does. */
function checkFallback(scope: IConstruct, props: VolumeReattachmentProps): void {
  const types = props.fallbackInstanceTypes;
  if (types === undefined) return;
  const what = 'the number of fallbackInstanceTypes';
  requireInteger(
    scope,
    what,
    types.length,
    1,
    MAX_FALLBACKS,
    'Name those that may take its place, or leave it out.',
  );
  const taken = [props.instanceType.toString()];
  for (const type of types) {
    const name = type.toString();
    requireInstanceType(scope, 'fallbackInstanceTypes', type);
    if (taken.includes(name)) {
      const fix =
        'Auto Scaling takes a type once, so that what may be outside of the placement group has to be another one.';
      throw invalid(scope, 'fallbackInstanceTypes', name, 'types that are not named before', fix);
    }
    taken.push(name);
    if (isConcrete(name) && isConcrete(taken[0]!) && type.architecture !== props.instanceType.architecture) {
      const fix = `Both are launched with one image: name types of the architecture of ${taken[0]}.`;
      throw invalid(scope, 'fallbackInstanceTypes', name, `types of ${props.instanceType.architecture}`, fix);
    }
    checkAttachments(scope, type, props.volumes.length);
    warnOfXen(scope, type);
    warnOfBandwidth(
      scope,
      `a server of tier ${props.tier} that is ${name}`,
      type,
      props.volumes,
      VOLUME_LINES,
    );
  }
}

function checkAttachments(scope: IConstruct, instanceType: ec2.InstanceType, volumes: number): void {
  const name = instanceType.toString();
  const most = isConcrete(name) ? maxDataVolumes(name, INTERFACES) : undefined;
  if (most !== undefined && volumes > most) {
    throw invalid(
      scope,
      `the number of volumes per slot on ${name}`,
      volumes,
      `at most ${most}, besides the root disk and two network interfaces`,
      'Use fewer, larger volumes or an instance type that attaches more.',
    );
  }
}

/** What the tier's document runs on a server. */
const SERVE = 'bin/sas-grid-serve';

/** Looked at when the app is synthesized: until then roles may be added. */
function checkHostSoftware(scope: IConstruct, bundle: HostBundle): void {
  scope.node.addValidation({
    validate: () => {
      const fit = Object.values(HostRole).filter((role) => filesOf([role]).includes(SERVE));
      if (fit.some((role) => bundle.hasRole(role))) return [];
      return [
        'hostBundle has no role that brings sas-grid-serve, so that its servers would never serve a slot; ' +
          `allowed: a bundle with at least one of the roles ${fit.join(', ')}. Give it one with ` +
          'hostBundle.addRole.',
      ];
    },
  });
}

function checkVolumes(scope: IConstruct, props: VolumeReattachmentProps): void {
  props.volumes.forEach((volume, position) => {
    const size = sizeInGiB(volume.size);
    if (size === undefined) {
      const allowed = 'Size.gibibytes() of a token, or a size known at synthesis';
      throw invalid(
        scope,
        `volumes[${position}]: size`,
        'a token in another unit',
        allowed,
        'Give it in GiB.',
      );
    }
    const [problem] = ebsVolumeProblems({
      type: volume.volumeType,
      sizeGiB: isConcrete(size) ? size : undefined,
      iops: isConcrete(volume.iops) ? volume.iops : undefined,
      throughputMiBps: isConcrete(volume.throughputMiBps) ? volume.throughputMiBps : undefined,
    });
    if (problem) {
      throw invalid(
        scope,
        `volumes[${position}]: ${problem.what}`,
        problem.value,
        problem.allowed,
        problem.fix,
      );
    }
  });
}

function checkExistingVolumes(scope: IConstruct, props: VolumeReattachmentProps): void {
  const { existingVolumes, slotCount, volumes } = props;
  if (existingVolumes === undefined) return;
  // How many there are decides how many new volumes there will be.
  requireKnownList(scope, 'existingVolumes', existingVolumes);
  const perSlot = volumes.length;
  if (existingVolumes.length % perSlot !== 0 || existingVolumes.length > slotCount * perSlot) {
    throw invalid(
      scope,
      'the number of existingVolumes',
      existingVolumes.length,
      `a multiple of ${perSlot}, the volumes of one slot, up to ${slotCount * perSlot} for ${slotCount} slots`,
      'Name all volumes of slot 00 in serving order, then those of slot 01, and so on; the slots ' +
        'after them get new ones.',
    );
  }
  for (const id of existingVolumes) {
    if (isConcrete(id) && !/^vol-[0-9a-f]{8,17}$/.test(id)) {
      throw invalid(
        scope,
        'existingVolumes',
        id,
        'ids such as vol-0123456789abcdef0',
        'Look them up in the volume map.',
      );
    }
  }
  refuseTwice(scope, 'existingVolumes', existingVolumes, 'volume ids that differ');
}

function checkAddresses(scope: IConstruct, props: VolumeReattachmentProps): void {
  const { addresses, slotCount, subnet } = props;
  if (addresses === undefined) return;
  requireKnownList(scope, 'addresses', addresses);
  if (addresses.length !== slotCount) {
    const fix = 'Give one address per slot, or leave addresses out and EC2 picks them.';
    throw invalid(scope, 'the number of addresses', addresses.length, `${slotCount}, one per slot`, fix);
  }
  const cidr = cidrOf(subnet);
  for (const address of addresses) {
    if (!isConcrete(address)) continue;
    const number = numberOf(address);
    if (number === undefined) {
      throw invalid(
        scope,
        'addresses',
        address,
        'IPv4 addresses such as 172.16.4.21',
        'Write it in four decimal parts.',
      );
    }
    if (cidr === undefined) continue;
    const [first, last] = usableAddresses(cidr);
    if (number < first || number > last) {
      throw invalid(
        scope,
        'addresses',
        address,
        `an address of the subnet ${cidr}, which are ${textOf(first)} to ${textOf(last)}`,
        'EC2 keeps the first four and the last address of each subnet for itself.',
      );
    }
  }
  refuseTwice(scope, 'addresses', addresses, 'addresses that differ');
}

function refuseTwice(scope: IConstruct, what: string, values: string[], allowed: string): void {
  const concrete = values.filter(isConcrete);
  const twice = concrete.find((value, position) => concrete.indexOf(value) !== position);
  if (twice !== undefined)
    throw invalid(scope, what, twice, allowed, 'It is named twice; every slot needs its own.');
}

function cidrOf(subnet: ec2.ISubnet): string | undefined {
  try {
    const cidr = subnet.ipv4CidrBlock;
    return isConcrete(cidr) ? cidr : undefined;
  } catch {
    // An imported subnet knows its range only if it was given.
    return undefined;
  }
}

function numberOf(address: string): number | undefined {
  const parts = address.split('.');
  if (parts.length !== 4 || parts.some((part) => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

const textOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** The first and last address of a subnet that EC2 gives away (VPC User Guide, "Subnet CIDR blocks"). */
function usableAddresses(cidr: string): [number, number] {
  const [base, bits] = cidr.split('/');
  const first = numberOf(base!)!;
  return [first + 4, first + 2 ** (32 - Number(bits)) - 2];
}
