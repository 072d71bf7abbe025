import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { NfsStorageServer } from '../constructs';
import type { NfsConfig } from './config-types';
import { nfsProps } from './nfs-from-config';
import { describeTier, StorageStack, type StorageStackProps } from './storage-stack';

export interface NfsStackProps extends StorageStackProps {
  readonly nfs: NfsConfig;
}

/** One NFS server; on volumes it is replaced with them and its address. */
export class NfsStack extends StorageStack {
  public readonly sharedFileSystem: NfsStorageServer;

  public constructor(scope: Construct, id: string, props: NfsStackProps) {
    super(scope, id, props);
    const nfs = new NfsStorageServer(this, 'Nfs', {
      network: props.network,
      alarmTopic: this.alarmTopic,
      ...nfsProps(this, props.nfs),
    });
    this.sharedFileSystem = nfs;
    new CfnOutput(this, 'MountSource', { value: nfs.mountSource });
    new CfnOutput(this, 'MountCommand', { value: nfs.mountCommand('/mnt') });
    new CfnOutput(this, 'ServerName', { value: nfs.fullName });
    if (nfs.archiveBucket) new CfnOutput(this, 'ArchiveBucket', { value: nfs.archiveBucket.bucketName });
    if (nfs.volumeMap && nfs.reattachment) {
      new CfnOutput(this, 'VolumeMapTable', {
        value: nfs.volumeMap.table.tableName,
        description: 'Which server serves which volumes at which address',
      });
      new CfnOutput(this, 'Tiers', {
        value: this.toJsonString([describeTier('nfs', nfs.reattachment)]),
        description: 'The tier, its group and its workflow',
      });
    }
  }
}
