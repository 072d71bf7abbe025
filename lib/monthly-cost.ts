import { aws_efs as efs, aws_fsx as fsx, type Stack, Token } from 'aws-cdk-lib';
import { CfnAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnInstance, CfnVolume } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { typeInTree } from '../constructs/storage-benchmark/types-in-tree';
import { billOf, type MonthlyCost, type Part } from './bill';

/**
 * Adds up the servers, volumes and managed file systems of a stack, nested ones included. Root volumes, NAT, load
 * balancers, keys, logs, snapshots and traffic are left out, as the planner leaves them out, and so are volumes kept
 * from before: they are in no template.
 *
 * @returns undefined when there is nothing of the kind
 */
export function monthlyCost(stack: Stack): MonthlyCost | undefined {
  const region = Token.isUnresolved(stack.region) ? undefined : stack.region;
  return billOf(stack.node.findAll().flatMap(partsOf), region);
}

function partsOf(node: IConstruct): Part[] {
  if (node instanceof CfnInstance) return [servers(1, unlessToken(node.instanceType))];
  if (node instanceof CfnAutoScalingGroup) {
    const { scope } = node.node;
    const type = typeInTree(scope) ?? typeInTree(scope?.node.scope);
    return [servers(Number(node.desiredCapacity ?? node.minSize), type)];
  }
  if (node instanceof CfnVolume) return [volumeOf(node)];
  if (node instanceof fsx.CfnFileSystem) return [fsxOf(node)];
  if (node instanceof efs.CfnFileSystem) return [{ count: 1, unknown: 'EFS, by what is stored' }];
  return [];
}

function servers(count: number, instanceType: string | undefined): Part {
  if (instanceType === undefined || !Number.isInteger(count)) {
    return { count: 1, unknown: 'servers that are known at deployment' };
  }
  return { count, instanceType };
}

function volumeOf({ volumeType = 'gp2', size, iops, throughput: throughputMiBps }: CfnVolume): Part {
  if ([volumeType, size, iops, throughputMiBps].some((value) => Token.isUnresolved(value))) {
    return { count: 1, unknown: 'volumes that are known at deployment' };
  }
  return { count: 1, volume: { type: volumeType, sizeGiB: size, iops, throughputMiBps } };
}

function fsxOf({ fileSystemType, storageCapacity, lustreConfiguration: lustre }: fsx.CfnFileSystem): Part {
  if (fileSystemType !== 'LUSTRE' || !lustre || Token.isUnresolved(lustre)) {
    return { count: 1, unknown: `FSx for ${fileSystemType}` };
  }
  const { perUnitStorageThroughput, throughputCapacity, metadataConfiguration } =
    lustre as fsx.CfnFileSystem.LustreConfigurationProperty;
  const { iops } = (metadataConfiguration ?? {}) as fsx.CfnFileSystem.MetadataConfigurationProperty;
  return {
    count: 1,
    lustre: {
      capacityGiB: unlessToken(storageCapacity),
      mbpsPerTiB: unlessToken(perUnitStorageThroughput),
      throughputMBps: unlessToken(throughputCapacity),
      metadataIops: unlessToken(iops),
    },
  };
}

const unlessToken = <T>(value: T | undefined): T | undefined =>
  Token.isUnresolved(value) ? undefined : value;
