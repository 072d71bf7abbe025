import type { AssemblyStack, Json } from '../assembly';
import { numberOf, type Place, textOf } from '../intrinsics';
import { type Made, resourcesOf } from '../scopes';
import { hostsOf, TYPE_WITHOUT_NAME } from './hosts';
import type { FileSystem, Named, Needs, UsedKey, Volumes } from './needs';
import { endpointOf, rulesOf, subnetOf, vpcOf } from './network';

/** Reads from the templates of a deployment what they need of the account. */
export function needsOf(stacks: readonly AssemblyStack[], place: Place): Needs {
  const resources = resourcesOf(stacks, place);
  const launched = each(resources, hostsOf);
  const keys = [...launched.flatMap((one) => one.keys), ...resources.flatMap(keysOf)];
  return {
    place,
    stacks: stacks.map(({ name }) => name),
    bootstrap: newestBootstrap(stacks),
    hosts: launched.flatMap(({ hosts }) => hosts),
    volumes: [...each(resources, volumeOf), ...launched.flatMap(({ volumes }) => volumes)],
    addresses: resources.filter(({ type }) => type === 'AWS::EC2::EIP').length,
    vpcs: each(resources, vpcOf),
    subnets: each(resources, subnetOf),
    groups: rulesOf(resources),
    endpoints: each(resources, endpointOf),
    keys: distinctKeys(keys),
    names: each(resources, namedOf),
    fileSystems: each(resources, fileSystemOf),
  };
}

function each<T>(resources: readonly Made[], read: (made: Made) => T | undefined): T[] {
  return resources.map(read).filter((one) => one !== undefined);
}

function newestBootstrap(stacks: readonly AssemblyStack[]): Needs['bootstrap'] {
  const found = stacks.flatMap(({ bootstrap }) => bootstrap ?? []);
  return found.sort((a, b) => b.version - a.version)[0];
}

function volumeOf(made: Made): Volumes | undefined {
  if (made.type !== 'AWS::EC2::Volume') return undefined;
  return {
    count: 1,
    type: textOf(made.property('VolumeType')) ?? TYPE_WITHOUT_NAME,
    sizeGiB: numberOf(made.property('Size')),
    iops: numberOf(made.property('Iops')),
    throughputMiBps: numberOf(made.property('Throughput')),
    system: false,
  };
}

/** Where a type names the key that encrypts what is in it. */
const KEY_PROPERTIES: { readonly [type: string]: string } = {
  'AWS::EC2::Volume': 'KmsKeyId',
  'AWS::FSx::FileSystem': 'KmsKeyId',
  'AWS::EFS::FileSystem': 'KmsKeyId',
  'AWS::Logs::LogGroup': 'KmsKeyId',
  'AWS::SNS::Topic': 'KmsMasterKeyId',
  'AWS::SQS::Queue': 'KmsMasterKeyId',
};

function keysOf(made: Made): UsedKey[] {
  const property = KEY_PROPERTIES[made.type];
  const arn = property && textOf(made.property(property));
  return arn?.includes(':key/') ? [{ arn, forGroups: false }] : [];
}

function distinctKeys(keys: readonly UsedKey[]): UsedKey[] {
  const found = new Map<string, UsedKey>();
  for (const { arn, forGroups } of keys) {
    found.set(arn, { arn, forGroups: forGroups || found.get(arn)?.forGroups === true });
  }
  return [...found.values()];
}

/** The property in which a type has a name of its own, which nothing else of the account may have. */
const NAME_PROPERTIES: { readonly [type: string]: string } = {
  'AWS::AutoScaling::AutoScalingGroup': 'AutoScalingGroupName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SSM::Document': 'Name',
};

function namedOf(made: Made): Named | undefined {
  const property = NAME_PROPERTIES[made.type];
  const name = property && textOf(made.property(property));
  if (!name) return undefined;
  return { stack: made.rootStack, by: `${made.scope.stack}/${made.id}`, type: made.type, name };
}

function fileSystemOf(made: Made): FileSystem | undefined {
  if (made.type === 'AWS::EFS::FileSystem') return { kind: 'EFS' };
  if (made.type !== 'AWS::FSx::FileSystem') return undefined;
  const lustre = (made.property('LustreConfiguration') ?? {}) as Json;
  return {
    kind: textOf(made.property('FileSystemType')) ?? 'FSx',
    capacityGiB: numberOf(made.property('StorageCapacity')),
    mbpsPerTiB: numberOf(lustre.PerUnitStorageThroughput),
    throughputMBps: numberOf(lustre.ThroughputCapacity),
    metadataIops: numberOf(lustre.MetadataConfiguration?.Iops),
  };
}
