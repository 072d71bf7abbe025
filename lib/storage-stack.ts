import { Stack, type StackProps, aws_sns as sns, aws_sns_subscriptions as subscriptions } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { GridNetwork, ISharedFileSystem, VolumeReattachment } from '../constructs';

export interface StorageStackProps extends StackProps {
  readonly network: GridNetwork;
  readonly alarmEmail?: string;
}

/** The file system that the grid shares, of whatever kind. */
export abstract class StorageStack extends Stack {
  public abstract readonly sharedFileSystem: ISharedFileSystem;

  /** Where the alarms of the deployment go; undefined when nobody is named. */
  public readonly alarmTopic?: sns.Topic;

  public constructor(scope: Construct, id: string, props: StorageStackProps) {
    super(scope, id, props);
    if (props.alarmEmail) {
      this.alarmTopic = new sns.Topic(this, 'Alarms', { enforceSSL: true });
      this.alarmTopic.addSubscription(new subscriptions.EmailSubscription(props.alarmEmail));
    }
  }
}

/** What an operator, and the demo, need to know of a tier to find its servers. */
export function describeTier(name: string, tier: VolumeReattachment) {
  return {
    tier: name,
    group: tier.autoScalingGroup.autoScalingGroupName,
    workflowArn: tier.workflow.stateMachineArn,
    slots: tier.slots.length,
  };
}
