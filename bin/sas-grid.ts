#!/usr/bin/env node
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadConfig } from '../lib/config';
import { createDeployment } from '../lib/deployment';
import { createCatalog } from '../lib/service-catalog/catalog';
import { catalogNames, loadCatalog } from '../lib/service-catalog/catalog-config';

// Errors that the user can mend by what their message says: a stack trace would only hide it.
const INPUT_ERRORS = ['ConfigError', 'KeptResourceError', 'InvalidInputError'];

const app = new App();
try {
  const name = String(app.node.tryGetContext('deployment') ?? 'sas-grid-lustre');
  if (catalogNames().includes(name)) createCatalog(app, name, loadCatalog(name));
  else createDeployment(app, name, loadConfig(name));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
} catch (error) {
  // Nothing has been synthesized: there are no templates to deploy by mistake.
  if (!(error instanceof Error) || !INPUT_ERRORS.includes(error.name)) throw error;
  console.error(error.message);
  process.exit(1);
}
