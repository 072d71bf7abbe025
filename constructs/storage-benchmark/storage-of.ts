import { Token } from 'aws-cdk-lib';
import { CfnFileSystem as CfnEfs } from 'aws-cdk-lib/aws-efs';
import { CfnFileSystem as CfnFsx } from 'aws-cdk-lib/aws-fsx';
import type { EphemeralScratch } from '../ephemeral-scratch';
import { IntelLustre } from '../intel-lustre';
import { Io2BlockExpressGfs2 } from '../io2-block-express-gfs2';
import { EfsSharedFileSystem, FsxLustre, FsxOntap, FsxOpenZfs } from '../managed-file-systems';
import { NfsStorageServer } from '../nfs-storage-server';
import type { ISharedFileSystem } from '../shared-file-system';
import { instanceTypeFacts, type KnownStorage } from '../sizing';
import { devicesInTree, typeInTree } from './types-in-tree';

/** What a file system of the app is made of; undefined for one that the app only knows by its address. */
export function storageOf(fileSystem: ISharedFileSystem): KnownStorage | undefined {
  if (fileSystem instanceof IntelLustre) {
    const { oss } = fileSystem;
    return {
      kind: 'lustre',
      servers: oss.slots.length,
      serverType: typeInTree(oss),
      devices: devicesInTree(oss) ?? [],
    };
  }
  if (fileSystem instanceof NfsStorageServer) return ofNfsServer(fileSystem);
  if (fileSystem instanceof Io2BlockExpressGfs2) {
    const { count, sizeGiB, iops } = fileSystem.volumes;
    return { kind: fileSystem.fileSystemType, servers: 0, devices: [{ count, type: 'io2', sizeGiB, iops }] };
  }
  const managed = (kind: string, provisionedMBps: number | undefined): KnownStorage => ({
    kind,
    servers: 0,
    devices: [],
    ...(known(provisionedMBps) && { provisionedMBps }),
  });
  if (fileSystem instanceof FsxLustre) return managed('fsx-lustre', fileSystem.storage.throughputMBps);
  const resources = fileSystem.node.findAll();
  if (fileSystem instanceof FsxOpenZfs) {
    const resource = resources.find((node) => node instanceof CfnFsx);
    return managed('fsx-openzfs', configuration(resource?.openZfsConfiguration).throughputCapacity);
  }
  if (fileSystem instanceof FsxOntap) {
    const resource = resources.find((node) => node instanceof CfnFsx);
    const { throughputCapacityPerHaPair, haPairs } = configuration(resource?.ontapConfiguration);
    const each = known(throughputCapacityPerHaPair) ? throughputCapacityPerHaPair! : Number.NaN;
    return managed('fsx-ontap', each * (known(haPairs) ? haPairs! : 1));
  }
  if (fileSystem instanceof EfsSharedFileSystem) {
    const mibps = resources.find((node) => node instanceof CfnEfs)?.provisionedThroughputInMibps;
    return managed('efs', known(mibps) ? (mibps! * 2 ** 20) / 1e6 : undefined);
  }
  return undefined;
}

/** SASWORK on the disks inside the hosts. */
export const storageOfScratch = ({ sasworkDisks, diskSizeGB }: EphemeralScratch): KnownStorage => ({
  kind: 'xfs',
  servers: 0,
  devices: [
    { count: sasworkDisks, type: 'instance-store', sizeGiB: Math.floor((diskSizeGB * 1e9) / 2 ** 30) },
  ],
});

function ofNfsServer(server: NfsStorageServer): KnownStorage {
  const serverType = server.instanceType.toString();
  const store = server.reattachment ? undefined : instanceTypeFacts(serverType)?.instanceStore;
  const disks = store && {
    count: store.disks,
    type: 'instance-store',
    sizeGiB: Math.floor((store.diskSizeGB * 1e9) / 2 ** 30),
  };
  return {
    kind: 'nfs',
    servers: 1,
    serverType,
    devices: disks ? [disks] : ((server.reattachment && devicesInTree(server.reattachment)) ?? []),
  };
}

const known = (value: number | undefined): boolean =>
  value !== undefined && Number.isFinite(value) && !Token.isUnresolved(value);

/** A part of a resource's properties whose numbers may be known. */
function configuration(part: unknown): { [name: string]: number | undefined } {
  return part && !Token.isUnresolved(part) ? (part as { [name: string]: number | undefined }) : {};
}
