import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { IntelLustre } from '../constructs';
import type { StorageConfig } from './config-types';
import { lustreProps } from './from-config';
import { describeTier, StorageStack, type StorageStackProps } from './storage-stack';

export interface LustreStackProps extends StorageStackProps {
  readonly storage: StorageConfig;
}

/** Lustre on servers of the deployment's own, with their replacement. */
export class LustreStack extends StorageStack {
  public readonly sharedFileSystem: IntelLustre;

  public constructor(scope: Construct, id: string, props: LustreStackProps) {
    super(scope, id, props);
    const lustre = new IntelLustre(this, 'Lustre', {
      network: props.network,
      alarmTopic: this.alarmTopic,
      ...lustreProps(this, props.storage),
    });
    this.sharedFileSystem = lustre;

    new CfnOutput(this, 'FileSystemName', { value: lustre.fileSystemName });
    new CfnOutput(this, 'MgsNid', {
      value: lustre.mgsNid,
      description: 'Network id of the management server',
    });
    new CfnOutput(this, 'MountCommand', { value: lustre.mountCommand('/mnt') });
    new CfnOutput(this, 'VolumeMapTable', {
      value: lustre.volumeMap.table.tableName,
      description: 'Which server serves which volumes at which address',
    });
    new CfnOutput(this, 'Tiers', {
      value: this.toJsonString([
        describeTier('mgs', lustre.mgs),
        describeTier('mds', lustre.mds),
        describeTier('oss', lustre.oss),
      ]),
      description: 'The tiers, their groups and their workflows',
    });
    if (lustre.monitoringUrl) new CfnOutput(this, 'MonitoringUrl', { value: lustre.monitoringUrl });
  }
}
