import { impactOf, isVersioned } from '../upgrade/impacts';
import { digest } from './packed';
import { entries, type Section } from './section';
import { deploymentOf } from './settings';
import type { Resource, Resources } from './template';
import { sorted } from './template';
import { flow, plain } from './values';

/** Values of properties that are longer stand in the settings, and here by a digest. */
export const LONG = 160;

/** One line for each resource. */
export const resourceLines = (resources: Resources): Section['entries'] =>
  entries(sorted(resources).map(([id, resource]) => [id, [lineOf(id, resource)]]));

function lineOf(id: string, resource: Resource): string {
  const deployment = deploymentOf(resource);
  const names = [...namesIn([resource.Properties, resource.Condition])].sort();
  const waitsFor = [resource.DependsOn ?? []].flat();
  const parts = [
    `${id} ${resource.Type}`,
    ...(deployment ? [`of ${deployment}`] : []),
    ...retention(resource),
    ...impacts(resource),
    ...(names.length > 0 ? [`refers to ${names.join(' ')}`] : []),
    ...(waitsFor.length > 0 ? [`after ${waitsFor.join(' ')}`] : []),
  ];
  return parts.join('; ');
}

/** What becomes of it when it leaves the stack, and when another one replaces it. */
function retention({ DeletionPolicy, UpdateReplacePolicy }: Resource): string[] {
  if (DeletionPolicy === undefined && UpdateReplacePolicy === undefined) return [];
  return [`when deleted ${DeletionPolicy ?? 'default'}, when replaced ${UpdateReplacePolicy ?? 'default'}`];
}

/** The properties that an update does not change in place, by what it does. */
function impacts(resource: Resource): string[] {
  const { Type, Properties = {} } = resource;
  const found = new Map<string, Record<string, unknown>>();
  for (const [name, value] of Object.entries(Properties)) {
    const impact = impactOf(Type, name);
    if (!impact || (name === 'Content' && isVersioned(resource))) continue;
    const text = flow(plain(value));
    found.set(impact, { ...found.get(impact), [name]: text.length > LONG ? digest(text) : plain(value) });
  }
  return [...found].map(([impact, values]) => `${impact} ${flow(values)}`);
}

/** The names that a value refers to, but for those that every stack has. */
function namesIn(value: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (item: unknown): void => {
    if (Array.isArray(item)) item.forEach(visit);
    else if (typeof item === 'object' && item !== null) {
      for (const [key, argument] of Object.entries(item)) {
        if (key === 'Ref' || key === 'Fn::GetAtt') names.add(String([argument].flat()[0]).split('.')[0]!);
        else if (key === 'Fn::ImportValue') names.add(flow(plain(argument)));
        else visit(argument);
      }
    }
  };
  visit(value);
  return new Set([...names].filter((name) => !name.startsWith('AWS::')));
}
