import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as autoscaling from 'aws-cdk-lib/aws-autoscaling';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import { Construct, type IConstruct } from 'constructs';
import { GameDay, GameDayClients, type GameDayProps } from '../../../constructs/game-day';
import { BY_SPARE, MOMENTS } from '../../../lambda/shared/timeline';
import { nagFindings, TEST_ENV, testApp, testStack } from '../../helpers/app';
import { tierIn } from '../volume-reattachment/tier';

type Step = { name: string; action: string; onFailure?: string; nextStep?: string; isEnd?: boolean } & Record<
  string,
  // biome-ignore lint/suspicious/noExplicitAny: the content of a document
  any
>;

const CLIENTS = GameDayClients.tagged('role', 'node', {
  mountPoint: '/sasdata',
  directory: '/sasdata/lsf',
  user: 'sas',
});

const GROUP = { minSize: '1', maxSize: '1' };

function gameDay(props: Partial<GameDayProps> = {}) {
  const stack = testStack();
  const day = new GameDay(stack, 'GameDay', { tiers: [tierIn(stack)], clients: CLIENTS, ...props });
  const template = Template.fromStack(stack);
  const [document] = Object.values(
    template.findResources('AWS::SSM::Document', { Properties: { DocumentType: 'Automation' } }),
  );
  const steps: Step[] = document!.Properties.Content.mainSteps;
  const step = (name: string) => steps.find((each) => each.name === name)!;
  return { stack, day, template, document: document!.Properties, steps, step };
}

/** The steps that are taken when all goes well, and those after the step `failing`, if one is named, has failed. */
function path(steps: Step[], failing?: string): string[] {
  const taken: string[] = [];
  for (let at = 0; at < steps.length; ) {
    const step = steps[at]!;
    taken.push(step.name);
    const failed = step.name === failing;
    if (failed && !step.onFailure?.startsWith('step:')) return taken;
    if (step.isEnd) return taken;
    const next = failed
      ? step.onFailure!.slice('step:'.length)
      : step.action === 'aws:branch'
        ? step.inputs.Default
        : step.nextStep;
    at = next ? steps.findIndex((each) => each.name === next) : at + 1;
  }
  return taken;
}

