import { existsSync } from 'node:fs';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadConfig } from './config';
import { createDeployment, hostsFile, imagesFile, recordFile } from './deployment';
import { consentsToRestart, RESTART_HOSTS, requireRestartConsent, runningHosts } from './running-hosts';
import { createCatalog } from './service-catalog/catalog';
import { catalogNames, loadCatalog } from './service-catalog/catalog-config';

/** What is deployed when nothing is named. */
const DEFAULT_DEPLOYMENT = 'sas-grid-lustre';

/**
 * Fills an app with the deployment or the catalog that its context names, and has cdk-nag look at it.
 *
 * @throws ConfigError, KeptResourceError, RestartError or InvalidInputError with a message for the user
 */
export function fillApplication(app: App): void {
  const name = String(app.node.tryGetContext('deployment') ?? DEFAULT_DEPLOYMENT);
  if (catalogNames().includes(name)) createCatalog(app, name, loadCatalog(name));
  else fillDeployment(app, name);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

function fillDeployment(app: App, name: string): void {
  createDeployment(app, name, loadConfig(name), recordFile(name), imagesRecord(app, name));
  if (consentsToRestart(app)) return;
  const command = `make deploy DEPLOYMENT=${name} CONSENT=${RESTART_HOSTS} (or cdk with -c consent=${RESTART_HOSTS})`;
  requireRestartConsent(hostsFile(name), existsSync(recordFile(name)), runningHosts(app), command);
}

/** The context `images` names another file than the deployment's own. */
const imagesRecord = (app: App, name: string): string =>
  String(app.node.tryGetContext('images') ?? imagesFile(name));
