import { Annotations, Token } from 'aws-cdk-lib';
import type { InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { instanceTypeFacts, type LimitName, type StorageDevices } from '../sizing';
import type { Limit } from '../sizing/plan/configuration';
import { limitsOfMachines } from '../sizing/plan/limits';
import type { SlotVolume } from '../volume-reattachment/props';
import { isConcrete, sizeInGiB } from './validation';

// A tenth: paper 004 tries as much more IOPS, and a count of volumes seldom comes out even.
const TOLERANCE = 1.1;

/**
 * The volumes of a server as the planner takes them, one group for each; undefined when their speed is known only at
 * deployment.
 */
export function devicesOf(volumes: readonly SlotVolume[]): StorageDevices[] | undefined {
  if (
    volumes.some(
      ({ iops, throughputMiBps }) => Token.isUnresolved(iops) || Token.isUnresolved(throughputMiBps),
    )
  )
    return undefined;
  return volumes.map(({ volumeType, size, iops, throughputMiBps }) => {
    const sizeGiB = sizeInGiB(size);
    return {
      count: 1,
      type: volumeType,
      sizeGiB: isConcrete(sizeGiB) ? sizeGiB : undefined,
      iops,
      throughputMiBps,
    };
  });
}

/**
 * Warns of a server that passes on less than its volumes deliver all day: the rest of what they are provisioned with is
 * of no use. Says nothing where a number is a token or not in the tables.
 *
 * @param who `an object storage server`, for the message
 * @param lines which of the server's lines to look at
 */
export function warnOfBandwidth(
  scope: IConstruct,
  who: string,
  instanceType: InstanceType,
  volumes: readonly SlotVolume[],
  lines: readonly LimitName[],
): void {
  const limits = limitsOfServer(instanceType, volumes);
  const delivered = limits.find(({ name }) => name === 'volumes')?.readMBps;
  if (delivered === undefined) return;
  for (const { name, readMBps, text } of limits) {
    if (!lines.includes(name) || delivered <= readMBps * TOLERANCE) continue;
    const what = text.slice(text.indexOf(': ') + 2);
    Annotations.of(scope).addWarningV2(
      `cdk-sas-grid:${name === 'server-network' ? 'networkBelowVolumes' : 'ebsBandwidthBelowVolumes'}`,
      `The volumes of ${who} (${volumes.length}) deliver ${Math.round(delivered)} MB/s all day; what they have ` +
        `to pass carries ${Math.round(readMBps)} MB/s (${what}). Use a type that carries more, or volumes that ` +
        'are no faster.',
    );
  }
}

/**
 * Warns of a type that takes the place of another and passes on less than the tier was sized for: what the other type
 * passes on, or what the volumes deliver if that is less. Says nothing where a number is a token or not in the tables.
 */
export function warnOfWeaker(
  scope: IConstruct,
  who: string,
  { own, other }: { readonly own: InstanceType; readonly other: InstanceType },
  volumes: readonly SlotVolume[],
): void {
  const limits = limitsOfServer(own, volumes);
  const delivered = limits.find(({ name }) => name === 'volumes')?.readMBps;
  if (delivered === undefined) return;
  for (const line of limitsOfServer(other, volumes)) {
    const before = limits.find(({ name }) => name === line.name);
    if (line.name === 'volumes' || before === undefined) continue;
    const sizedFor = Math.min(delivered, before.readMBps);
    if (sizedFor <= line.readMBps * TOLERANCE) continue;
    const what = line.text.slice(line.text.indexOf(': ') + 2);
    Annotations.of(scope).addWarningV2(
      `cdk-sas-grid:fallbackBelowTier:${other.toString()}:${line.name}`,
      `${who} may be ${other.toString()}, which passes on ${Math.round(line.readMBps)} MB/s (${what}); it was sized ` +
        `for ${Math.round(sizedFor)} MB/s with ${own.toString()}. While such a server is there, its clients get ` +
        'less. Name a type that carries as much, or acknowledge this: slower may be better than not at all.',
    );
  }
}

/** What limits one server; nothing where that is not known. */
function limitsOfServer(instanceType: InstanceType, volumes: readonly SlotVolume[]): readonly Limit[] {
  const type = instanceType.toString();
  const facts = isConcrete(type) ? instanceTypeFacts(type) : undefined;
  const devices = devicesOf(volumes);
  if (!facts || !devices) return [];
  return limitsOfMachines({
    count: 1,
    noun: 'server',
    facts,
    devices,
    sharedVolumes: false,
    credits: 'spent',
    served: true,
  }).limits;
}
