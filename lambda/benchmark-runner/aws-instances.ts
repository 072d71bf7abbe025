import {
  type EC2Client,
  type Instance as Ec2Instance,
  type Filter,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2';
import type { Instance, InstancesPort } from './ports';

/** EC2 takes this many values in one filter. */
const FILTER_VALUES = 200;

/** Instances as EC2 describes them. */
export class Ec2Instances implements InstancesPort {
  constructor(private readonly client: EC2Client) {}

  async tagged(
    selectors: readonly { readonly key: string; readonly values: string[] }[],
  ): Promise<Instance[]> {
    const found = new Map<string, Instance>();
    for (const { key, values } of selectors) {
      for (const one of await this.filtered({ Name: `tag:${key}`, Values: values }))
        found.set(one.instanceId, one);
    }
    return [...found.values()];
  }

  async named(instanceIds: readonly string[]): Promise<Instance[]> {
    const found: Instance[] = [];
    for (let start = 0; start < instanceIds.length; start += FILTER_VALUES) {
      // By a filter: an id that EC2 has forgotten is an error otherwise.
      const Values = instanceIds.slice(start, start + FILTER_VALUES);
      found.push(...(await this.filtered({ Name: 'instance-id', Values })));
    }
    return found;
  }

  private async filtered(filter: Filter): Promise<Instance[]> {
    const found: Instance[] = [];
    for await (const page of paginateDescribeInstances({ client: this.client }, { Filters: [filter] })) {
      for (const one of (page.Reservations ?? []).flatMap(({ Instances }) => Instances ?? [])) {
        if (!one.InstanceId) continue;
        found.push({
          instanceId: one.InstanceId,
          name: one.Tags?.find(({ Key }) => Key === 'Name')?.Value || undefined,
          instanceType: one.InstanceType ?? '',
          privateIp: one.PrivateIpAddress,
          volumes: volumesOf(one),
          state: one.State?.Name ?? 'pending',
        });
      }
    }
    return found;
  }
}

/** Volumes that are attached, or are about to be; the disk of the system is none that is measured. */
const volumesOf = ({ BlockDeviceMappings, RootDeviceName }: Ec2Instance): number | undefined =>
  BlockDeviceMappings?.filter(({ DeviceName, Ebs }) => Ebs?.VolumeId && DeviceName !== RootDeviceName).length;
