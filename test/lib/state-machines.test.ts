import { judgedStateMachines } from '../helpers/state-machines';

/** A template with a state machine whose first state goes to another one. */
const going = (next: string, resource: unknown = { 'Fn::GetAtt': ['Function', 'Arn'] }) => ({
  Resources: {
    Machine: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: {
        DefinitionString: {
          'Fn::Join': [
            '',
            [
              '{"StartAt":"First","States":{"First":{"Type":"Task","Resource":"',
              resource,
              `","Next":"${next}"},"Last":{"Type":"Succeed"}}}`,
            ],
          ],
        },
      },
    },
  },
});

// reference-deployments and service-catalog hold their templates against it.
test('a definition that Step Functions would refuse is told', () => {
  expect(judgedStateMachines(going('Last'))).toEqual({ count: 1, problems: [] });
  expect(judgedStateMachines(going('Nowhere')).problems.join()).toContain('MISSING_TRANSITION_TARGET');
  expect(judgedStateMachines(going('Last', 'no arn')).problems).not.toEqual([]);
  expect(judgedStateMachines({ Resources: {} }).count).toBe(0);
});
