import { Template } from 'aws-cdk-lib/assertions';
import { loadConfig } from '../../../lib/config';
import { createDeployment } from '../../../lib/deployment';
import { testApp } from '../../helpers/app';

type Resource = { Type: string; Properties: { [name: string]: unknown }; DependsOn?: string[] };

const backup = { schedule: 'cron(0 2 * * ? *)', timeZone: 'UTC', copyTo: { region: 'eu-west-1' } };
const config = { ...loadConfig('sas-grid-nfs'), operations: { backup } };
const { storage, grid, operations } = createDeployment(testApp(), 'sas-grid-nfs', config);

const alarms = [storage, grid!, operations].flatMap((stack) => {
  const resources: { [id: string]: Resource } = Template.fromStack(stack).toJSON().Resources;
  return Object.entries(resources)
    .filter(
      ([, { Type, Properties }]) =>
        Type === 'AWS::CloudWatch::Alarm' && Properties.TreatMissingData === 'breaching',
    )
    .map(([id, alarm]) => ({ id, alarm, resources }));
});

test('an alarm that rings when nobody measures has a first data point before it', () => {
  const named = alarms.map(({ alarm }) => alarm.Properties.MetricName).sort();
  // The rows of a tier have been looked at when it is served, and that alarm is made after that.
  expect(named).toEqual([
    'BackupAgeSeconds',
    'BackupCopyAgeSeconds',
    'SilentNodes',
    'SnapshotAgeSeconds',
    'UnprobedServers',
    'UnservedSlots',
  ]);
  for (const { id, alarm, resources } of alarms) {
    const before = (alarm.DependsOn ?? []).map((each) => resources[each]!);
    if (alarm.Properties.MetricName === 'UnservedSlots') {
      expect(before.length).toBeGreaterThan(0);
      continue;
    }
    const first = before.find(({ Type }) => Type === 'Custom::SasGridFirstData');
    expect([id, first?.Properties.MetricName]).toEqual([id, alarm.Properties.MetricName]);
    // Of exactly the metric that is watched.
    const dimensions = alarm.Properties.Dimensions as { Name: string; Value: unknown }[];
    expect(first!.Properties.Dimensions).toEqual(
      Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, Value])),
    );
    // Whoever measures is there by then: the point counts for the alarm's periods only.
    const earlier = (first!.DependsOn ?? []).map((each) => resources[each]!.Type);
    expect(earlier).toContain('AWS::Events::Rule');
  }
});
