import { Duration, aws_ec2 as ec2, aws_kms as kms, Size } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  DataLossOnFailure,
  NfsPreset,
  type NfsPresetName,
  NfsStorage,
  type NfsStorageServerProps,
} from '../constructs';
import type { NfsConfig, NfsEbsConfig, NfsInstanceStoreConfig } from './config-types';
import {
  capacityReservation,
  hostedZone,
  image,
  instanceTypes,
  rootDevice,
  slotVolume,
  standby,
} from './from-config';

export function nfsProps(
  scope: Construct,
  config: NfsConfig,
): Omit<NfsStorageServerProps, 'network' | 'alarmTopic'> {
  const {
    ebs,
    instanceStore,
    image: from,
    archive,
    encryptionKeyArn,
    hostedZone: zone,
    capacityReservation: reserved,
    ...same
  } = config;
  return {
    ...same,
    capacityReservation: capacityReservation(reserved),
    machineImage: image(from),
    rootDeviceName: rootDevice(from),
    storage: instanceStore ? instanceStoreStorage(instanceStore) : ebsStorage(ebs!),
    hostedZone: hostedZone(scope, 'NameZone', zone),
    archive: archive && { every: hours(archive.everyHours) },
    encryptionKey: encryptionKeyArn ? kms.Key.fromKeyArn(scope, 'StorageKey', encryptionKeyArn) : undefined,
  };
}

function ebsStorage(config: NfsEbsConfig): NfsStorage {
  const {
    preset,
    papers,
    volume,
    instanceType,
    fallbackInstanceTypes,
    hotSpares,
    backup,
    recoveryTimeoutMinutes,
    ...same
  } = config;
  const named = preset as NfsPresetName | undefined;
  return NfsStorage.ebs({
    ...same,
    preset: papers ? NfsPreset.papers2016(named) : NfsPreset.current(named),
    volume: volume && slotVolume(volume),
    instanceType: instanceType ? new ec2.InstanceType(instanceType) : undefined,
    fallbackInstanceTypes: instanceTypes(fallbackInstanceTypes),
    standby: standby(hotSpares),
    backup: backup && {
      every: hours(backup.everyHours),
      startTime: backup.startTime,
      retention: backup.retentionDays ? Duration.days(backup.retentionDays) : undefined,
    },
    recoveryTimeout: recoveryTimeoutMinutes ? Duration.minutes(recoveryTimeoutMinutes) : undefined,
  });
}

function instanceStoreStorage(config: NfsInstanceStoreConfig): NfsStorage {
  const { dataLossAcceptableBecause, instanceType, capacityGiB, ...same } = config;
  return NfsStorage.instanceStore({
    ...same,
    dataLossOnFailure: DataLossOnFailure.acceptable(dataLossAcceptableBecause),
    instanceType: instanceType ? new ec2.InstanceType(instanceType) : undefined,
    capacity: capacityGiB ? Size.gibibytes(capacityGiB) : undefined,
  });
}

const hours = (value?: number): Duration | undefined => (value ? Duration.hours(value) : undefined);
