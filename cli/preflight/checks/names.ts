import { type Check, type Finding, passed, type Subject } from '../findings';
import type { Named } from '../needs/needs';
import { eachPart } from './parts';

/** No stack is in a state that takes no deployment, and no name belongs to something else. */
export const names: Check = {
  name: 'names',
  run: async (subject) => {
    const { needs } = subject;
    const found = await Promise.all([
      eachPart(needs.stacks, (name) => stackState(name, subject)),
      eachPart(needs.names, (named) => taken(named, subject)),
    ]);
    const problems = found.flat();
    if (problems.length > 0) return problems;
    return [
      passed(`${needs.stacks.join(', ')} can be deployed; ${needs.names.length} names of resources are free`),
    ];
  },
};

/** States that a deployment can begin in; with 'make deploy' also those that one without rollback has left. */
const DEPLOYABLE =
  /^(CREATE|UPDATE|IMPORT)_(COMPLETE|FAILED)$|_ROLLBACK_COMPLETE$|^(ROLLBACK_COMPLETE|REVIEW_IN_PROGRESS)$/;

async function stackState(name: string, { aws, needs }: Subject): Promise<Finding[]> {
  const stack = await aws.stack(name);
  if (!stack || DEPLOYABLE.test(stack.status)) return [];
  return [
    {
      status: 'failed',
      text: `the stack ${name} is in ${stack.status}, which takes no deployment`,
      fix: mending(name, stack.status, needs.place.region),
    },
  ];
}

function mending(name: string, status: string, region: string): string {
  const command = (verb: string) => `aws cloudformation ${verb} --region ${region} --stack-name ${name}`;
  // What goes on with a rollback may delete volumes, by how it was begun: that is for the docs to say.
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    return `before anything else: docs/operations/failed-deployment.md, "A rollback that failed"`;
  }
  if (status.endsWith('_IN_PROGRESS')) {
    return `wait until ${command('describe-stacks')} --query 'Stacks[].StackStatus' says another one`;
  }
  return `see why with ${command('describe-stack-events')}; then docs/operations/failed-deployment.md`;
}

/** Nobody is told to delete what has the name: it may have data, or be another deployment's. */
const LOOK: { readonly [type: string]: string } = {
  'AWS::AutoScaling::AutoScalingGroup':
    'aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names',
  'AWS::DynamoDB::Table': 'aws dynamodb describe-table --table-name',
  'AWS::IAM::Role': 'aws iam get-role --role-name',
  'AWS::Logs::LogGroup': 'aws logs describe-log-groups --log-group-name-prefix',
  'AWS::SSM::Document': 'aws ssm describe-document --name',
};

async function taken({ type, name, by, stack }: Named, { aws }: Subject): Promise<Finding[]> {
  if (!(await aws.exists(type, name))) return [];
  const own = await aws.stack(stack);
  if (own?.physicalIds.some((id) => id === name || id.endsWith(`/${name}`))) return [];
  // What is nested is listed by the nested stack only, which the deployed root then has.
  if (own !== undefined && by.split('/').length > 2) return [];
  const what = type.split('::').pop();
  const fix = `give the deployment another name, or see whose it is: ${LOOK[type]} ${name}`;
  return [{ status: 'failed', text: `${what} ${name} (${by}) exists already`, fix }];
}
