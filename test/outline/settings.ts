import { impactOf } from '../upgrade/impacts';
import { ALARM_PROPERTIES } from './alarms';
import { documentProperty } from './documents';
import { LONG } from './resource-lines';
import { entries, type Section } from './section';
import { RULE_PROPERTIES } from './security-groups';
import { isOfPolicy, isPolicy } from './statements';
import type { Resource, Resources } from './template';
import { sorted } from './template';
import { block, flow, plain, tagsOf } from './values';

/** Words for people in the console: an update changes them in place, and nothing reads them. */
const WORDS: readonly string[] = ['Description', 'AlarmDescription'];
const DEPLOYMENT = 'cdk-sas-grid:deployment';
/** Attributes of a resource that its line has. */
const OF_LINE: readonly string[] = [
  'Type',
  'Properties',
  'DeletionPolicy',
  'UpdateReplacePolicy',
  'DependsOn',
];

/** What an update changes in place and no other section shows, by resource. */
export function settings(resources: Resources): Section['entries'] {
  return entries(
    sorted(resources).map(([id, resource]) => {
      const rest = settingsOf(resource, id);
      return [id, Object.keys(rest).length > 0 ? block(id, rest) : []];
    }),
  );
}

function settingsOf(resource: Resource, id: string): Record<string, unknown> {
  const { Type, Properties = {} } = resource;
  const attributes = Object.entries(resource).filter(([name]) => !OF_LINE.includes(name));
  const shown = Object.entries(Properties).flatMap(([name, value]): [string, unknown][] => {
    if (isHeld(Type, name, value) || isOfPolicy(resource, id, name)) return [];
    if (!/Tags$/.test(name) || !Array.isArray(value)) return [[name, plain(value)]];
    const tags = tagsOf(value.filter((tag) => tag?.Key !== DEPLOYMENT));
    return Object.keys(tags).length > 0 ? [[name, tags]] : [];
  });
  return Object.fromEntries([...shown, ...attributes.map(([name, value]) => [name, plain(value)] as const)]);
}

/** Whether another section shows the property, or nobody needs it. */
function isHeld(type: string, name: string, value: unknown): boolean {
  if (name === documentProperty(type)) return true;
  const impact = impactOf(type, name);
  if (impact) return flow(plain(value)).length <= LONG;
  return (
    (WORDS.includes(name) && type.startsWith('AWS::')) ||
    (type === 'AWS::CloudWatch::Alarm' && ALARM_PROPERTIES.includes(name)) ||
    RULE_PROPERTIES[type]?.includes(name) ||
    isPolicy(value)
  );
}

/** The deployment that a resource's tag names. */
export function deploymentOf({ Properties = {} }: Resource): string | undefined {
  const lists = Object.entries(Properties).filter(([name]) => /Tags$/.test(name));
  const tags = lists.flatMap(([, list]) => (Array.isArray(list) ? list : []));
  const named = tags.filter((tag) => tag?.Key === DEPLOYMENT);
  return named.length > 0
    ? named.map(({ Key: _, ...tag }) => Object.values(tag).map(plain).map(flow).join(' ')).join(', ')
    : undefined;
}
