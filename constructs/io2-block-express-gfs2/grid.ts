import { Tokenization } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import { EphemeralScratch } from '../ephemeral-scratch';
import { HostRole } from '../host';
import { TIER_TAG } from '../private/tags';
import { accountOf, checkMountPoint, checkPorts, cleanUpAfter } from '../sas-grid-cluster/checks';
import { NodeHealth } from '../sas-grid-cluster/node-health';
import { EGO_DNS_PORT, GRID_PORTS } from '../sas-grid-cluster/ports';
import { instanceTypeFacts } from '../sizing';
import type { IVolumeReattachment } from '../volume-reattachment';
import { CLUSTER_TAG } from './cluster-tag';
import type { IIo2Host } from './host';
import type { Io2GridOptions } from './props';

/** What a grid needs of the file system whose hosts become its nodes. */
interface GridFileSystem extends IConstruct {
  readonly hosts: readonly IIo2Host[];
  readonly mountPoint: string;
  readonly connections: ec2.Connections;
  readonly tier?: IVolumeReattachment;
  readonly clusterTag?: string;
}

/** Makes the hosts of a file system what the nodes of a grid are. */
export function addGrid(
  fileSystem: GridFileSystem,
  instanceType: ec2.InstanceType,
  options: Io2GridOptions,
  alarmTopic?: sns.ITopic,
): void {
  const { hosts, mountPoint, connections } = fileSystem;
  // One server has no jobs to hand out.
  const isCluster = hosts.length > 1;
  const { sasUid, sasGid } = accountOf(fileSystem, options);
  checkPorts(fileSystem, options.additionalPorts);
  const scratch = scratchOf(fileSystem, instanceType, options);
  checkMountPoint(fileSystem, mountPoint, scratch ? [scratch] : []);
  const untouched = cleanUpAfter(fileSystem, options.cleanUpScratchAfter);
  const names = hosts.map(({ name, address }) => `${name}=${address}`).join(',');
  for (const { name, hostBundle } of hosts) {
    hostBundle.addRole(HostRole.GRID_NODE, {
      HOST_NAME: name,
      HOSTS: names,
      SAS_UID: Tokenization.stringifyNumber(sasUid),
      SAS_GID: Tokenization.stringifyNumber(sasGid),
      SHARED_MOUNT: mountPoint,
      SAS_DIR: `${mountPoint}/sas`,
      ...(isCluster && { LSF_DIR: `${mountPoint}/lsf` }),
    });
    scratch?.configure(hostBundle);
  }
  const ports = [
    ...(isCluster ? GRID_PORTS : []),
    ...(options.egoDns ? [EGO_DNS_PORT] : []),
    ...(options.additionalPorts ?? []).map((port) => ({ port, tcp: true, udp: false })),
  ];
  for (const { port, tcp, udp } of ports) {
    if (tcp) connections.allowInternally(ec2.Port.tcp(port), 'SAS grid');
    if (udp) connections.allowInternally(ec2.Port.udp(port), 'SAS grid');
  }
  new NodeHealth(fileSystem, 'Health', {
    servers: { tag: tagOfHosts(fileSystem) },
    reachesFileServers: false,
    cleanUpAfter: scratch && untouched,
    alarmTopic,
  });
}

/** What the instances of all hosts have, and no others. */
function tagOfHosts({ tier, clusterTag }: GridFileSystem): { key: string; value: string } {
  return tier ? { key: TIER_TAG, value: tier.tierTag } : { key: CLUSTER_TAG, value: clusterTag! };
}

function scratchOf(
  fileSystem: GridFileSystem,
  instanceType: ec2.InstanceType,
  { ephemeralScratch, scratch }: Io2GridOptions,
): EphemeralScratch | undefined {
  const has = instanceTypeFacts(instanceType.toString())?.instanceStore !== undefined;
  if (!(ephemeralScratch ?? has)) return undefined;
  return new EphemeralScratch(fileSystem, 'Scratch', { ...scratch, instanceType });
}
