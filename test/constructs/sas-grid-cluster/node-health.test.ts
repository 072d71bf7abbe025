import { Duration, Lazy } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { gridStack } from './stack';

type Found = { Properties: Record<string, never> };

const documentsOf = (template: Template) =>
  Object.values(template.findResources('AWS::SSM::Document') as { [id: string]: Found }).map(
    ({ Properties }) => JSON.stringify(Properties.Content),
  );

describe('the health of the servers of a grid', () => {
  const { stack, grid } = gridStack((scope) => ({ alarmTopic: new Topic(scope, 'Topic') }));
  const template = Template.fromStack(stack);
  const servers = grid.servers.map((server) => stack.resolve(server.instanceId));

  test('is asked every five minutes, of all servers', () => {
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(5 minutes)' });
    const [asks] = Object.values(
      template.findResources('AWS::Lambda::Function', {
        Properties: { Environment: { Variables: { INTERVAL_SECONDS: '300' } } },
      }),
    );
    const { SERVER_FILTER, SERVERS, CLEAN_UP_SECONDS } = asks!.Properties.Environment.Variables;
    expect(SERVER_FILTER).toBe('instance-id');
    expect(SERVERS['Fn::Join'][1].filter((part: unknown) => typeof part === 'object')).toEqual(servers);
    expect(CLEAN_UP_SECONDS).toBe('3600');
  });

  test('may send its two documents to these servers, and nothing else to anybody', () => {
    const policies = Object.values(template.findResources('AWS::IAM::Policy'));
    const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    const sends = statements.filter(({ Action }) => [Action].flat().includes('ssm:SendCommand'));
    expect(sends).toHaveLength(1);
    const text = JSON.stringify(sends[0].Resource);
    expect(sends[0].Resource).toHaveLength(servers.length + 2);
    for (const { Ref } of servers) expect(text).toContain(Ref);
    expect(text).not.toContain('*');
    const looks = statements.find(({ Sid }) => Sid === 'Look');
    expect(looks.Action.filter((action: string) => !/:(Describe|List)/.test(action))).toEqual([]);
  });

  test('has the programs in its documents, and their parameters', () => {
    const [health, cleanUp] = documentsOf(template);
    expect(health).toContain('sas-grid-health');
    expect(cleanUp).toContain('export HOURS=72 DRY_RUN={{ DryRun }}');
    // Systems Manager takes any two braces for a parameter.
    expect(health).not.toMatch(/\{\{/);
    expect(cleanUp!.match(/\{\{/g)).toHaveLength(1);
  });

  test('has four alarms that tell the topic, and one of them when nobody asks', () => {
    const alarms = Object.values(
      template.findResources('AWS::CloudWatch::Alarm', { Properties: { Namespace: 'CdkSasGrid' } }),
    ).map(({ Properties }) => Properties);
    expect(alarms.map(({ MetricName, Threshold }) => [MetricName, Threshold]).sort()).toEqual([
      ['NodesCutOff', 1],
      ['ScratchUsedPercent', 90],
      ['SilentNodes', 1],
      ['UnhealthyNodes', 1],
    ]);
    for (const { AlarmActions, MetricName, TreatMissingData } of alarms) {
      expect(AlarmActions).toHaveLength(1);
      expect(TreatMissingData).toBe(MetricName === 'SilentNodes' ? 'breaching' : 'notBreaching');
    }
  });

  test('adds no property to a server', () => {
    for (const { Properties } of Object.values(template.findResources('AWS::EC2::Instance')))
      expect(JSON.stringify(Properties)).not.toMatch(/Health|clean-scratch/);
  });
});

describe('the scratch', () => {
  const cleanUps = (template: Template) =>
    documentsOf(template).filter((content) => content.includes('HOURS='));

  test('is cleaned up after another time', () => {
    const { stack } = gridStack({ cleanUpScratchAfter: Duration.days(3) });
    expect(cleanUps(Template.fromStack(stack))[0]).toContain('HOURS=72 ');
  });

  test.each([
    ['zero turns it off', { cleanUpScratchAfter: Duration.hours(0) }],
    ['there is none', { ephemeralScratch: false }],
  ])('is not cleaned up when %s', (_name, props) => {
    const template = Template.fromStack(gridStack(props).stack);
    expect(cleanUps(template)).toEqual([]);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { INTERVAL_SECONDS: '300', CLEAN_UP_DOCUMENT: Match.absent() } },
    });
  });

  test.each([Duration.minutes(90), Duration.hours(8761), Duration.hours(Lazy.number({ produce: () => 1 }))])(
    'is refused another time (%#)',
    (cleanUpScratchAfter) =>
      expect(() => gridStack({ cleanUpScratchAfter })).toThrow(
        /cleanUpScratchAfter.*whole number from 0 to 8760/,
      ),
  );
});