describe('the document', () => {
  const { document, steps, step } = gameDay();

  test('asks first, looks, fails one server, waits, measures, asks the clients and tells', () => {
    expect(path(steps)).toEqual([
      'approve',
      'readBefore',
      'aClientIsThere',
      'prepareClients',
      'prepareClientsSucceeded',
      'countClients',
      'lockTimes',
      'lock',
      'allSlotsServed_oss',
      'serverRuns',
      'readTierTag',
      'impairedInstances',
      'impairedSystems',
      'doomed_oss',
      'group_oss',
      'running_oss',
      'allSteady',
      'noteStart',
      'chooseFailure',
      'terminate',
      'waitUntilServed',
      'readAfter',
      'measure',
      'publishMetric',
      'verifyClients',
      'verifyClientsSucceeded',
      'unlock_tell',
      'tell',
    ]);
  });

  test('whatever fails before the server, the server is left alone; what fails later never fails another one', () => {
    const all = path(steps);
    const harm = all.indexOf('terminate');
    for (const [position, name] of all.entries()) {
      const taken = path(steps, name);
      const harmed = taken.filter((each) => ['terminate', 'hang'].includes(each));
      expect([name, harmed]).toEqual([name, position < harm ? [] : ['terminate']]);
    }
  });

  test('every failure before the end is told, and makes the execution count as failed', () => {
    const others = ['approve', 'chooseFailure', 'unlock_tell', 'tell'];
    for (const name of path(steps).filter((each) => !others.includes(each))) {
      const last = path(steps, name).at(-1)!;
      expect([name, step(name).isCritical, step(last).inputs.Api]).toEqual([name, true, 'Publish']);
    }
    expect(step('approve').onFailure).toBe('Abort');
  });

  test('holds the lock from before its checks to every ending, and no longer, also when it cannot be removed', () => {
    const all = path(steps);
    const locks = all.indexOf('lock');
    expect(locks).toBeLessThan(all.indexOf('allSlotsServed_oss'));
    for (const [position, name] of all.entries()) {
      if (['approve', 'chooseFailure', 'tell'].includes(name)) continue;
      const taken = path(steps, name);
      const unlocked = taken.filter((each) => each.startsWith('unlock_'));
      expect([name, unlocked]).toEqual([name, position <= locks ? [] : [taken.at(-2)]]);
    }
    for (const each of steps.filter(({ name }) => name.startsWith('unlock_'))) {
      const ending = each.name.slice('unlock_'.length);
      expect(each).toMatchObject({ nextStep: ending, onFailure: `step:${ending}`, isCritical: false });
      expect(step(ending).inputs.Api).toBe('Publish');
    }
  });

  test('only who took the lock removes it, and only when it is over does another one take it', () => {
    const { inputs } = step('lock');
    expect(inputs.Key).toEqual({ tier: { S: 'game-day#lock' }, item: { S: 'lock' } });
    expect(inputs.ConditionExpression).toBe(
      'attribute_not_exists(#execution) OR #execution = :me OR #until < :now',
    );
    expect(inputs.ExpressionAttributeNames['#until']).toBe('deleteAfter');
    expect(inputs.ExpressionAttributeValues[':me']).toEqual({ S: '{{ automation:EXECUTION_ID }}' });
    expect(step('unlock_tell').inputs).toMatchObject({
      Api: 'DeleteItem',
      Key: inputs.Key,
      ConditionExpression: '#execution = :me',
    });
    // Longer than all of its steps after it may take.
    expect(step('lockTimes').inputs.InputPayload.seconds).toBe(7200);
    expect(path(steps, 'lock').at(-1)).toBe('anotherOne');
  });

  test('looks, right before the failure, at the group, the instances and their status checks', () => {
    const { tiers, ...impaired } = step('allSteady').inputs.InputPayload;
    expect(tiers).toEqual([
      {
        tier: 'oss',
        slots: 2,
        members: '{{ group_oss.Members }}',
        lifecycles: '{{ group_oss.Lifecycles }}',
        health: '{{ group_oss.Health }}',
        running: '{{ running_oss.Servers }}',
        doomed: '{{ doomed_oss.Volumes }}',
      },
    ]);
    expect(impaired).toEqual({
      impairedInstances: '{{ impairedInstances.Found }}',
      impairedSystems: '{{ impairedSystems.Found }}',
    });
    expect(JSON.stringify(step('group_oss').inputs.AutoScalingGroupNames)).toMatch(/AWS::StackName.*-oss-/);
    expect(path(steps, 'allSteady').slice(-2)).toEqual(['unlock_notSteady', 'notSteady']);
  });

  test('begins only when all slots of the tier are served, and ends only with another owner and a higher epoch', () => {
    expect(step('allSlotsServed_oss').inputs).toMatchObject({
      ConsistentRead: true,
      Select: 'COUNT',
      PropertySelector: '$.Count',
      DesiredValues: ['2'],
    });
    const { FilterExpression, ExpressionAttributeValues } = step('waitUntilServed').inputs;
    expect(FilterExpression).toContain('epoch > :epoch AND #owner <> :server');
    expect(ExpressionAttributeValues[':epoch']).toEqual({ N: '{{ readBefore.Epoch }}' });
    expect(step('waitUntilServed').timeoutSeconds).toBe(3600);
  });

  test('uses no attribute name that its expressions do not use, which DynamoDB refuses', () => {
    for (const { inputs } of steps.filter(({ inputs }) => inputs?.ExpressionAttributeNames)) {
      const text = ['KeyCondition', 'Filter', 'Condition', 'Update']
        .map((kind) => inputs[`${kind}Expression`] ?? '')
        .join(' ');
      for (const alias of Object.keys(inputs.ExpressionAttributeNames)) expect(text).toContain(alias);
      for (const used of text.match(/[#:][a-z]+/g)!) {
        expect({ ...inputs.ExpressionAttributeNames, ...inputs.ExpressionAttributeValues }).toHaveProperty([
          used,
        ]);
      }
    }
  });

  test.each([
    ['prepareClients', 'clientsNotReady'],
    ['verifyClients', 'clientsNotWell'],
  ])('after %s every client has to have succeeded, whatever the step made of it', (name, ending) => {
    expect(step(`${name}Succeeded`)).toMatchObject({
      action: 'aws:assertAwsResourceProperty',
      isCritical: true,
      inputs: {
        Api: 'ListCommands',
        CommandId: `{{ ${name}.CommandId }}`,
        PropertySelector: '$.Commands[0].StatusDetails',
        DesiredValues: ['Success'],
      },
    });
    expect(path(steps, `${name}Succeeded`).at(-1)).toBe(ending);
  });

  test('takes names that leave no room for anything else', () => {
    const { Slot, Tier, Failure } = document.Content.parameters;
    const slot = new RegExp(Slot.allowedPattern);
    expect(['oss-00', 'oss-117'].every((name) => slot.test(name))).toBe(true);
    expect(['mds-00', 'oss-0', 'oss-00 ', 'oss-00; reboot'].some((name) => slot.test(name))).toBe(false);
    expect(Tier).toMatchObject({ allowedValues: ['oss'], default: 'oss' });
    expect(Failure.allowedValues).toEqual(['Terminate', 'Hang']);
  });

  test('is a runbook of the format that may hold scripts', () => {
    expect(document.DocumentFormat).toBe('YAML');
    expect(step('measure').inputs).toMatchObject({ Runtime: 'python3.11', Handler: 'measure' });
  });

  test('leaves no earlier version that could be started with the approvers of that time', () => {
    expect(document.UpdateMethod).toBe('Replace');
    // CloudFormation replaces nothing that has a name of its own.
    expect(document).not.toHaveProperty('Name');
  });

  test('gives no script a list of lists, which Automation may make into one list', () => {
    for (const { inputs } of steps.filter(({ action }) => action === 'aws:executeScript')) {
      const lists: unknown[] = [];
      JSON.stringify(inputs.InputPayload, (_, value) => {
        if (Array.isArray(value)) lists.push(...value);
        return value;
      });
      expect(lists.filter((one) => Array.isArray(one) || /^\{\{/.test(String(one)))).toEqual([]);
    }
  });

  test('every moment of a repair has words in the report', () => {
    const told = step('measure').inputs.Script as string;
    for (const moment of [...MOMENTS, BY_SPARE]) expect(told).toMatch(new RegExp(`^ {4}'${moment}': '`, 'm'));
  });
});

test('what runs on hosts is bash, also where sh is another, with nothing left for Systems Manager to fill in', () => {
  const commands = Object.values(
    gameDay().template.findResources('AWS::SSM::Document', {
      Properties: { Content: { schemaVersion: '2.2' } },
    }),
  ).map(({ Properties }) => Properties.Content.mainSteps[0].inputs.runCommand as string[]);
  expect(commands.length).toBeGreaterThan(1);
  for (const [first, ...rest] of commands.filter((lines) => !lines.join().includes('sas-grid-serve'))) {
    expect(first).toBe('#!/bin/bash');
    const variables = rest.join('\n').match(/\{\{[^}]*\}\}/g) ?? [];
    expect(variables.filter((name) => !/^\{\{ (action|run|seconds) \}\}$/.test(name))).toEqual([]);
  }
});

describe('approval', () => {
  test('approvers that the app names are not a parameter', () => {
    const approvers = ['arn:aws:iam::111122223333:role/owners', 'arn:aws:iam::111122223333:user/anna'];
    const { document, step } = gameDay({
      approvers,
      minimumApprovals: 2,
      approvalTimeout: Duration.minutes(10),
    });
    expect(document.Content.parameters).not.toHaveProperty('Approvers');
    expect(step('approve')).toMatchObject({
      timeoutSeconds: 600,
      inputs: { Approvers: approvers, MinRequiredApprovals: 2 },
    });
  });

  test('otherwise whoever starts the game day names them', () => {
    const { document, step } = gameDay();
    expect(document.Content.parameters.Approvers).toMatchObject({ type: 'StringList', minItems: 1 });
    expect(step('approve').inputs.Approvers).toBe('{{ Approvers }}');
  });

  test('the topic has a name that Systems Manager accepts', () => {
    const [topic] = Object.values(gameDay().template.findResources('AWS::SNS::Topic'));
    expect(JSON.stringify(topic!.Properties.TopicName)).toMatch(/^\{"Fn::Join":\["",\["Automation-"/);
  });
});

describe('rights', () => {
  const { template } = gameDay();
  const [policy] = Object.values(template.findResources('AWS::IAM::Policy')).filter((each) =>
    JSON.stringify(each).includes('TerminateInstances'),
  );
  const statements: { Sid: string; Action: string | string[]; Condition?: unknown }[] =
    policy!.Properties.PolicyDocument.Statement;

  test('it terminates and commands what has the tag of the tier, and commands the clients', () => {
    const of = (sid: string) => JSON.stringify(statements.find(({ Sid }) => Sid === sid)!.Condition);
    expect(of('Terminate')).toContain('aws:ResourceTag/cdk-sas-grid:tier');
    expect(of('CommandServers')).toContain('ssm:resourceTag/cdk-sas-grid:tier');
    expect(of('CommandClients')).toBe('{"StringEquals":{"ssm:resourceTag/role":["node"]}}');
    expect(of('ReadTheMap')).toContain('["oss"]');
  });

  test('in the map it writes the lock and no row', () => {
    const lock = statements.find(({ Sid }) => Sid === 'Lock')!;
    expect(lock).toMatchObject({
      Action: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['game-day#lock'] } },
    });
  });

  test('it changes nothing else', () => {
    const reads =
      /^(ec2:Describe|autoscaling:Describe|ssm:(Describe|List|Get)|dynamodb:(GetItem|Query)$|kms:)/;
    const changes = statements.flatMap(({ Action }) => Action).filter((action) => !reads.test(action));
    expect(changes.sort()).toEqual([
      'cloudwatch:PutMetricData',
      'dynamodb:DeleteItem',
      'dynamodb:UpdateItem',
      'ec2:TerminateInstances',
      'sns:Publish',
      'ssm:SendCommand',
      'ssm:SendCommand',
      'ssm:SendCommand',
    ]);
  });

  test('only executions of this account and region may assume the role', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Principal: { Service: 'ssm.amazonaws.com' },
            Condition: Match.objectLike({ StringEquals: { 'aws:SourceAccount': '111122223333' } }),
          }),
        ],
      },
    });
  });

  test('who starts may not approve nor the other way round, and neither may hand the role to another runbook', () => {
    const { stack, day } = gameDayIn();
    const [starter, approver] = ['Starter', 'Approver'].map((id) => new iam.User(stack, id));
    day.grantStart(starter!);
    day.grantApprove(approver!);
    const policies = JSON.stringify(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
    const actions = (user: string) =>
      policies.match(new RegExp(`"${user}DefaultPolicy[^"]*":\\{.*?"Users":\\[`))?.[0] ?? '';
    expect(actions('Starter')).toContain('ssm:StartAutomationExecution');
    expect(actions('Approver')).not.toContain('StartAutomationExecution');
    expect(policies).not.toContain('PassRole');
    expect(actions('Starter')).not.toContain('SendAutomationSignal');
    expect(actions('Approver')).toContain('SendAutomationSignal');
    // Of any execution of the account.
    expect(actions('Starter')).toContain('StopAutomationExecution');
    expect(actions('Approver')).not.toContain('StopAutomationExecution');
  });

  test('the document names the role itself, or whoever starts it would need the right to pass it', () => {
    const { document } = gameDay();
    expect(document.Content.assumeRole).toEqual({
      'Fn::GetAtt': [expect.stringMatching(/^GameDayRole/), 'Arn'],
    });
    expect(document.Content.parameters).not.toHaveProperty('AutomationAssumeRole');
  });

  test('who starts a game day may start this document only, in each form in which IAM knows it', () => {
    const { stack, day } = gameDayIn();
    const starter = new iam.User(stack, 'Starter');
    day.grantStart(starter);
    const arnOf = (...rest: unknown[]) => ({
      'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ...rest]],
    });
    const ssm = ':ssm:us-east-1:111122223333';
    const document = { Ref: Match.stringLikeRegexp('^GameDayDocument') };
    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', {
      Users: [{ Ref: Match.stringLikeRegexp('^Starter') }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          {
            Effect: 'Allow',
            Action: 'ssm:StartAutomationExecution',
            Resource: [
              arnOf(`${ssm}:automation-definition/`, document, ':*'),
              arnOf(`${ssm}:document/`, document),
              arnOf(`${ssm}:automation-execution/*`),
            ],
          },
        ]),
      },
    });
  });
});

