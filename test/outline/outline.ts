import { alarms } from './alarms';
import { documents } from './documents';
import { resourceLines } from './resource-lines';
import { entries, type Section } from './section';
import { securityGroups } from './security-groups';
import { settings } from './settings';
import { keyPolicies, permissions } from './statements';
import type { Template } from './template';
import { block, plain } from './values';

/**
 * A template in lines that a person can review: what each resource is, what would replace it and what it refers to;
 * then who may do what, what reaches what, what tells of trouble, and what an update changes in place.
 */
export function outline(template: Template): Section[] {
  const { Resources, Description: _, ...others } = template;
  return [
    { title: 'resources', entries: resourceLines(Resources) },
    { title: 'permissions', entries: permissions(Resources) },
    { title: 'key policies', entries: keyPolicies(Resources) },
    { title: 'security groups', entries: securityGroups(Resources) },
    { title: 'alarms', entries: alarms(Resources) },
    { title: 'documents', entries: documents(Resources) },
    { title: 'settings', entries: settings(Resources) },
    ...Object.entries(others).map(([title, section]) => ({ title, entries: partsOf(section as object) })),
  ];
}

/** The entries of parameters, outputs and the like. */
const partsOf = (section: object): Section['entries'] =>
  entries(Object.entries(section).map(([name, item]) => [name, block(name, plain(item))]));
