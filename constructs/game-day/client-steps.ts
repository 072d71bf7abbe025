import type { DocumentClients } from './document-parts';
import { unlockBefore } from './lock';
import { apiStep, DELIVERY_SECONDS, orElse, type Step } from './steps';

/**
 * How long clients may take until they answer after the slot is served: Lustre's recovery has its own time-outs, NFS
 * its grace period.
 */
const CLIENT_SECONDS = 600;

/** Every client writes a file, before anything fails. */
export function clientsBefore(clients: DocumentClients): Step[] {
  return [
    // With a tag that no host has, nothing would be checked.
    orElse('clientsNotReady', {
      name: 'aClientIsThere',
      action: 'aws:assertAwsResourceProperty',
      inputs: {
        Service: 'ssm',
        Api: 'DescribeInstanceInformation',
        Filters: [
          { Key: `tag:${clients.tagKey}`, Values: [clients.tagValue] },
          { Key: 'PingStatus', Values: ['Online'] },
        ],
        PropertySelector: '$.InstanceInformationList[0].PingStatus',
        DesiredValues: ['Online'],
      },
    }),
    ...clientSteps('prepareClients', clients, 'prepare', 'clientsNotReady'),
    apiStep(
      'countClients',
      { Service: 'ssm', Api: 'ListCommands', CommandId: '{{ prepareClients.CommandId }}' },
      'clientsNotReady',
      { Clients: { selector: '$.Commands[0].CompletedCount', type: 'Integer' } },
    ),
  ];
}

/** Every client looks at its file again, and writes another one. */
export const clientsAfter = (clients: DocumentClients): Step[] =>
  clientSteps('verifyClients', clients, 'verify', unlockBefore('clientsNotWell'));

function clientSteps(name: string, clients: DocumentClients, action: string, otherwise: string): Step[] {
  const asked = orElse(otherwise, {
    name,
    action: 'aws:runCommand',
    timeoutSeconds: CLIENT_SECONDS + 600,
    inputs: {
      DocumentName: clients.checkDocument,
      Targets: [{ Key: `tag:${clients.tagKey}`, Values: [clients.tagValue] }],
      // Every host is asked, also after one has failed.
      MaxConcurrency: '100%',
      MaxErrors: '100%',
      TimeoutSeconds: DELIVERY_SECONDS,
      Parameters: {
        action: [action],
        run: ['{{ automation:EXECUTION_ID }}'],
        seconds: [String(action === 'prepare' ? 60 : CLIENT_SECONDS)],
      },
    },
  });
  // With errors allowed, a command of which some hosts failed is "Incomplete" and not "Failed" (Systems Manager API
  // reference, "Command", read 2026-11), and nothing says what aws:runCommand makes of that.
  const allWell = orElse(otherwise, {
    name: `${name}Succeeded`,
    action: 'aws:assertAwsResourceProperty',
    inputs: {
      Service: 'ssm',
      Api: 'ListCommands',
      CommandId: `{{ ${name}.CommandId }}`,
      PropertySelector: '$.Commands[0].StatusDetails',
      DesiredValues: ['Success'],
    },
  });
  return [asked, allWell];
}
