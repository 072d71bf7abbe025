#!/usr/bin/env node
import { App } from 'aws-cdk-lib';
import { fillApplication } from '../lib/application';

// Errors that the user can mend by what their message says: a stack trace would only hide it.
const INPUT_ERRORS = ['ConfigError', 'KeptResourceError', 'RestartError', 'InvalidInputError'];

const app = new App();
try {
  fillApplication(app);
} catch (error) {
  // Nothing has been synthesized: there are no templates to deploy by mistake.
  if (!(error instanceof Error) || !INPUT_ERRORS.includes(error.name)) throw error;
  console.error(error.message);
  process.exit(1);
}
