import { Stack, type StackProps, aws_sns as sns, aws_sns_subscriptions as subscriptions } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { GridNetwork, IHostImage, ISharedFileSystem } from '../constructs';
import type { DeploymentConfig } from './config-types';
import { addClientRange, addExistingNetwork } from './existing-network';
import { kindOf } from './file-systems';
import type { MadeFileSystem } from './file-systems/made';
import type { MakeParameter } from './template-parameters';

export interface StorageStackProps extends StackProps {
  readonly config: DeploymentConfig;
  /** Undefined where the network exists: its parts are parameters of the template then. */
  readonly network?: GridNetwork;
  /** The image of its servers, where one is built. */
  readonly built?: IHostImage;
}

/** The file system that the grid shares, of whatever kind, or one that stands alone. */
export class StorageStack extends Stack {
  public readonly made: MadeFileSystem;

  /** Where the alarms of the deployment go, whether or not somebody is named: other stacks import it. */
  public readonly alarmTopic: sns.Topic;

  public constructor(scope: Construct, id: string, { config, network, built, ...props }: StorageStackProps) {
    super(scope, id, { ...props, ...kindOf(config).stackProps?.(config) });
    this.alarmTopic = addAlarmTopic(this, config.alarmEmail);
    this.made = network
      ? kindOf(config).add(this, config, { network, alarmTopic: this.alarmTopic }, built)
      : addInExistingNetwork(this, config, this.alarmTopic);
  }

  public get sharedFileSystem(): ISharedFileSystem {
    return this.made.fileSystem;
  }
}

/** One NFS server in a network that exists, as the template of paper 003 makes it, with its parameters. */
export function addInExistingNetwork(
  stack: Stack,
  config: DeploymentConfig,
  alarmTopic: sns.ITopic,
  make?: MakeParameter,
): MadeFileSystem {
  const network = addExistingNetwork(stack, config.existingNetwork!, make);
  // The range of a VPC that is known by its id alone is not known.
  const clientRanges = config.nfs!.clientRanges ?? [addClientRange(stack, make)];
  const withRanges = { ...config, nfs: { ...config.nfs!, clientRanges } };
  return kindOf(config).add(stack, withRanges, { network, alarmTopic });
}

function addAlarmTopic(stack: Stack, email?: string): sns.Topic {
  const topic = new sns.Topic(stack, 'Alarms', { enforceSSL: true });
  if (email) topic.addSubscription(new subscriptions.EmailSubscription(email));
  return topic;
}
