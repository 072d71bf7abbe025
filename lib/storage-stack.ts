import {
  CfnOutput,
  Stack,
  type StackProps,
  aws_sns as sns,
  aws_sns_subscriptions as subscriptions,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type GridNetwork, IntelLustre, type VolumeReattachment } from '../constructs';
import type { StorageConfig } from './config-types';
import { lustreProps } from './from-config';

export interface StorageStackProps extends StackProps {
  readonly network: GridNetwork;
  readonly storage: StorageConfig;
  readonly alarmEmail?: string;
}

/** The file system that the grid shares, with the replacement of its servers. */
export class StorageStack extends Stack {
  public readonly lustre: IntelLustre;

  /** Where the alarms of the deployment go; undefined when nobody is named. */
  public readonly alarmTopic?: sns.Topic;

  public constructor(scope: Construct, id: string, props: StorageStackProps) {
    super(scope, id, props);
    if (props.alarmEmail) {
      this.alarmTopic = new sns.Topic(this, 'Alarms', { enforceSSL: true });
      this.alarmTopic.addSubscription(new subscriptions.EmailSubscription(props.alarmEmail));
    }
    this.lustre = new IntelLustre(this, 'Lustre', {
      network: props.network,
      alarmTopic: this.alarmTopic,
      ...lustreProps(this, props.storage),
    });

    new CfnOutput(this, 'FileSystemName', { value: this.lustre.fileSystemName });
    new CfnOutput(this, 'MgsNid', {
      value: this.lustre.mgsNid,
      description: 'Network id of the management server',
    });
    new CfnOutput(this, 'MountCommand', { value: this.lustre.mountCommand('/mnt') });
    new CfnOutput(this, 'VolumeMapTable', {
      value: this.lustre.volumeMap.table.tableName,
      description: 'Which server serves which volumes at which address',
    });
    new CfnOutput(this, 'Tiers', {
      value: this.toJsonString([
        describeTier('mgs', this.lustre.mgs),
        describeTier('mds', this.lustre.mds),
        describeTier('oss', this.lustre.oss),
      ]),
      description: 'The tiers, their groups and their workflows',
    });
    if (this.lustre.monitoringUrl) new CfnOutput(this, 'MonitoringUrl', { value: this.lustre.monitoringUrl });
  }
}

function describeTier(name: string, tier: VolumeReattachment) {
  return {
    tier: name,
    group: tier.autoScalingGroup.autoScalingGroupName,
    workflowArn: tier.workflow.stateMachineArn,
    slots: tier.slots.length,
  };
}
