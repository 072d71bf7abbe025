import { entries, type Section } from './section';
import { type Resources, sorted } from './template';
import { flow, plain } from './values';

/** The properties that the line of an alarm shows. */
export const ALARM_PROPERTIES: readonly string[] = [
  'Namespace',
  'MetricName',
  'Dimensions',
  'Statistic',
  'ComparisonOperator',
  'Threshold',
  'EvaluationPeriods',
  'Period',
  'TreatMissingData',
  'AlarmActions',
];

const SIGNS: Readonly<Record<string, string>> = {
  GreaterThanOrEqualToThreshold: '>=',
  GreaterThanThreshold: '>',
  LessThanThreshold: '<',
  LessThanOrEqualToThreshold: '<=',
};

/** One line for each alarm; the settings have what is unusual. */
export function alarms(resources: Resources): Section['entries'] {
  const all = sorted(resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
  return entries(all.map(([id, { Properties = {} }]) => [id, [`${id} ${alarmLine(Properties)}`]]));
}

function alarmLine(properties: Readonly<Record<string, unknown>>): string {
  const shown = (name: string): string => flow(plain(properties[name]));
  const operator = shown('ComparisonOperator');
  return [
    `${shown('Statistic')} of ${shown('Namespace')} ${shown('MetricName')} ${shown('Dimensions')}`,
    `${SIGNS[operator] ?? operator} ${shown('Threshold')}`,
    `${shown('EvaluationPeriods')} times ${shown('Period')} s`,
    `missing data ${shown('TreatMissingData')}`,
    `tells ${shown('AlarmActions')}`,
  ].join('; ');
}
