import { CfnResource, Token } from 'aws-cdk-lib';
import type { IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnLaunchTemplate, CfnVolume } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import type { DefinedDevices } from '../private/benchmark-definition';
import type { VolumeReattachment } from '../volume-reattachment';

/** The type that the launch template beside a group has; undefined when it is not known at synthesis. */
export function typeInTree(scope: IConstruct | undefined): string | undefined {
  for (const node of scope?.node.findAll() ?? []) {
    if (!(node instanceof CfnLaunchTemplate)) continue;
    const { instanceType } = (node.launchTemplateData ?? {}) as { instanceType?: string };
    if (instanceType && !Token.isUnresolved(instanceType)) return instanceType;
  }
  return undefined;
}

/**
 * The types of a group's members.
 *
 * @param count how many there are; left out: as many as the group has at least
 */
export function instanceTypesOfGroup(group: IAutoScalingGroup, count?: number): string[] | undefined {
  const resource = group.node.defaultChild;
  const least =
    resource instanceof CfnResource
      ? Number((resource as unknown as { minSize?: string }).minSize)
      : Number.NaN;
  const members = count ?? least;
  const type = typeInTree(group.node.scope);
  if (type === undefined || !Number.isInteger(members) || members < 1) return undefined;
  return Array.from({ length: members }, () => type);
}

/**
 * The volumes of one server, from all volumes of a tier that the app makes. Servers with volumes kept from before are taken to have what the
 * others have.
 *
 * @returns undefined when none are volumes of the app, or when they differ from server to server
 */
export function devicesInTree({ node, slots }: VolumeReattachment): DefinedDevices[] | undefined {
  const kinds = new Map<string, { device: DefinedDevices; count: number }>();
  let all = 0;
  for (const volume of node.findAll()) {
    if (!(volume instanceof CfnVolume)) continue;
    const device = deviceOf(volume);
    const key = JSON.stringify(device);
    kinds.set(key, { device, count: (kinds.get(key)?.count ?? 0) + 1 });
    all += 1;
  }
  const servers = all / (slots[0]?.volumeIds.length ?? 1);
  const devices = [...kinds.values()].map(({ device, count }) => ({ ...device, count: count / servers }));
  const whole = devices.length > 0 && devices.every(({ count }) => Number.isInteger(count));
  return whole ? devices : undefined;
}

function deviceOf({ volumeType, size, iops, throughput }: CfnVolume): DefinedDevices {
  const known = (value: number | undefined): number | undefined =>
    value === undefined || Token.isUnresolved(value) ? undefined : value;
  const [sizeGiB, operations, throughputMiBps] = [known(size), known(iops), known(throughput)];
  return {
    count: 1,
    type: volumeType && !Token.isUnresolved(volumeType) ? volumeType : 'gp2',
    ...(sizeGiB !== undefined && { sizeGiB }),
    ...(operations !== undefined && { iops: operations }),
    ...(throughputMiBps !== undefined && { throughputMiBps }),
  };
}
