import { Tokenization } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { EphemeralScratch } from '../ephemeral-scratch';
import { HostRole } from '../host';
import { accountOf, checkMountPoint, checkPorts } from '../sas-grid-cluster/checks';
import { EGO_DNS_PORT, GRID_PORTS } from '../sas-grid-cluster/ports';
import { instanceTypeFacts } from '../sizing';
import type { Io2BlockExpressGfs2 } from './io2-block-express-gfs2';
import type { Io2GridOptions } from './props';

/** Makes the hosts of a file system what the nodes of a grid are. */
export function addGrid(
  fileSystem: Io2BlockExpressGfs2,
  instanceType: ec2.InstanceType,
  options: Io2GridOptions,
): void {
  const { hosts, mountPoint, connections } = fileSystem;
  // One server has no jobs to hand out.
  const isCluster = hosts.length > 1;
  const { sasUid, sasGid } = accountOf(fileSystem, options);
  checkPorts(fileSystem, options.additionalPorts);
  const scratch = scratchOf(fileSystem, instanceType, options);
  checkMountPoint(fileSystem, mountPoint, scratch ? [scratch] : []);
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
}

function scratchOf(
  fileSystem: Io2BlockExpressGfs2,
  instanceType: ec2.InstanceType,
  { ephemeralScratch, scratch }: Io2GridOptions,
): EphemeralScratch | undefined {
  const has = instanceTypeFacts(instanceType.toString())?.instanceStore !== undefined;
  if (!(ephemeralScratch ?? has)) return undefined;
  return new EphemeralScratch(fileSystem, 'Scratch', { ...scratch, instanceType });
}
