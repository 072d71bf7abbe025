import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App, AssetStaging } from 'aws-cdk-lib';
import {
  type KeptResources,
  keptResources,
  recordKeptResources,
} from '../../../constructs/deployed-data/kept-resources';
import { parseConfig } from '../../../lib/config';
import type { DeploymentConfig } from '../../../lib/config-types';
import { createDeployment } from '../../../lib/deployment';
import { recordKeptStorage } from '../../../lib/record-storage';
import { type CdkSettings, cdk } from '../../../proof/kit/cdk';
import type { Clients } from '../../../proof/kit/clients';
import { DemoError, settled } from '../../../proof/kit/processes';
import { type Estate, happenedSince, readEstate } from '../../upgrade/estate';
import { unserved } from '../../upgrade/served';
import { harm } from './harm';

/** What became of bringing a deployment to a configuration. */
export interface Outcome {
  /** What our own error says; undefined when it was deployed. */
  readonly refused?: string;
  /** Whether the cdk command asked about a replacement. */
  readonly asked?: boolean;
  /** What CloudFormation refused, or what was lost; [] when it works. */
  readonly problems: readonly string[];
}

/** What the cdk command asks before it replaces something in a deployment that is not rolled back. */
const ASKS = 'Change includes a replacement which cannot be deployed while rollback is disabled';

/** Errors by which synthesis refuses a configuration. */
const OURS = ['ConfigError', 'InvalidInputError', 'KeptResourceError'];

/** Brings one deployment on an embedded AWS from configuration to configuration, in the order of 'make deploy'. */
export class Deployer {
  private readonly assembly: string;
  private readonly outputs: string;
  private readonly record: string;
  private before?: Estate;
  private asked = false;

  constructor(
    private readonly settings: CdkSettings,
    private readonly clients: Clients,
    private readonly deployment: string,
    private readonly parameters: Readonly<Record<string, string>>,
  ) {
    const { out } = settings;
    this.assembly = join(out, 'cdk.out');
    this.outputs = join(out, 'outputs.json');
    this.record = join(out, 'volumes.json');
    rmSync(this.record, { force: true });
  }

  /** Whether nothing is deployed yet. */
  get fresh(): boolean {
    return this.before === undefined;
  }

  /** Deploys a configuration, or says who refuses it. A deployment that failed is not deployed again. */
  async bring(config: DeploymentConfig): Promise<Outcome> {
    const made = this.synthesize(config);
    if (typeof made === 'string') return { refused: made, problems: [] };
    this.asked = false;
    try {
      await this.deploy('storage', [`${this.deployment}-storage`]);
      recordKeptStorage(this.record, this.deployment, made);
      await this.deploy('all', ['--all', '--outputs-file', this.outputs]);
      recordKeptResources(this.record, made);
    } catch (error) {
      if (!(error instanceof DemoError)) throw error;
      return { problems: [error.message] };
    }
    return { asked: this.asked, problems: await this.lost() };
  }

  private synthesize(config: DeploymentConfig): KeptResources | string {
    const { root } = this.settings;
    rmSync(this.assembly, { recursive: true, force: true });
    // It knows what was put into the folder that is gone.
    AssetStaging.clearAssetHashCache();
    const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as {
      context: Record<string, unknown>;
    };
    const app = new App({
      outdir: this.assembly,
      context,
      analyticsReporting: false,
      builtinCloudFormationValidation: false,
    });
    try {
      const text = JSON.stringify(config);
      createDeployment(
        app,
        this.deployment,
        parseConfig(text, `config/${this.deployment}.yaml`),
        this.record,
      );
      // As it is recorded: with references between stacks, which synthesis turns into exports and imports.
      const kept = keptResources(app);
      app.synth();
      return kept;
    } catch (error) {
      if (OURS.includes((error as Error).name)) return (error as Error).message;
      throw error;
    }
  }

  private async deploy(log: string, what: string[]): Promise<void> {
    const parameters = Object.entries(this.parameters).flatMap(([key, value]) => [
      '--parameters',
      `${key}=${value}`,
    ]);
    const how = ['--app', this.assembly, '--no-rollback', '--require-approval', 'never'];
    const run = (more: string[]) =>
      cdk(this.settings, log, ['deploy', ...what, ...how, ...more, '--progress', 'events', ...parameters]);
    try {
      await run([]);
    } catch (error) {
      if (!(error instanceof DemoError) || !error.message.includes(ASKS)) throw error;
      // The stack is whole: yes is the answer (docs/operations/failed-deployment.md).
      this.asked = true;
      await run(['--force']);
    }
  }

  private async lost(): Promise<string[]> {
    const { clients, deployment, outputs, before } = this;
    const { state } = this.settings.cloud;
    const faults = await settled(
      () => unserved(clients, deployment, outputs),
      (found) => found.length === 0,
    );
    const after = await readEstate(clients, deployment, state);
    this.before = after;
    return [...faults, ...(before ? harm(before, after, happenedSince(state, before.time)) : [])];
  }
}
