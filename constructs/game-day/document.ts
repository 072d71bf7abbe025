import { TIER_TAG } from '../private/tags';
import { clientsAfter, clientsBefore } from './client-steps';
import type { DocumentParts, DocumentTier } from './document-parts';
import { refusals } from './endings';
import { lock, unlock, unlockBefore } from './lock';
import { METRIC, METRIC_NAMESPACE } from './metric';
import { servedAgain, servedSlots, slotRow } from './queries';
import { steady } from './steady';
import { apiStep, DELIVERY_SECONDS, orElse, output, RUNTIME, type Step, tellAndEnd } from './steps';

/** The content of the Automation document, schema 0.3. */
export function gameDayDocument(parts: DocumentParts): object {
  return {
    schemaVersion: '0.3',
    description: DESCRIPTION,
    assumeRole: parts.roleArn,
    parameters: parameters(parts),
    mainSteps: [
      approval(parts),
      readBefore(parts),
      ...(parts.clients ? clientsBefore(parts.clients) : []),
      ...lock(parts),
      ...parts.tiers.map((tier) => allServed(parts.table, tier)),
      ...theServer(parts),
      ...steady(parts),
      note(parts),
      ...failure(parts),
      recovered(parts),
      readAfter(parts),
      measure(parts),
      metric(),
      ...(parts.clients ? clientsAfter(parts.clients) : []),
      unlock(parts.table, 'tell'),
      tellAndEnd(
        'tell',
        parts,
        'passed',
        `{{ measure.Report }}\n${parts.clients ? CLIENTS_PASSED : NO_CLIENTS}`,
      ),
      ...refusals(parts),
    ],
    outputs: ['measure.Report', 'measure.RecoverySeconds', 'readAfter.Server'],
  };
}

const DESCRIPTION =
  'Game day: after approval, takes down the server of a slot on purpose, waits until another server serves the ' +
  'slot, measures how long that took and checks the clients. It does nothing unless every slot is served and ' +
  'every server is well. Stop it at any time: the tier recovers by itself.';

const CLIENTS_PASSED =
  '{{ countClients.Clients }} client(s): mounted, a file from before the failure is unchanged, a new one was written.';
const NO_CLIENTS = 'No client was checked: this game day has none.';

function parameters({ tiers, approvers }: DocumentParts): object {
  const names = tiers.map((tier) => tier.name);
  return {
    Tier: {
      type: 'String',
      description: 'The tier whose server fails',
      allowedValues: names,
      ...(names.length === 1 && { default: names[0] }),
    },
    Slot: {
      type: 'String',
      description: `The slot whose server fails, for example ${names[0]}-00`,
      allowedPattern: `^(${names.join('|')})-[0-9]{2,3}$`,
    },
    Failure: {
      type: 'String',
      description:
        "Terminate: EC2 terminates the server. Hang: its operating system halts, and EC2's " +
        'status checks have to find out',
      allowedValues: ['Terminate', 'Hang'],
      default: 'Terminate',
    },
    ...(approvers === undefined && {
      Approvers: {
        type: 'StringList',
        description: 'Who may approve: ARNs of IAM users or roles, or names of IAM users',
        minItems: 1,
      },
    }),
  };
}

function approval(parts: DocumentParts): Step {
  return {
    name: 'approve',
    action: 'aws:approve',
    timeoutSeconds: parts.approvalSeconds,
    onFailure: 'Abort',
    inputs: {
      NotificationArn: parts.topicArn,
      Message: 'Game day: the server of slot {{ Slot }} is to fail ({{ Failure }}). Users notice a pause.',
      MinRequiredApprovals: parts.minimumApprovals,
      Approvers: parts.approvers ?? '{{ Approvers }}',
    },
  };
}

function readBefore(parts: DocumentParts): Step {
  return apiStep('readBefore', slotRow(parts.table), 'notStarted', {
    Server: '$.Item.owner.S',
    Epoch: '$.Item.epoch.N',
  });
}

function allServed(table: string, tier: DocumentTier): Step {
  const inputs = { ...servedSlots(table, tier.name), DesiredValues: [String(tier.slots)] };
  return orElse(unlockBefore('notStarted'), {
    name: `allSlotsServed_${tier.name.replaceAll('-', '_')}`,
    action: 'aws:assertAwsResourceProperty',
    inputs,
  });
}