function gameDayIn() {
  const stack = testStack();
  return { stack, day: new GameDay(stack, 'GameDay', { tiers: [tierIn(stack)] }) };
}

test('in another stack it means the tag of the tier, which has the name of its own stack', () => {
  const app = testApp();
  const storage = new Stack(app, 'my-storage', { env: TEST_ENV });
  const tier = tierIn(storage);
  const grid = new Stack(app, 'my-grid', { env: TEST_ENV });
  new GameDay(grid, 'GameDay', { tiers: [tier] });
  const text = JSON.stringify(Template.fromStack(grid).toJSON());
  expect(text.match(/my-storage\/Oss/g)!.length).toBeGreaterThan(1);
  const group = Object.values(
    Template.fromStack(storage).findResources('AWS::AutoScaling::AutoScalingGroup'),
  )[0]!;
  const [, [, rest]] = group.Properties.AutoScalingGroupName['Fn::Join'];
  expect(text).toContain(`"AutoScalingGroupNames":["my-storage${rest}"]`);
  expect(JSON.stringify(Template.fromStack(storage).findResources('AWS::EC2::Volume'))).toContain(
    '[{"Ref":"AWS::StackName"},"/Oss"]',
  );
});

test('without clients nobody is asked, and the result says so', () => {
  const { steps, step } = gameDay({ clients: undefined });
  expect(path(steps).filter((name) => /client/i.test(name))).toEqual([]);
  expect(step('tell').inputs.Message).toContain('No client was checked');
});

