import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Backup, Operations, Sleep } from '../constructs/operations';
import type { OperationsConfig } from './config-types';
import type { MadeFileSystem } from './file-systems/made';
import { addBundle } from './operations-bundle';

/** What is operated. */
export interface OperationsStackProps extends StackProps {
  readonly deployment: string;
  readonly storage: MadeFileSystem;
  /** The stack of the file system. */
  readonly storageStack: string;
  /** The stack of the grid's nodes. */
  readonly nodeStack?: string;
  /** Names of the other stacks of the deployment. */
  readonly stacks: readonly string[];
  readonly operations?: OperationsConfig;
  readonly alarmTopic?: sns.ITopic;
}

/** What administrators do with a deployment: a stack of its own, which changes nothing of the others. */
export class OperationsStack extends Stack {
  public readonly operations: Operations;

  public constructor(scope: Construct, id: string, props: OperationsStackProps) {
    super(scope, id, props);
    const { deployment, storage, storageStack, nodeStack, stacks, alarmTopic } = props;
    this.operations = new Operations(this, 'Operations', { deployment, alarmTopic });
    new CfnOutput(this, 'OperationsTable', {
      value: this.operations.table.tableName,
      description: 'What is under way, and what is remembered for the next operation',
    });
    const description = storage.sleep ?? {};
    if (nodeStack || description.tiers || description.clusterGroups || description.refusal) {
      new Sleep(this, 'Sleep', {
        operations: this.operations,
        description,
        storageStack,
        nodeStack,
        stacks,
        schedule: props.operations?.sleep,
      });
    }
    addBundle(this, deployment, storage.sleep?.tiers ?? storage.fileSystem.tiers);
    new Backup(this, 'Backup', {
      operations: this.operations,
      description: storage.backup,
      stacks,
      schedule: props.operations?.backup,
    });
    new CfnOutput(this, 'Workflows', {
      value: this.toJsonString(
        Object.fromEntries(
          Object.entries(this.operations.workflows).map(([name, { stateMachine }]) => [
            name,
            stateMachine.stateMachineArn,
          ]),
        ),
      ),
      description: 'The workflows of the operations, which the command starts',
    });
  }
}
