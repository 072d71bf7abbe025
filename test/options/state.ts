import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { type KeptResources, keptResources } from '../../constructs/deployed-data/kept-resources';
import { parseConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';
import type { Template } from '../upgrade/differences';
import { watched } from './watched';

/** A stack and what is nested in it. */
export interface StackState {
  readonly name: string;
  /** By file name. */
  readonly templates: Readonly<Record<string, Template>>;
}

/** What is deployed of a configuration. */
export interface State {
  readonly kept: KeptResources;
  /** In the order in which they are deployed. */
  readonly stacks: readonly StackState[];
}

/**
 * Synthesizes a configuration, as a file with it would be; the templates only when somebody asks for them.
 *
 * @param folder for what is synthesized
 * @param deployed what is recorded of the deployment
 * @param read gets the keys that are read
 * @throws KeptResourceError when something of that would be left behind
 */
export function synthesize(
  name: string,
  config: DeploymentConfig,
  folder: string,
  deployed: KeptResources = {},
  read = new Set<string>(),
): State {
  const outdir = mkdtempSync(join(folder, 'out-'));
  const record = join(folder, 'record.json');
  writeFileSync(record, JSON.stringify(deployed));
  const app = testApp({}, { outdir, analyticsReporting: false });
  const parsed = parseConfig(JSON.stringify(config), `config/${name}.yaml`);
  createDeployment(app, name, watched(parsed, read), record);
  let stacks: StackState[] | undefined;
  return {
    kept: keptResources(app),
    get stacks() {
      stacks ??= stacksOf(app);
      return stacks;
    },
  };
}

/** What an app deploys. */
export function stacksOf(app: App): StackState[] {
  const read = (file: string) => JSON.parse(readFileSync(join(app.outdir, file), 'utf8')) as Template;
  const stacks = app.synth().stacks.map(({ stackName, templateFile, tags }) => {
    const templates: Record<string, Template> = {};
    const add = (file: string) => {
      templates[file] = withTags(tags, read(file));
      nestedIn(templates[file]).forEach(add);
    };
    add(templateFile);
    return { name: stackName, templates };
  });
  rmSync(app.outdir, { recursive: true });
  return stacks;
}

/**
 * Placement groups with the tags of their stack, which CloudFormation gives them beside their own. It cannot change
 * them later.
 */
function withTags(tags: Readonly<Record<string, string>>, template: Template): Template {
  const groups = Object.entries(template.Resources).filter(
    ([, { Type }]) => Type === 'AWS::EC2::PlacementGroup',
  );
  const tagged = groups.map(([id, group]) => {
    const { Properties = {} } = group as { Properties?: { Tags?: { Key: string; Value: string }[] } };
    const own = Object.fromEntries((Properties.Tags ?? []).map(({ Key, Value }) => [Key, Value]));
    return [id, { ...group, Properties: { ...Properties, Tags: { ...tags, ...own } } }] as const;
  });
  return { ...template, Resources: { ...template.Resources, ...Object.fromEntries(tagged) } };
}

function nestedIn({ Resources }: Template): string[] {
  return Object.values(Resources as Record<string, { Type: string; Metadata?: Record<string, string> }>)
    .filter(({ Type }) => Type === 'AWS::CloudFormation::Stack')
    .flatMap(({ Metadata }) => Metadata?.['aws:asset:path'] ?? []);
}
