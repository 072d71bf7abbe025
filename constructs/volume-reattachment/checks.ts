import { Duration, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { type HostBundle, HostRole } from '../host';
import { filesOf } from '../host/files';
import { warnOfBandwidth } from '../private/server-bandwidth';
import {
  gibibytes,
  invalid,
  requireInstanceType,
  requireInteger,
  requireKnownInteger,
  requireMinutes,
  requireRootDevice,
} from '../private/validation';
import { checkAddresses } from './address-checks';
import type { VolumeReattachmentProps } from './props';
import { checkSlotStacks } from './slot-stacks';
import { warnOfStorageQuota } from './storage-quota';
import { checkAttachments, checkFallback, VOLUME_LINES, warnOfXen } from './type-checks';
import { checkExistingVolumes, checkRestoredSet, checkVolumes } from './volume-checks';

/** More servers than this in one tier have not been thought through. */
const MAX_SLOTS = 128;

/** As many names as the runbook has, too (docs/operations/failover.md); `deviceName` has more. */
const MAX_VOLUMES_PER_SLOT = 37;

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
  checkRestoredSet(scope, props);
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
  checkRootVolume(scope, props);
}

function checkRootVolume(
  scope: IConstruct,
  { rootDeviceName, rootVolumeSize }: VolumeReattachmentProps,
): void {
  requireRootDevice(scope, rootDeviceName);
  if (!rootVolumeSize) return;
  const range = { min: 8, max: 16_384 };
  gibibytes(scope, 'rootVolumeSize in GiB', rootVolumeSize, range, 'Give a size that the image fits in.');
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
