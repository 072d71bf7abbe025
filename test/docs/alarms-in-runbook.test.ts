import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';
import { REFERENCES } from '../helpers/reference-deployments';

const lustre = loadConfig('sas-grid-lustre');
const nfs = loadConfig('sas-grid-nfs');

/**
 * Deployments, and an alarm that is known to be there. The last ones have what no reference deployment has, and
 * configurations may have.
 */
const DEPLOYMENTS: [name: string, alarm: string | undefined, config: DeploymentConfig][] = [
  ...REFERENCES.map((name): (typeof DEPLOYMENTS)[0] => {
    const config = loadConfig(name);
    // Those with a tier for certain.
    return [name, config.storage || config.nfs ? 'Unserved' : undefined, config];
  }),
  [
    'with-spares',
    'SpareMissing',
    { ...lustre, storage: { ...lustre.storage!, oss: { ...lustre.storage!.oss, hotSpares: 1 } } },
  ],
  [
    'with-instance-store',
    'NoServer',
    { ...nfs, gameDay: undefined, nfs: { instanceStore: { dataLossAcceptableBecause: 'it is a test' } } },
  ],
  [
    'with-backups',
    'BackupTooOld',
    { ...nfs, operations: { backup: { schedule: 'cron(0 2 * * ? *)', timeZone: 'UTC' } } },
  ],
  ['with-archive', 'NotWritten', { ...nfs, nfs: { ...nfs.nfs, archive: {} } }],
];

interface Alarm {
  readonly id: string;
  readonly text: string;
  /** The metric of a tier's own functions that it watches. */
  readonly ownMetric?: string;
}

/** The alarms of a deployment: what the name of each ends in, and its text. */
function alarmsOf(name: string, config: DeploymentConfig): Alarm[] {
  const app = testApp();
  createDeployment(app, name, config, '/nonexistent/no-record.json');
  app.synth();
  return app.node
    .findAll()
    .filter((each) => each instanceof cloudwatch.CfnAlarm)
    .map((alarm) => {
      const { alarmDescription, dimensions, metricName } = Stack.of(alarm).resolve({
        alarmDescription: alarm.alarmDescription,
        dimensions: alarm.dimensions,
        metricName: alarm.metricName,
      });
      return {
        id: alarm.node.scope!.node.id,
        text: String(alarmDescription),
        ...(dimensions?.[0]?.name === 'Tier' && { ownMetric: String(metricName) }),
      };
    });
}

const page = readFileSync('docs/operations/failover.md', 'utf8');

/** The text below a heading, down to the next one of its rank or above. */
function section(anchor: string): string {
  const lines = page.split('\n');
  const anchorOf = (line: string) =>
    (/^#+ (.*)/.exec(line)?.[1] ?? '')
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-');
  const start = lines.findIndex((line) => anchorOf(line) === anchor);
  if (start < 0) return '';
  const rank = lines[start]!.indexOf(' ');
  const end = lines.findIndex((line, at) => at > start && new RegExp(`^#{1,${rank}} `).test(line));
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

/** The list with which somebody who is woken up begins: what each entry is about, what it says, and where it leads. */
const rows = section('which-alarm')
  .split(/^(?=- )/m)
  .filter((entry) => entry.startsWith('- `'))
  .map((entry) => {
    const [about, next] = entry.slice(2).split('**Look at**');
    const alarms = /^(`[^`]+`,?\s*)+/.exec(about!)![0];
    return {
      alarms: [...alarms.matchAll(/`([^`]+)`/g)].map(([, each]) => each!),
      meaning: about!.slice(alarms.length).replace(/\W/g, ''),
      leadsTo: /\]\(#([^)]+)\)/.exec(next!)?.[1],
    };
  });

/** An entry names an alarm, or has its text, in which '...' stands for anything. */
function isAbout(named: string, { id, text }: Alarm): boolean {
  if (!named.includes(' ')) return named === id;
  const words = named.split('...').map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${words.join('.*')}`).test(text);
}

/** An entry that says nothing itself leads to a section that does. */
const isExplained = (alarm: Alarm): boolean =>
  rows.some(
    ({ alarms, meaning, leadsTo = '' }) =>
      alarms.some((named) => isAbout(named, alarm)) &&
      (meaning || section(leadsTo).includes(`\`${alarm.id}\``)),
  );

const METRICS = ['volume-reattachment', 'nfs-storage-server']
  .map((name) => readFileSync(`constructs/${name}/README.md`, 'utf8'))
  .join('');

describe.each(DEPLOYMENTS)('%s', (name, known, config) => {
  const alarms = alarmsOf(name, config);

  test('every alarm is in the runbook, with what to do', () => {
    expect(alarms.filter((alarm) => !isExplained(alarm))).toEqual([]);
    if (known) expect(alarms.map(({ id }) => id)).toContain(known);
  });

  test('every metric of a tier that an alarm watches is in a README', () => {
    const watched = alarms.flatMap(({ ownMetric }) => ownMetric ?? []);
    expect(watched.filter((metric) => !METRICS.includes(`\`${metric}\``))).toEqual([]);
    if (known === 'Unserved') expect(watched).toContain('UnservedSlots');
  });
});
