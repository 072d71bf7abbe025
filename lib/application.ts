import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadConfig } from './config';
import { createDeployment } from './deployment';
import { createCatalog } from './service-catalog/catalog';
import { catalogNames, loadCatalog } from './service-catalog/catalog-config';

/** What is deployed when nothing is named. */
const DEFAULT_DEPLOYMENT = 'sas-grid-lustre';

/**
 * Fills an app with the deployment or the catalog that its context names, and has cdk-nag look at it.
 *
 * @throws ConfigError, KeptResourceError or InvalidInputError with a message for the user
 */
export function fillApplication(app: App): void {
  const name = String(app.node.tryGetContext('deployment') ?? DEFAULT_DEPLOYMENT);
  if (catalogNames().includes(name)) createCatalog(app, name, loadCatalog(name));
  else createDeployment(app, name, loadConfig(name));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
