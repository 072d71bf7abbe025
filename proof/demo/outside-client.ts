import { type _InstanceType, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { Stack } from 'aws-cdk-lib';
import { NfsStorageServer } from '../../constructs/nfs-storage-server';
import type { Clients } from '../kit/clients';
import { DemoError } from '../kit/processes';
import type { Surroundings } from './surroundings';

// Any image with a package manager would do; the embedded AWS launches every well-formed id.
const IMAGE = 'ami-0123456789abcdef0';
const TYPE: _InstanceType = 'm6in.large';
const MOUNT_POINT = '/sasdata';

/**
 * Launches a host that no app knows of, in the cluster's subnet and group, with the client bundle as its user data.
 * @param mountSource what it is to mount, `<address>:<export path>`
 * @returns the id of the instance
 */
export async function launchClient(
  { ec2 }: Clients,
  { subnetId, securityGroupId, placementGroup }: Surroundings,
  mountSource: string,
): Promise<string> {
  const request = new RunInstancesCommand({
    ImageId: IMAGE,
    InstanceType: TYPE,
    MinCount: 1,
    MaxCount: 1,
    SubnetId: subnetId,
    SecurityGroupIds: [securityGroupId],
    Placement: { GroupName: placementGroup },
    MetadataOptions: { HttpTokens: 'required' },
    UserData: Buffer.from(userDataFor(mountSource)).toString('base64'),
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'Name', Value: 'outside-client' }] }],
  });
  const { Instances = [] } = await ec2.send(request);
  return Instances[0]!.InstanceId!;
}

/** The user data of a host that mounts an export, as the library makes it. */
export function userDataFor(mountSource: string): string {
  const [, server, exportName] = /^([0-9.]+):\/export\/(.+)$/.exec(mountSource) ?? [];
  if (!server || !exportName) throw new DemoError(`the mount source is '${mountSource}', no NFS export`);
  const bundle = NfsStorageServer.clientBundle({ server, exportName, mountPoint: MOUNT_POINT });
  return new Stack().resolve(bundle.userData().render()) as string;
}
