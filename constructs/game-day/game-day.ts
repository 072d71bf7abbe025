import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Aws, Duration, Names, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { PACKAGE_ROOT } from '../private/package-root';
import { checkProps } from './checks';
import type { GameDayClients } from './clients';
import { gameDayDocument } from './document';
import type { DocumentClients } from './document-parts';
import { allow, gameDayRole } from './permissions';
import type { GameDayProps } from './props';

/**
 * A game day: an Automation document of Systems Manager that takes down a server of a tier on purpose, after somebody
 * has approved it, and shows how long the slot was away and whether the clients got through.
 *
 * It does nothing until somebody starts it, and costs nothing until then.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/systems-manager-automation.html
 */
export class GameDay extends Construct {
  /** The name of the Automation document. */
  readonly documentName: string;

  /** Where requests for approval and results are sent. */
  readonly topic: sns.ITopic;

  /** What a game day may do in AWS. */
  readonly role: iam.IRole;

  /**
   * @throws when there is no tier, when tiers have different volume maps, or when a property is out of its range
   */
  constructor(scope: Construct, id: string, props: GameDayProps) {
    ({ props } = checkArguments('GameDay', { scope, id, props }));
    super(scope, id);
    checkProps(this, props);
    const { volumeMap } = props.tiers[0]!;
    const tiers = props.tiers.map((tier) => ({
      name: tier.tier,
      slots: tier.slots.length,
      tag: tier._tierTagIn(this),
      group: tier._groupNameIn(this),
    }));
    this.topic = props.topic ?? this.newTopic();
    const role = gameDayRole(this);
    this.role = role;
    const hangDocument = this.hangDocument();
    const clients = props.clients && this.clientCheck(props.clients);
    allow(this, role, { tiers, volumeMap, topic: this.topic, hangDocument, clients });
    const document = new ssm.CfnDocument(this, 'Document', {
      documentType: 'Automation',
      // JSON is YAML, and Automation takes scripts in runbooks of the format YAML only (Systems Manager User Guide,
      // "aws:executeScript").
      documentFormat: 'YAML',
      // With NewVersion what was deployed before stays startable by its number, with the approvers of that time or
      // none. Replaced, it is gone.
      updateMethod: 'Replace',
      content: gameDayDocument({
        tiers,
        table: volumeMap.table.tableName,
        roleArn: role.roleArn,
        topicArn: this.topic.topicArn,
        approvers: props.approvers,
        minimumApprovals: props.minimumApprovals ?? 1,
        approvalSeconds: (props.approvalTimeout ?? Duration.hours(1)).toSeconds(),
        recoverySeconds: (props.recoveryTimeout ?? Duration.hours(1)).toSeconds(),
        script: script('measure.py'),
        steadyScript: script('steady.py'),
        hangDocument: hangDocument.ref,
        clients,
      }),
    });
    this.documentName = document.ref;
  }

  /**
   * Lets somebody start game days, look at them and stop them. To look and to stop is for all executions of the
   * account: Systems Manager knows no narrower right. The grantee has to be of the stack of the game day, or be
   * imported into it: the document gets another name whenever it changes, and CloudFormation changes no name that
   * another stack uses.
   *
   * No right to pass the role: with it another runbook could be started with the role, which asks nobody. Systems
   * Manager asks for none where the document itself names the role (Systems Manager User Guide, "Run an automation by
   * using delegated administration").
   */
  grantStart(grantee: iam.IGrantable): iam.Grant {
    checkArguments('GameDay#grantStart', { grantee }, this);
    const { partition, region, account } = Stack.of(this);
    const arn = (resource: string) => `arn:${partition}:ssm:${region}:${account}:${resource}`;
    iam.Grant.addToPrincipal({
      grantee,
      actions: [...LOOK, 'ssm:StopAutomationExecution'],
      resourceArns: [arn('automation-execution/*')],
    });
    return iam.Grant.addToPrincipal({
      grantee,
      actions: ['ssm:StartAutomationExecution'],
      // IAM knew the document as an automation-definition before; AWS's examples now name the document and the
      // execution that begins (Systems Manager User Guide, "Setting up identity based policies examples",
      // automation-setup-identity-based-policies.html, read 2026-11).
      resourceArns: [
        arn(`automation-definition/${this.documentName}:*`),
        arn(`document/${this.documentName}`),
        arn('automation-execution/*'),
      ],
    });
  }

