import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { RecoveryWorkflow } from '../../../constructs/volume-reattachment/recovery-workflow';
import type { TierDeployment } from '../aws/deployment';
import type { Observer } from '../aws/observer';
import { draw } from '../aws/timings';
import type { World } from '../aws/world';
import { Random } from '../core/random';

/**
 * The rule that a tier with spares has besides those of the others: what EC2 itself tells of instances that end starts
 * the workflow.
 */
export interface InstanceRule {
  /** States of an instance that start it. */
  readonly states: readonly string[];
  /** What the workflow gets. */
  readonly input: object;
}

const SOURCE = 'aws.ec2';

/**
 * Reads the rule from what the construct makes of a tier with spares, with the deadline of the tier that is simulated.
 * Takes a second.
 */
export function synthesizeInstanceRule({ rules }: TierDeployment): InstanceRule {
  const schedule = rules.find(({ everySeconds }) => everySeconds !== undefined)!;
  const { deadlineSeconds } = JSON.parse(schedule.template) as { deadlineSeconds: number };
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Simulated');
  const made = (id: string): lambda.IFunction =>
    new lambda.Function(stack, id, {
      runtime: lambda.Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: lambda.Code.fromInline('exports.handler = undefined'),
    });
  new RecoveryWorkflow(stack, 'Recovery', {
    reconciler: made('Reconciler'),
    seed: made('Seed'),
    groupName: 'simulated',
    key: new kms.Key(stack, 'Key'),
    deadline: Duration.seconds(deadlineSeconds),
    schedule: Duration.seconds(schedule.everySeconds!),
    watchInstances: true,
  });
  const found = Object.values(Template.fromStack(stack).findResources('AWS::Events::Rule')).find(
    ({ Properties }) => Properties.EventPattern?.source?.includes(SOURCE),
  );
  if (found === undefined) throw new Error(`a tier with spares has no rule for events of ${SOURCE}`);
  const { EventPattern, Targets } = found.Properties;
  return { states: EventPattern.detail.state, input: JSON.parse(Targets[0].Input) };
}

/**
 * Has EC2's events start the workflow, which the simulated EventBridge does not know: an event reaches the rule's
 * target in the time that any takes.
 *
 * @param world the world, as soon as there is one
 */
export function withInstanceRule(
  observer: Observer,
  { states, input }: InstanceRule,
  seed: number,
  world: () => World,
): Observer {
  const random = new Random(seed).fork('instance events');
  return {
    ...observer,
    onInstance: (id, state) => {
      observer.onInstance?.(id, state);
      if (!states.includes(state)) return;
      const { scheduler, timings, workflows } = world();
      scheduler.after(draw(timings.event, random), () => workflows.start(input), 'instance event');
    },
  };
}
