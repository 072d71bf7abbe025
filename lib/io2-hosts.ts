import { aws_ec2 as ec2 } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { EphemeralScratch, HostRole, type Io2BlockExpressGfs2 } from '../constructs';
import { checkMountPoint } from '../constructs/sas-grid-cluster/checks';
import { GRID_PORTS } from '../constructs/sas-grid-cluster/ports';
import { instanceTypeFacts } from '../constructs/sizing';
import type { Io2Config } from './config-types';
import { scratchOptions } from './from-config';
import { isCluster } from './io2-from-config';

/** Makes the hosts that have the file system what the nodes of a grid are: names, the account sas, limits, directories, scratch, ports. */
export function configureHosts(
  scope: Construct,
  config: Io2Config,
  fileSystem: Io2BlockExpressGfs2,
  type: ec2.InstanceType,
): void {
  const { hosts, mountPoint } = fileSystem;
  const scratch = scratchOf(scope, config, type);
  checkMountPoint(scope, mountPoint, scratch ? [scratch] : []);
  const names = hosts.map(({ name, address }) => `${name}=${address}`).join(',');
  for (const { name, hostBundle } of hosts) {
    hostBundle.addRole(HostRole.GRID_NODE, {
      HOST_NAME: name,
      HOSTS: names,
      SAS_UID: String(config.sasUid ?? 5000),
      SAS_GID: String(config.sasGid ?? 5000),
      SHARED_MOUNT: mountPoint,
      SAS_DIR: `${mountPoint}/sas`,
      // One server has no jobs to hand out.
      ...(isCluster(config) && { LSF_DIR: `${mountPoint}/lsf` }),
    });
    scratch?.configure(hostBundle);
  }
  openPorts(config, fileSystem);
}

/** By default where the type has disks of its own. */
function scratchOf(
  scope: Construct,
  { scratch }: Io2Config,
  instanceType: ec2.InstanceType,
): EphemeralScratch | undefined {
  const has = instanceTypeFacts(instanceType.toString())?.instanceStore !== undefined;
  if (!(scratch?.enabled ?? has)) return undefined;
  return new EphemeralScratch(scope, 'Scratch', { ...scratchOptions({ scratch }), instanceType });
}

function openPorts(config: Io2Config, { connections }: Io2BlockExpressGfs2): void {
  const additional = (config.additionalPorts ?? []).map((port) => ({ port, tcp: true, udp: false }));
  for (const { port, tcp, udp } of [...(isCluster(config) ? GRID_PORTS : []), ...additional]) {
    if (tcp) connections.allowInternally(ec2.Port.tcp(port), 'SAS grid');
    if (udp) connections.allowInternally(ec2.Port.udp(port), 'SAS grid');
  }
}