  /**
   * Lets somebody answer requests for approval. Systems Manager knows no narrower right: it is for all executions of
   * the account. Who is asked at all the document says.
   */
  grantApprove(grantee: iam.IGrantable): iam.Grant {
    checkArguments('GameDay#grantApprove', { grantee }, this);
    const { partition, region, account } = Stack.of(this);
    return iam.Grant.addToPrincipal({
      grantee,
      actions: [...LOOK, 'ssm:SendAutomationSignal'],
      resourceArns: [`arn:${partition}:ssm:${region}:${account}:automation-execution/*`],
    });
  }

  private newTopic(): sns.Topic {
    return new sns.Topic(this, 'Topic', {
      topicName: `Automation-${Aws.STACK_NAME}-${Names.uniqueResourceName(this, { maxLength: 60 })}`,
      displayName: 'Game day',
      enforceSSL: true,
      masterKey: kms.Alias.fromAliasName(this, 'TopicKey', 'alias/aws/sns'),
    });
  }

  private hangDocument(): ssm.CfnDocument {
    return commandDocument(this, 'HangDocument', 'Game day: halts a server', {}, [script('hang.sh')]);
  }

  private clientCheck(clients: GameDayClients): DocumentClients {
    const { mountPoint, directory, user } = clients._props;
    const tagValue =
      clients._tagValue ?? `${Aws.STACK_NAME}/${Names.uniqueResourceName(this, { maxLength: 100 })}`;
    clients._mark(this, tagValue);
    const parameters = {
      action: {
        type: 'String',
        description: 'Before or after the failure',
        allowedValues: ['prepare', 'verify'],
      },
      run: { type: 'String', description: 'Id of the execution', allowedPattern: '^[0-9a-f-]{36}$' },
      seconds: {
        type: 'String',
        description: 'How long the file system may take',
        allowedPattern: '^[0-9]{1,4}$',
      },
    };
    const place = `"${mountPoint}" "${directory ?? mountPoint}" "${user ?? 'root'}"`;
    const document = commandDocument(this, 'ClientCheck', 'Game day: checks a client', parameters, [
      `set -- "{{ action }}" ${place} "{{ run }}" "{{ seconds }}"`,
      script('client-check.sh'),
    ]);
    return { checkDocument: document.ref, tagKey: clients._tagKey, tagValue };
  }
}

const LOOK = ['ssm:DescribeAutomationStepExecutions', 'ssm:GetAutomationExecution'];

/** How long a command may run on a host, in seconds: longer than its own bounds. */
const COMMAND_SECONDS = '1080';

function commandDocument(
  scope: Construct,
  id: string,
  description: string,
  parameters: object,
  scripts: string[],
): ssm.CfnDocument {
  // Without an interpreter in the first line it would be the system's sh, which is not bash everywhere.
  const bodies = scripts.flatMap((text) =>
    text
      .replace(/^#!.*\n/, '')
      .trimEnd()
      .split('\n'),
  );
  const runCommand = ['#!/bin/bash', ...bodies];
  return new ssm.CfnDocument(scope, id, {
    documentType: 'Command',
    documentFormat: 'JSON',
    updateMethod: 'NewVersion',
    content: {
      schemaVersion: '2.2',
      description,
      parameters,
      mainSteps: [
        {
          action: 'aws:runShellScript',
          name: 'run',
          inputs: { timeoutSeconds: COMMAND_SECONDS, runCommand },
        },
      ],
    },
  });
}

/** The text of a script, as it lies in the project and in the package. */
const script = (name: string): string =>
  readFileSync(join(PACKAGE_ROOT, 'constructs', 'game-day', 'scripts', name), 'utf8');