/** The server runs and is of a tier of this game day, whatever the row says. */
function theServer({ tiers }: DocumentParts): Step[] {
  return [
    orElse(unlockBefore('notStarted'), {
      name: 'serverRuns',
      action: 'aws:assertAwsResourceProperty',
      inputs: {
        Service: 'ec2',
        Api: 'DescribeInstances',
        Filters: [
          { Name: 'instance-id', Values: ['{{ readBefore.Server }}'] },
          { Name: `tag:${TIER_TAG}`, Values: tiers.map((tier) => tier.tag) },
        ],
        PropertySelector: '$.Reservations[0].Instances[0].State.Name',
        DesiredValues: ['running'],
      },
    }),
    apiStep(
      'readTierTag',
      {
        Service: 'ec2',
        Api: 'DescribeTags',
        Filters: [
          { Name: 'resource-id', Values: ['{{ readBefore.Server }}'] },
          { Name: 'key', Values: [TIER_TAG] },
        ],
      },
      unlockBefore('notStarted'),
      { Tag: '$.Tags[0].Value' },
    ),
  ];
}

function note({ script }: DocumentParts): Step {
  const inputs = { Runtime: RUNTIME, Handler: 'note', InputPayload: {}, Script: script };
  return orElse(unlockBefore('notStarted'), {
    name: 'noteStart',
    action: 'aws:executeScript',
    timeoutSeconds: 60,
    inputs,
    outputs: [output('At', '$.Payload.at')],
  });
}

function failure({ hangDocument }: DocumentParts): Step[] {
  return [
    {
      name: 'chooseFailure',
      action: 'aws:branch',
      inputs: {
        Choices: [{ NextStep: 'hang', Variable: '{{ Failure }}', StringEquals: 'Hang' }],
        Default: 'terminate',
      },
    },
    {
      ...apiStep(
        'terminate',
        { Service: 'ec2', Api: 'TerminateInstances', InstanceIds: ['{{ readBefore.Server }}'] },
        unlockBefore('notFailed'),
      ),
      nextStep: 'waitUntilServed',
    },
    {
      ...orElse(unlockBefore('notFailed'), {
        name: 'hang',
        action: 'aws:runCommand',
        timeoutSeconds: 300,
        inputs: {
          DocumentName: hangDocument,
          InstanceIds: ['{{ readBefore.Server }}'],
          TimeoutSeconds: DELIVERY_SECONDS,
        },
      }),
      nextStep: 'waitUntilServed',
    },
  ];
}

function recovered(parts: DocumentParts): Step {
  return orElse('readStuck', {
    name: 'waitUntilServed',
    action: 'aws:waitForAwsResourceProperty',
    timeoutSeconds: parts.recoverySeconds,
    inputs: { ...servedAgain(parts.table), DesiredValues: ['1'] },
  });
}

function readAfter(parts: DocumentParts): Step {
  return {
    ...apiStep('readAfter', slotRow(parts.table), unlockBefore('notMeasured'), {
      Server: '$.Item.owner.S',
      Epoch: '$.Item.epoch.N',
    }),
    outputs: [
      output('Server', '$.Item.owner.S'),
      output('Epoch', '$.Item.epoch.N'),
      output('Timeline', '$.Item.timeline.M', 'StringMap'),
    ],
  };
}

function measure({ script }: DocumentParts): Step {
  return orElse(unlockBefore('notMeasured'), {
    name: 'measure',
    action: 'aws:executeScript',
    timeoutSeconds: 60,
    inputs: {
      Runtime: RUNTIME,
      Handler: 'measure',
      InputPayload: {
        slot: '{{ Slot }}',
        failure: '{{ Failure }}',
        server: '{{ readBefore.Server }}',
        replacement: '{{ readAfter.Server }}',
        epochBefore: '{{ readBefore.Epoch }}',
        epochAfter: '{{ readAfter.Epoch }}',
        startedAt: '{{ noteStart.At }}',
        timeline: '{{ readAfter.Timeline }}',
      },
      Script: script,
    },
    outputs: [
      output('RecoverySeconds', '$.Payload.recoverySeconds', 'Integer'),
      output('Report', '$.Payload.report'),
    ],
  });
}

function metric(): Step {
  return apiStep(
    'publishMetric',
    {
      Service: 'cloudwatch',
      Api: 'PutMetricData',
      Namespace: METRIC_NAMESPACE,
      MetricData: [
        {
          MetricName: METRIC,
          Dimensions: [{ Name: 'Tier', Value: '{{ readTierTag.Tag }}' }],
          Unit: 'Seconds',
          Value: '{{ measure.RecoverySeconds }}',
        },
      ],
    },
    unlockBefore('notMeasured'),
  );
}
