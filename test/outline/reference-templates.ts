import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';
import type { Template } from './template';

/** The templates of a deployment by the names of its stacks, and what its synthesis warns of. */
export interface Synthesized {
  readonly templates: Readonly<Record<string, Template>>;
  readonly warnings: readonly string[];
}

/**
 * Synthesizes a deployment as the application does, with cdk-nag.
 *
 * @throws when cdk-nag finds what nobody acknowledged
 */
export function synthesize(name: string, config: DeploymentConfig = loadConfig(name)): Synthesized {
  const app = testApp();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  createDeployment(app, name, config, '/nonexistent/no-record.json');
  const assembly = app.synth();
  return {
    templates: Object.fromEntries(assembly.stacks.map((stack) => [stack.stackName, stack.template])),
    warnings: assembly.stacks.flatMap((stack) => stack.messages.map((message) => String(message.entry.data))),
  };
}

const known = new Map<string, Synthesized>();

/** A reference deployment, synthesized once. */
export function reference(name: string): Synthesized {
  if (!known.has(name)) known.set(name, synthesize(name));
  return known.get(name)!;
}
