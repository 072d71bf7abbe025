import {
  type AutomationExecutionMetadata,
  GetAutomationExecutionCommand,
  GetDocumentCommand,
  paginateDescribeAutomationExecutions,
  SSMClient,
  StartAutomationExecutionCommand,
} from '@aws-sdk/client-ssm';
import { parse } from 'yaml';
import { ask } from '../preflight/aws/ask';
import { allPages } from '../preflight/aws/ec2';
import { clientOptions } from './aws';
import type { AutomationLook, AutomationStep, GameDayAws } from './port';

/** Statuses of an Automation that goes on. */
export const GOING_ON: readonly string[] = [
  'Pending',
  'InProgress',
  'Waiting',
  'Cancelling',
  'PendingApproval',
  'Approved',
  'Scheduled',
  'RunbookInProgress',
];

export function gameDayAws(region: string): GameDayAws {
  const client = new SSMClient(clientOptions(region));
  return {
    parameters: (Name) =>
      ask('ssm:GetDocument', async (abortSignal) => {
        const { Content = '{}' } = await client.send(new GetDocumentCommand({ Name }), { abortSignal });
        const { parameters = {} } = parse(Content) as {
          parameters?: { [name: string]: { default?: unknown } };
        };
        return new Map(
          Object.entries(parameters).map(([name, one]) => [name, { needed: one.default === undefined }]),
        );
      }),
    running: (document) =>
      ask('ssm:DescribeAutomationExecutions', async () => {
        const Filters = [{ Key: 'DocumentNamePrefix' as const, Values: [document] }];
        const found = await allPages<
          { AutomationExecutionMetadataList?: AutomationExecutionMetadata[] },
          AutomationExecutionMetadata
        >(
          paginateDescribeAutomationExecutions({ client }, { Filters }),
          ({ AutomationExecutionMetadataList = [] }) => AutomationExecutionMetadataList,
        );
        return found.find(
          ({ DocumentName, AutomationExecutionStatus = '' }) =>
            DocumentName === document && GOING_ON.includes(AutomationExecutionStatus),
        )?.AutomationExecutionId;
      }),
    start: (DocumentName, Parameters) =>
      ask('ssm:StartAutomationExecution', async (abortSignal) => {
        const command = new StartAutomationExecutionCommand({ DocumentName, Parameters });
        return (await client.send(command, { abortSignal })).AutomationExecutionId!;
      }),
    look: (AutomationExecutionId) =>
      ask('ssm:GetAutomationExecution', async (abortSignal): Promise<AutomationLook> => {
        const command = new GetAutomationExecutionCommand({ AutomationExecutionId });
        const { AutomationExecution: found = {} } = await client.send(command, { abortSignal });
        return {
          id: AutomationExecutionId,
          status: found.AutomationExecutionStatus ?? 'Pending',
          why: found.FailureMessage,
          steps: (found.StepExecutions ?? []).map(
            (step): AutomationStep => ({
              name: step.StepName ?? '',
              status: step.StepStatus ?? 'Pending',
              inputs: step.Inputs ?? {},
              why: step.FailureMessage,
            }),
          ),
          outputs: found.Outputs ?? {},
          parameters: found.Parameters ?? {},
        };
      }),
  };
}
