import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OptionError } from '../arguments';

/** A part of a template: whatever JSON has. */
// biome-ignore lint/suspicious/noExplicitAny: templates are data of many shapes, which the resolver takes apart
export type Json = any;

/** A template as CloudFormation takes it. */
export interface Template {
  readonly Parameters?: { readonly [name: string]: TemplateParameter };
  readonly Conditions?: { readonly [name: string]: Json };
  readonly Mappings?: { readonly [name: string]: Json };
  readonly Resources?: { readonly [id: string]: TemplateResource };
  readonly Outputs?: {
    readonly [name: string]: { readonly Value: Json; readonly Export?: { readonly Name: Json } };
  };
}

export interface TemplateParameter {
  readonly Type: string;
  readonly Default?: unknown;
  readonly Description?: string;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties?: { readonly [name: string]: Json };
  readonly Metadata?: { readonly [name: string]: unknown };
}

/** What a bootstrapped account has to have. */
export interface Bootstrap {
  /** The parameter of Systems Manager that says which version there is. */
  readonly parameter: string;
  readonly version: number;
}

/** A stack of a cloud assembly. */
export interface AssemblyStack {
  readonly name: string;
  readonly template: Template;
  /** Undefined: known at deployment. */
  readonly account?: string;
  readonly region?: string;
  readonly bootstrap?: Bootstrap;
  /** Reads the template of a stack that is nested in it, by the path that its resource names. */
  readonly nested: (path: string) => Template;
}

/**
 * The stacks of a deployment in a folder that `cdk synth` has written: those whose name is the deployment's, or begins
 * with it and a dash.
 *
 * @throws OptionError when there is no such folder, or no such stack in it
 */
export function readAssembly(folder: string, deployment: string): AssemblyStack[] {
  const stacks = stacksIn(folder);
  const chosen = stacks.filter(({ name }) => name === deployment || name.startsWith(`${deployment}-`));
  if (chosen.length > 0) return chosen;
  const names = stacks.map(({ name }) => name).join(', ') || 'none';
  throw new OptionError(
    `${folder} has no stack of ${deployment}; it has ${names}. Type the name of a deployment.`,
  );
}

function stacksIn(folder: string): AssemblyStack[] {
  const { artifacts = {} } = read(join(folder, 'manifest.json'));
  return Object.entries(artifacts as { [id: string]: Json }).flatMap(
    ([id, { type, environment, properties }]) => {
      if (type === 'cdk:cloud-assembly') return stacksIn(join(folder, properties.directoryName));
      return type === 'aws:cloudformation:stack' ? [stackOf(folder, id, environment, properties)] : [];
    },
  );
}

function stackOf(folder: string, id: string, environment: string, properties: Json): AssemblyStack {
  const [, account, region] = /^aws:\/\/([^/]+)\/(.+)$/.exec(environment) ?? [];
  const version = properties.requiresBootstrapStackVersion;
  const parameter = properties.bootstrapStackVersionSsmParameter;
  return {
    name: properties.stackName ?? id,
    template: read(join(folder, properties.templateFile)),
    account: account === 'unknown-account' ? undefined : account,
    region: region === 'unknown-region' ? undefined : region,
    bootstrap: version && parameter ? { version, parameter } : undefined,
    nested: (path) => read(join(folder, path)),
  };
}

function read(file: string): Json {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OptionError(
      `${file} cannot be read: ${(error as Error).message}. Type --templates with a folder that cdk synth has written.`,
    );
  }
}
