import { Stack, type StackProps, aws_sns as sns, aws_sns_subscriptions as subscriptions } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { GridNetwork, ISharedFileSystem, VolumeReattachment } from '../constructs';

export interface StorageStackProps extends StackProps {
  readonly network: GridNetwork;
  readonly alarmEmail?: string;
}

/** What a file system stands on and tells, in whichever stack it is. */
export interface Surroundings {
  readonly network: GridNetwork;
  readonly alarmTopic?: sns.ITopic;
}

/** The file system that the grid shares, of whatever kind. */
export abstract class StorageStack extends Stack {
  public abstract readonly sharedFileSystem: ISharedFileSystem;

  /** Where the alarms of the deployment go, whether or not somebody is named: other stacks import it. */
  public readonly alarmTopic: sns.Topic;

  public constructor(scope: Construct, id: string, props: StackProps & { readonly alarmEmail?: string }) {
    super(scope, id, props);
    this.alarmTopic = addAlarmTopic(this, props.alarmEmail);
  }
}

function addAlarmTopic(stack: Stack, email?: string): sns.Topic {
  const topic = new sns.Topic(stack, 'Alarms', { enforceSSL: true });
  if (email) topic.addSubscription(new subscriptions.EmailSubscription(email));
  return topic;
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
