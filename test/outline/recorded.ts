import { textBeside } from './beside';
import { outline } from './outline';
import { reference } from './reference-templates';
import { text } from './section';
import type { Template } from './template';

/** The deployment beside whose stacks those of another one are shown, which are nearly equal. */
const MODELS: Readonly<Record<string, string>> = {
  'nfs-storage-server': 'sas-grid-nfs',
  'sas-grid-fsx': 'sas-grid-nfs',
  'sas-grid-lustre': 'sas-grid-nfs',
  'sas-grid-lustre-2015': 'sas-grid-lustre',
  'sas-grid-gfs2': 'sas-server-io2',
  'sas-server-io2': 'sas-grid-nfs',
};
/** Stacks that are like no other. */
const OWN: readonly string[] = [
  'sas-grid-fsx-storage',
  'sas-grid-lustre-storage',
  'sas-grid-lustre-images',
  'sas-grid-gfs2-storage',
  'sas-server-io2-storage',
];

/** The name of the deployment beside whose stack this one is shown; undefined for one that is shown in full. */
export const modelOf = (deployment: string, stack: string): string | undefined =>
  OWN.includes(`${deployment}-${stack}`) ? undefined : MODELS[deployment];

/** The outline of a stack of a reference deployment, as its snapshot has it. */
export function recorded(deployment: string, stack: string): string {
  const sections = outline(templateOf(deployment, stack));
  const model = modelOf(deployment, stack);
  if (!model) return text(sections);
  return textBeside(sections, outline(templateOf(model, stack)), `${model}-${stack}`);
}

/** What changes with each file of the hosts: names of parts of an image, and the sum of its programs. */
const PARTS = '-images-(lustre-server|storage-server|grid-node)(-install|-own|-finish)?-';
const OF_IMAGE = new RegExp(`(?<=${PARTS})[0-9a-f]{8}\\b|[0-9a-f]{64}(?= {2}\\$file|\\.gz)`, 'g');

/** A template in which the names of the deployment and of its stacks are `<name>`, as in any other one. */
export function templateOf(deployment: string, stack: string): Template {
  const names = new RegExp(
    `(?<![\\w-])${deployment}(?=-(network|images|storage|grid|benchmark|operations)\\b|\\\\?")`,
    'g',
  );
  const template = reference(deployment).templates[`${deployment}-${stack}`];
  return JSON.parse(JSON.stringify(template).replace(names, '<name>').replace(OF_IMAGE, '<hash>'));
}
