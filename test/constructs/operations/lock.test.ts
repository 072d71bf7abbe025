import { Template } from 'aws-cdk-lib/assertions';
import { STEP_MS } from '../../../lambda/shared/operation/lock';
import { loadConfig } from '../../../lib/config';
import { createDeployment } from '../../../lib/deployment';
import { testApp } from '../../helpers/app';

const template = Template.fromStack(
  createDeployment(testApp(), 'sas-grid-nfs', loadConfig('sas-grid-nfs')).operations,
);
const OPERATIONS = ['backup', 'start', 'stop'];

// CloudFormation makes the name of a state machine of its logical id, without the name of the stack.
test('functions may see whether the execution runs that has the lock: its name is the one in their policy', () => {
  const names = Object.values(template.findResources('AWS::StepFunctions::StateMachine'))
    .map(({ Properties }) => Properties.StateMachineName)
    .filter((name) => name !== undefined);
  expect(names).toHaveLength(OPERATIONS.length);
  for (const operation of OPERATIONS)
    expect(names).toContainEqual({ 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, `-${operation}`]] });
  const statements = Object.values(template.findResources('AWS::IAM::Policy'))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as { Sid?: string; Resource: unknown }[])
    .filter(({ Sid }) => Sid === 'SeeWhoHasTheLock');
  expect(statements.length).toBeGreaterThan(0);
  for (const { Resource } of statements)
    expect(JSON.stringify(Resource)).toMatch(/:execution:",\{"Ref":"AWS::StackName"\},"-\*"/);
});

test('no step of an operation goes on longer than the next execution waits for its end', () => {
  const steps = Object.values(template.findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => Properties.Environment?.Variables.OPERATIONS_TABLE !== undefined,
  );
  expect(steps).toHaveLength(2);
  for (const { Properties } of steps) expect(Properties.Timeout * 1000).toBeLessThan(STEP_MS);
});
