import { Annotations, Duration, aws_ec2 as ec2, aws_kms as kms, Size } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Gfs2Fencing, Gfs2OperatingSystem, type Io2BlockExpressGfs2Props } from '../constructs';
import type { Io2Config } from './config-types';
import { capacityReservation, image, rootDevice } from './from-config';

// Where no image is named for a cluster: Amazon Linux has no GFS2, and Red Hat announces no image by a public
// parameter.
const UBUNTU = '/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id';

/** Whether the configuration is one of a cluster. */
export const isCluster = ({ nodes = 1 }: Io2Config): boolean => nodes > 1;

export function io2Props(
  scope: Construct,
  config: Io2Config,
): Omit<Io2BlockExpressGfs2Props, 'network' | 'alarmTopic'> {
  return {
    ...hosts(scope, config),
    size: Size.gibibytes(config.sizeGiB),
    nodeCount: config.nodes,
    instanceType: config.instanceType ? new ec2.InstanceType(config.instanceType) : undefined,
    capacityReservation: capacityReservation(config.capacityReservation),
    throughputMBps: config.throughputMBps,
    iopsAdjustment: config.iopsAdjustment,
    stripe: kibibytes(config.stripeKiB),
    readAhead: kibibytes(config.readAheadKiB),
    mountPoint: config.mountPoint,
    existingVolumes: config.existingVolumes,
    deployedVolumes: config.deployedVolumes,
    addresses: config.addresses,
    clusterName: config.clusterName,
    nodeNamePrefix: config.nodeNamePrefix,
    fencing: config.fencing && FENCING[config.fencing],
    mountTimeout: minutes(config.mountTimeoutMinutes),
    recoveryTimeout: minutes(config.recoveryTimeoutMinutes),
    encryptionKey: config.encryptionKeyArn
      ? kms.Key.fromKeyArn(scope, 'StorageKey', config.encryptionKeyArn)
      : undefined,
  };
}

const FENCING: Record<NonNullable<Io2Config['fencing']>, Gfs2Fencing> = {
  ec2: Gfs2Fencing.EC2,
  'ec2+nvme': Gfs2Fencing.EC2_AND_NVME,
};

const SYSTEMS: Record<NonNullable<Io2Config['operatingSystem']>, Gfs2OperatingSystem> = {
  'rhel-8': Gfs2OperatingSystem.RHEL_8,
  'rhel-9': Gfs2OperatingSystem.RHEL_9,
  debian: Gfs2OperatingSystem.DEBIAN,
  ubuntu: Gfs2OperatingSystem.UBUNTU,
};

/** What the hosts start from. */
function hosts(
  scope: Construct,
  config: Io2Config,
): Pick<Io2BlockExpressGfs2Props, 'machineImage' | 'rootDeviceName' | 'operatingSystem'> {
  const { image: from, operatingSystem } = config;
  if (from || !isCluster(config)) {
    return {
      machineImage: image(from),
      rootDeviceName: rootDevice(from),
      operatingSystem: operatingSystem && SYSTEMS[operatingSystem],
    };
  }
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:clusterImage',
    'io2.image names no image, so the nodes of the cluster start from Ubuntu 22.04, which has GFS2 but no SAS: Amazon Linux, the ' +
      'default elsewhere, has no GFS2. That is enough for the embedded AWS. For SAS, name an image of RHEL 8 or 9 that has the repositories ' +
      'for high availability and resilient storage, and say so in io2.operatingSystem.',
  );
  return {
    machineImage: ec2.MachineImage.fromSsmParameter(UBUNTU),
    operatingSystem: Gfs2OperatingSystem.UBUNTU,
  };
}

const kibibytes = (value?: number): Size | undefined => (value ? Size.kibibytes(value) : undefined);

const minutes = (value?: number): Duration | undefined =>
  value === undefined ? undefined : Duration.minutes(value);
