#!/usr/bin/env node
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigError, loadConfig } from '../lib/config';
import { createDeployment } from '../lib/deployment';
import { KeptResourceError } from '../lib/kept-resources';

const app = new App();
try {
  const name = String(app.node.tryGetContext('deployment') ?? 'sas-grid-lustre');
  createDeployment(app, name, loadConfig(name));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
} catch (error) {
  // What the user can mend needs no stack trace, and leaves no half-built output.
  if (error instanceof ConfigError || error instanceof KeptResourceError) {
    console.error(error.message);
    process.exit(1);
  }
  throw error;
}
