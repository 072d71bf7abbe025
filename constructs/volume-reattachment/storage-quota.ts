import { Annotations } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { isConcrete, sizeInGiB } from '../private/validation';
import { GP3_STORAGE_QUOTA_CODE, SERVICE_LIMITS } from '../sizing';
import type { VolumeReattachmentProps } from './props';
import { slotCounts } from './slot-stacks';

const GIB_PER_TIB = 1024;

/**
 * Warns of a tier whose new gp3 volumes alone are more than an account may have in a Region unless its quota was
 * raised. EC2 refuses the volume that goes beyond it, in the middle of a deployment. Sizes that are known only at
 * deployment are left out.
 */
export function warnOfStorageQuota(scope: IConstruct, props: VolumeReattachmentProps): void {
  const { slotCount, adoptedSlots } = slotCounts(props);
  const perSlot = props.volumes
    .filter((volume) => volume.volumeType === ec2.EbsDeviceVolumeType.GP3)
    .map((volume) => sizeInGiB(volume.size) ?? Number.NaN)
    .filter((size) => isConcrete(size) && Number.isFinite(size))
    .reduce((sum, size) => sum + size, 0);
  const tebibytes = ((slotCount - adoptedSlots) * perSlot) / GIB_PER_TIB;
  const quota = SERVICE_LIMITS.gp3StorageTiB.value;
  if (tebibytes <= quota) return;
  const wanted = Math.ceil(tebibytes);
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:gp3StorageQuota',
    `The new gp3 volumes of tier ${props.tier} are ${wanted} TiB. The quota "Storage for General Purpose SSD ` +
      `(gp3) volumes, in TiB" (${GP3_STORAGE_QUOTA_CODE}) is ${quota} TiB for an account and Region unless it was ` +
      'raised, and the deployment fails at the volume that goes beyond it. See what the account has, and ask for ' +
      'these and what is there already: aws service-quotas request-service-quota-increase --service-code ebs ' +
      `--quota-code ${GP3_STORAGE_QUOTA_CODE} --desired-value ${wanted}`,
  );
}
