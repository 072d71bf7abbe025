import { Annotations } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { warnOfWeaker } from '../private/server-bandwidth';
import { invalid, isConcrete, requireInstanceType, requireInteger } from '../private/validation';
import { instanceTypeFacts, type LimitName, maxDataVolumes } from '../sizing';
import type { VolumeReattachmentProps } from './props';

/** More than this nobody has capacity for, either. */
const MAX_FALLBACKS = 10;

/** The server's own interface and the slot's. */
const INTERFACES = 2;

/** What carries the data between a server and its volumes. What is behind the server is not known here. */
export const VOLUME_LINES: LimitName[] = ['ebs-bandwidth', 'shared-interface'];

/**
 * On Xen a volume shows neither its id nor any other identity to the host (Amazon EC2 User Guide, "Device names for
 * volumes on Amazon EC2 instances"), and the host serves no disk that it cannot identify.
 */
export function warnOfXen(scope: IConstruct, instanceType: ec2.InstanceType): void {
  const name = instanceType.toString();
  if (!isConcrete(name) || instanceTypeFacts(name)?.hypervisor !== 'xen') return;
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:volumesWithoutIdentity',
    `${name} is a type before Nitro: its volumes do not show their ids to the host, and a disk without an ` +
      'identity is never served. It deploys on the embedded AWS only; for an account choose a Nitro type.',
  );
}

/** Types that a replacement may be of. Each has to do what the tier's own does. */
export function checkFallback(scope: IConstruct, props: VolumeReattachmentProps): void {
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
    refuseXen(scope, props.instanceType, type);
    const types = { own: props.instanceType, other: type };
    warnOfWeaker(scope, `A replacement in tier ${props.tier}`, types, props.volumes);
  }
}

/** A replacement has to find its volumes. Of a tier that is itself of such a type, synthesis warns. */
function refuseXen(scope: IConstruct, own: ec2.InstanceType, other: ec2.InstanceType): void {
  const [ownName, name] = [own.toString(), other.toString()];
  if (!isConcrete(name) || instanceTypeFacts(name)?.hypervisor !== 'xen') return;
  if (isConcrete(ownName) && instanceTypeFacts(ownName)?.hypervisor === 'xen') {
    warnOfXen(scope, other);
    return;
  }
  const fix =
    'On types before Nitro volumes are no NVMe devices and do not show their ids: the host would serve none.';
  throw invalid(scope, 'fallbackInstanceTypes', name, 'Nitro types', fix);
}

/** Rejects a type that cannot attach the volumes of a slot besides what is its own. */
export function checkAttachments(scope: IConstruct, instanceType: ec2.InstanceType, volumes: number): void {
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
