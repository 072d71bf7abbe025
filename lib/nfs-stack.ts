import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { NfsStorageServer } from '../constructs';
import type { NfsConfig } from './config-types';
import { nfsProps } from './nfs-from-config';
import { describeTier, StorageStack, type StorageStackProps, type Surroundings } from './storage-stack';

export interface NfsStackProps extends StorageStackProps {
  readonly nfs: NfsConfig;
}

/** One NFS server; on volumes it is replaced with them and its address. */
export class NfsStack extends StorageStack {
  public readonly sharedFileSystem: NfsStorageServer;

  public constructor(scope: Construct, id: string, props: NfsStackProps) {
    super(scope, id, props);
    this.sharedFileSystem = addNfs(this, props.nfs, {
      network: props.network,
      alarmTopic: this.alarmTopic,
    });
  }
}

/** The server and its outputs, in any stack. */
export function addNfs(stack: Stack, config: NfsConfig, surroundings: Surroundings): NfsStorageServer {
  const nfs = new NfsStorageServer(stack, 'Nfs', { ...surroundings, ...nfsProps(stack, config) });
  new CfnOutput(stack, 'MountSource', { value: nfs.mountSource });
  new CfnOutput(stack, 'MountCommand', { value: nfs.mountCommand('/mnt') });
  new CfnOutput(stack, 'ServerName', { value: nfs.fullName });
  if (nfs.archiveBucket) new CfnOutput(stack, 'ArchiveBucket', { value: nfs.archiveBucket.bucketName });
  if (nfs.volumeMap && nfs.reattachment) {
    new CfnOutput(stack, 'VolumeMapTable', {
      value: nfs.volumeMap.table.tableName,
      description: 'Which server serves which volumes at which address',
    });
    new CfnOutput(stack, 'Tiers', {
      value: stack.toJsonString([describeTier('nfs', nfs.reattachment)]),
      description: 'The tier, its group and its workflow',
    });
  }
  return nfs;
}