test('has no unacknowledged finding of cdk-nag', () => {
  const host = (scope: Stack) => {
    const instance = new ec2.CfnInstance(scope, 'Host', { monitoring: true, disableApiTermination: true });
    Validations.of(instance).acknowledge({ id: 'AwsSolutions-EC26', reason: 'It stands for one.' });
    return instance;
  };
  expect(
    nagFindings((scope) => {
      const stack = scope as Stack;
      const clients = GameDayClients.hosts([host(stack)], { mountPoint: '/sasdata' });
      new GameDay(stack, 'GameDay', { tiers: [tierIn(stack)], clients });
    }),
  ).toEqual([]);
});

describe('bad input', () => {
  const build = (props: (stack: Stack) => Partial<GameDayProps>) => () => {
    const stack = testStack();
    new GameDay(stack, 'GameDay', { tiers: [tierIn(stack)], ...props(stack) });
  };
  const clients = (more: object) => ({
    clients: GameDayClients.tagged('a', 'b', { mountPoint: '/sasdata', ...more }),
  });

  test.each<[string, (stack: Stack) => Partial<GameDayProps>, RegExp]>([
    ['no tier', () => ({ tiers: [] }), /tiers is \[\]; allowed: at least one tier/],
    ['no approver', () => ({ approvers: [] }), /approvers is \[\]; allowed: at least one ARN/],
    ['a name for an approver', () => ({ approvers: ['anna'] }), /An approver is 'anna'; allowed: the ARN/],
    [
      'no approval',
      () => ({ minimumApprovals: 0 }),
      /minimumApprovals is 0; allowed: a whole number from 1 to 10/,
    ],
    [
      'more approvals than approvers',
      () => ({ approvers: ['arn:aws:iam::111122223333:user/anna'], minimumApprovals: 2 }),
      /minimumApprovals is 2; allowed: at most 1/,
    ],
    ['31 days', () => ({ approvalTimeout: Duration.days(31) }), /approvalTimeout is '31 days'; allowed/],
    [
      '4 minutes',
      () => ({ recoveryTimeout: Duration.minutes(4) }),
      /recoveryTimeout is '4 minutes'; allowed/,
    ],
    [
      'a path with a blank',
      () => clients({ directory: '/sas data' }),
      /clients: directory is '\/sas data'; allowed/,
    ],
    [
      'a path that is code',
      () => clients({ directory: '/sasdata/$(reboot)' }),
      /directory is .*; allowed: an absolute path/,
    ],
    [
      'a directory elsewhere',
      () => clients({ directory: '/tmp' }),
      /'\/tmp'; allowed: \/sasdata or a directory below it/,
    ],
    ['an account that is none', () => clients({ user: 'sas; id' }), /clients: user is 'sas; id'; allowed/],
  ])('%s', (_, props, message) => {
    expect(build(props)).toThrow(message);
  });

  test('tiers of two maps', () => {
    const app = testApp();
    const [one, other] = ['One', 'Other'].map((id) => new Stack(app, id, { env: TEST_ENV }));
    const tiers = [tierIn(one!), tierIn(other!)];
    expect(() => new GameDay(one!, 'GameDay', { tiers })).toThrow(
      /tiers is 'Other\/Oss'; allowed: tiers that share/,
    );
  });
});

