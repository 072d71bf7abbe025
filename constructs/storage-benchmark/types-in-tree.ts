import { CfnResource, Token } from 'aws-cdk-lib';
import type { IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnInstance, CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import type { IVolumeReattachment } from '../volume-reattachment';

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
export function hostsOfTier(tier: IVolumeReattachment): KnownHost[] | undefined {
  const { serverType: type, devices } = tier._server;
  if (type === undefined) return undefined;
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
