import {
  Annotations,
  aws_certificatemanager as acm,
  CfnOutput,
  Duration,
  aws_ec2 as ec2,
  aws_kms as kms,
  Size,
  type Stack,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  BenchmarkHosts,
  type IHostImage,
  IntelLustre,
  type IntelLustreProps,
  LustreBackend,
  LustrePreset,
  type LustreServerOptions,
} from '../../constructs';
import type { ImageConfig, StorageConfig, TierConfig } from '../config-types';
import {
  capacityReservation,
  image,
  instanceTypes,
  lustreSoftware,
  rootDevice,
  slotVolume,
  standby,
} from '../from-config';
import { webAccess } from '../service-catalog/network-parameters';
import { serverImage } from '../service-catalog/tier-parameters';
import type { FileSystemKind } from './kind';
import type { MadeFileSystem, Surroundings } from './made';
import { addTierOutputs, exportsOfMap } from './tiers';

/** From so many object storage servers on the template goes without indentation, which is a third of its size. */
const MANY_SERVERS = 32;

/** Lustre on servers of the deployment's own, with their replacement. */
export const LUSTRE_KIND: FileSystemKind = {
  stackProps: ({ storage }) => ({ suppressTemplateIndentation: (storage?.oss?.count ?? 0) >= MANY_SERVERS }),
  add: (stack, { storage }, surroundings, built) => addLustre(stack, storage!, surroundings, built),
  product: {
    before: ({ storage }) => [
      ...serverImage(
        'storage',
        'An image like RHEL 8 or 9 with the Lustre servers installed; AWS has none.',
        storage?.image?.amiId,
      ),
      ...(storage?.monitoring?.enabled === false ? [] : [webAccess()]),
    ],
  },
};

function addLustre(
  stack: Stack,
  config: StorageConfig,
  surroundings: Surroundings,
  built?: IHostImage,
): MadeFileSystem {
  const lustre = new IntelLustre(stack, 'Lustre', {
    ...surroundings,
    ...lustreProps(stack, config, built),
  });
  const { mgs, mds, oss, volumeMap } = lustre;
  new CfnOutput(stack, 'FileSystemName', { value: lustre.fileSystemName });
  new CfnOutput(stack, 'MgsNid', {
    value: lustre.mgsNid,
    description: 'Network id of the management server',
  });
  new CfnOutput(stack, 'MountCommand', { value: lustre.mountCommand('/mnt') });
  addTierOutputs(
    stack,
    volumeMap,
    { mgs, mds, oss },
    {
      map: 'Which server serves which volumes at which address',
      tiers: 'The tiers, their groups and their workflows',
    },
  );
  if (lustre.monitoringUrl) new CfnOutput(stack, 'MonitoringUrl', { value: lustre.monitoringUrl });
  return {
    fileSystem: lustre,
    exports: [...exportsOfMap(volumeMap), oss.role.roleName],
    servers: () => BenchmarkHosts.tier(oss),
    // Lustre wiki, "Starting and Stopping Lustre Services" (read 2026-11): clients, metadata targets, object storage
    // targets, and the management target last.
    sleep: { tiers: [mgs, mds, oss], stopOrder: ['mds', 'oss', 'mgs'] },
    // The barrier holds what all metadata servers would change (lctl-barrier(8)).
    backup: { kind: 'lustre', tiers: [mgs, mds, oss], holder: mgs.tier },
    sizable: { tier: oss, servers: 'object storage servers' },
  };
}

const PRESETS: Record<StorageConfig['preset'], () => LustrePreset> = {
  'papers-2015': () => LustrePreset.papers2015(),
  current: () => LustrePreset.current(),
};

function lustreProps(
  scope: Construct,
  config: StorageConfig,
  built?: IHostImage,
): Omit<IntelLustreProps, keyof Surroundings> {
  const { monitoring, software } = config;
  return {
    preset: PRESETS[config.preset](),
    fileSystemName: config.fileSystemName,
    machineImage: imageOf(scope, config.image, built),
    rootDeviceName: rootDevice(config.image),
    software: lustreSoftware(software),
    backend: config.backend === 'zfs' ? LustreBackend.ZFS : LustreBackend.LDISKFS,
    mgs: serverOptions(config.mgs),
    mds: serverOptions(config.mds),
    oss: serverOptions(config.oss),
    striping: {
      stripeCount: config.stripeCount,
      stripeSize: config.stripeSizeMiB ? Size.mebibytes(config.stripeSizeMiB) : undefined,
    },
    monitoring: {
      enabled: monitoring?.enabled,
      certificate: monitoring?.certificateArn
        ? acm.Certificate.fromCertificateArn(scope, 'MonitoringCertificate', monitoring.certificateArn)
        : undefined,
    },
    encryptionKey: config.encryptionKeyArn
      ? kms.Key.fromKeyArn(scope, 'StorageKey', config.encryptionKeyArn)
      : undefined,
    recoveryTimeout: config.recoveryTimeoutMinutes
      ? Duration.minutes(config.recoveryTimeoutMinutes)
      : undefined,
  };
}

function serverOptions(tier?: TierConfig): LustreServerOptions | undefined {
  if (!tier) return undefined;
  return {
    serverCount: tier.count,
    instanceType: tier.instanceType ? new ec2.InstanceType(tier.instanceType) : undefined,
    volumesPerServer: tier.volumesPerServer,
    volume: tier.volume ? slotVolume(tier.volume) : undefined,
    capacityReservation: capacityReservation(tier.capacityReservation),
    fallbackInstanceTypes: instanceTypes(tier.fallbackInstanceTypes),
    standby: standby(tier.hotSpares),
    existingVolumes: tier.existingVolumes,
    restoreFrom: tier.restoreFrom,
    addresses: tier.addresses,
  };
}

/** Without an image the file system can be deployed to the embedded AWS, but no real server would come up. */
function imageOf(scope: Construct, config?: ImageConfig, built?: IHostImage): ec2.IMachineImage {
  if (!config) {
    Annotations.of(scope).addWarningV2(
      'cdk-sas-grid:serverImage',
      'storage.image names no image, so the storage servers start from Amazon Linux 2023, which has no Lustre ' +
        'servers. That is enough for the embedded AWS. For an account, name an image that can run Lustre servers.',
    );
  }
  return image(config, built);
}