describe('hosts as clients', () => {
  const hosts = (make: (stack: Stack) => IConstruct[]) => {
    const stack = testStack();
    const clients = GameDayClients.hosts(make(stack), { mountPoint: '/sasdata' });
    new GameDay(stack, 'GameDay', { tiers: [tierIn(stack)], clients });
    return () => Template.fromStack(stack);
  };
  const instance = (scope: Construct) =>
    new ec2.CfnInstance(scope, 'Host', { imageId: 'ami-0123456789abcdef0', instanceType: 'm6in.large' });

  test('none are refused', () => {
    expect(() => hosts(() => [])).toThrow(/hosts of GameDayClients is \[\]; allowed: at least one construct/);
  });

  test('instances get the tag by which the document finds them', () => {
    hosts((stack) => [instance(stack)])().hasResourceProperties('AWS::EC2::Instance', {
      Tags: Match.arrayWith([Match.objectLike({ Key: 'cdk-sas-grid:game-day-client' })]),
    });
  });

  test.each<[string, (stack: Stack) => IConstruct[]]>([
    ['nothing', (stack) => [new Construct(stack, 'Empty')]],
    ['no instance beside one', (stack) => [instance(stack), new Construct(stack, 'Empty')]],
    ['a group of servers', (stack) => [new autoscaling.CfnAutoScalingGroup(stack, 'Empty', GROUP)]],
  ])('constructs with %s in them are refused at synthesis', (_, make) => {
    expect(hosts(make)).toThrow(
      /\[Test\/GameDay\] hosts of GameDayClients are 'Test\/Empty', in which there is no EC2 instance/,
    );
  });
});
