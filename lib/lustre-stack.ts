import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { IntelLustre } from '../constructs';
import type { StorageConfig } from './config-types';
import { lustreProps } from './from-config';
import { describeTier, StorageStack, type StorageStackProps, type Surroundings } from './storage-stack';

export interface LustreStackProps extends StorageStackProps {
  readonly storage: StorageConfig;
}

/** From so many object storage servers on the template goes without indentation, which is a third of its size. */
const MANY_SERVERS = 32;

/** Lustre on servers of the deployment's own, with their replacement. */
export class LustreStack extends StorageStack {
  public readonly sharedFileSystem: IntelLustre;

  public constructor(scope: Construct, id: string, props: LustreStackProps) {
    const suppressTemplateIndentation = (props.storage.oss?.count ?? 0) >= MANY_SERVERS;
    super(scope, id, { ...props, suppressTemplateIndentation });
    this.sharedFileSystem = addLustre(this, props.storage, {
      network: props.network,
      alarmTopic: this.alarmTopic,
    });
  }
}

/** The file system and its outputs, in any stack. */
export function addLustre(stack: Stack, config: StorageConfig, surroundings: Surroundings): IntelLustre {
  const lustre = new IntelLustre(stack, 'Lustre', { ...surroundings, ...lustreProps(stack, config) });
  new CfnOutput(stack, 'FileSystemName', { value: lustre.fileSystemName });
  new CfnOutput(stack, 'MgsNid', {
    value: lustre.mgsNid,
    description: 'Network id of the management server',
  });
  new CfnOutput(stack, 'MountCommand', { value: lustre.mountCommand('/mnt') });
  new CfnOutput(stack, 'VolumeMapTable', {
    value: lustre.volumeMap.table.tableName,
    description: 'Which server serves which volumes at which address',
  });
  new CfnOutput(stack, 'Tiers', {
    value: stack.toJsonString([
      describeTier('mgs', lustre.mgs),
      describeTier('mds', lustre.mds),
      describeTier('oss', lustre.oss),
    ]),
    description: 'The tiers, their groups and their workflows',
  });
  if (lustre.monitoringUrl) new CfnOutput(stack, 'MonitoringUrl', { value: lustre.monitoringUrl });
  return lustre;
}
