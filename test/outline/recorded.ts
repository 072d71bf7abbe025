import { textBeside } from './beside';
import { outline } from './outline';
import { reference } from './reference-templates';
import { text } from './section';

/** The stacks that are shown beside one of another deployment, which they are nearly equal to. */
const MODELS: Readonly<Record<string, string>> = {
  'sas-grid-lustre-2015-storage': 'sas-grid-lustre',
  'nfs-storage-server-storage': 'sas-grid-nfs',
  ...ofAll(
    'network',
    'sas-grid-fsx',
    'sas-grid-lustre',
    'sas-grid-lustre-2015',
    'sas-grid-gfs2',
    'sas-server-io2',
  ),
  ...ofAll('grid', 'sas-grid-fsx', 'sas-grid-lustre', 'sas-grid-lustre-2015'),
  ...ofAll('benchmark', 'sas-grid-fsx', 'sas-grid-lustre', 'sas-grid-gfs2', 'sas-server-io2'),
};

function ofAll(stack: string, ...deployments: string[]): Record<string, string> {
  return Object.fromEntries(deployments.map((name) => [`${name}-${stack}`, 'sas-grid-nfs']));
}

/** The outline of a stack of a reference deployment, as its snapshot has it. */
export function recorded(deployment: string, stack: string): string {
  const model = MODELS[`${deployment}-${stack}`];
  const sections = sectionsOf(deployment, stack);
  return model ? textBeside(sections, sectionsOf(model, stack), `${model}-${stack}`) : text(sections);
}

function sectionsOf(deployment: string, stack: string) {
  const template = JSON.stringify(reference(deployment).templates[`${deployment}-${stack}`]);
  return outline(JSON.parse(withoutName(template, deployment)));
}

/** The names of the deployment and of its stacks are written as `<name>`, so that others can be compared with it. */
const withoutName = (template: string, deployment: string): string =>
  template.replace(
    new RegExp(`(?<![\\w-])${deployment}(?=-(network|storage|grid|benchmark)\\b|\\\\?")`, 'g'),
    '<name>',
  );
