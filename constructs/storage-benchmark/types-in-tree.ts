import { CfnResource, Token } from 'aws-cdk-lib';
import type { IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnInstance, CfnLaunchTemplate, CfnVolume } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import type { StorageDevices } from '../shared-file-system';
import type { VolumeReattachment } from '../volume-reattachment';

/** A host as far as it is known at synthesis. */
export interface KnownHost {
  /** Its EC2 type; empty when it is not known. */
  readonly type: string;
  /** Its EBS volumes besides that of its system; undefined when they are not known. */
  readonly volumes?: readonly { readonly count: number; readonly type?: string; readonly sizeGiB?: number }[];
}

/** What a launch template beside a group has; undefined when there is none. */
function launchedIn(scope: IConstruct | undefined): Launched | undefined {
  for (const node of scope?.node.findAll() ?? []) {
    if (!(node instanceof CfnLaunchTemplate)) continue;
    const data = (node.launchTemplateData ?? {}) as Launched;
    if (data.instanceType && !Token.isUnresolved(data.instanceType)) return data;
  }
  return undefined;
}

interface Launched {
  readonly instanceType?: string;
  readonly blockDeviceMappings?: unknown;
}

/** The type that the launch template beside a group has; undefined when it is not known at synthesis. */
export const typeInTree = (scope: IConstruct | undefined): string | undefined =>
  launchedIn(scope)?.instanceType;

/** The members of a group: as many as it has at least. */
export function hostsOfGroup(group: IAutoScalingGroup): KnownHost[] | undefined {
  const resource = group.node.defaultChild;
  const least =
    resource instanceof CfnResource
      ? Number((resource as unknown as { minSize?: string }).minSize)
      : Number.NaN;
  const launched = launchedIn(group.node.scope);
  if (launched === undefined || !Number.isInteger(least) || least < 1) return undefined;
  const host = { type: launched.instanceType!, volumes: volumesIn(launched.blockDeviceMappings) };
  return Array.from({ length: least }, () => host);
}

/** The servers of a tier. Each has the volumes of its slot, whose number is known wherever they come from. */
export function hostsOfTier(tier: VolumeReattachment): KnownHost[] | undefined {
  const type = typeInTree(tier.autoScalingGroup.node.scope);
  if (type === undefined) return undefined;
  const devices = devicesInTree(tier);
  return tier.slots.map(({ volumeIds }) => {
    const count = volumeIds.length;
    const all = devices?.reduce((sum, one) => sum + one.count, 0);
    return { type, volumes: devices && all === count ? devices : [{ count }] };
  });
}

/** The instances in constructs. */
export function hostsOfInstances(hosts: IConstruct[]): KnownHost[] {
  return hosts
    .flatMap((host) => host.node.findAll())
    .filter((node) => CfnInstance.isCfnInstance(node))
    .map(({ instanceType = '', blockDeviceMappings }) => ({
      type: Token.isUnresolved(instanceType) ? '' : instanceType,
      volumes: volumesIn(blockDeviceMappings),
    }));
}

/** Where images have the disk of their system. What is mapped elsewhere and is a volume comes besides. */
const ROOT_DEVICE = /^\/dev\/(sda1?|xvda)$/;

function volumesIn(mappings: unknown): KnownHost['volumes'] {
  if (mappings === undefined) return [];
  if (Token.isUnresolved(mappings) || !Array.isArray(mappings)) return undefined;
  const more = (mappings as { deviceName?: string; ebs?: unknown }[]).filter(
    ({ deviceName, ebs }) => ebs !== undefined && !ROOT_DEVICE.test(deviceName ?? ''),
  );
  return more.length > 0 ? [{ count: more.length }] : [];
}

/**
 * The volumes of one server, from all volumes of a tier that the app makes. Servers with volumes kept from before are
 * taken to have what the others have.
 *
 * @returns undefined when none are volumes of the app, or when they differ from server to server
 */
export function devicesInTree({ node, slots }: VolumeReattachment): StorageDevices[] | undefined {
  const kinds = new Map<string, { device: StorageDevices; count: number }>();
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

function deviceOf({ volumeType, size, iops, throughput }: CfnVolume): StorageDevices {
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
