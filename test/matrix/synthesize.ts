import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { createCatalog } from '../../lib/service-catalog/catalog';
import { catalogNames, loadCatalog } from '../../lib/service-catalog/catalog-config';
import type { Case } from './cases';

const FLAGS = join(__dirname, '../../node_modules/aws-cdk-lib/recommended-feature-flags.json');
const recommended = JSON.parse(readFileSync(FLAGS, 'utf8')) as Record<string, unknown>;
const PARTITIONS = '@aws-cdk/core:target-partitions';

/**
 * Contexts of apps: none at all, what `cdk init` writes (aws-cdk 2.1130), and all of aws-cdk-lib's recommended flags.
 */
export const CONTEXTS: Readonly<Record<string, Record<string, unknown>>> = {
  none: {},
  init: { ...recommended, [PARTITIONS]: ['aws', 'aws-cn'] },
  recommended,
};

const ACCOUNT = '111122223333';

function fill(app: App, { name, region }: Case): void {
  if (catalogNames().includes(name)) {
    createCatalog(app, name, { ...loadCatalog(name), region, account: ACCOUNT });
    return;
  }
  const config = loadConfig(name);
  const zone = { availabilityZone: `${region}a` };
  const network: Partial<DeploymentConfig> = config.existingNetwork
    ? { existingNetwork: { ...config.existingNetwork, ...zone } }
    : { network: { ...config.network, ...zone } };
  createDeployment(app, name, { ...config, ...network, region, account: ACCOUNT });
}

interface Violation {
  readonly ruleName: string;
  readonly description: string;
  readonly severity: string;
  readonly violatingConstructs: readonly { readonly constructPath?: string }[];
}

interface Report {
  readonly pluginReports: readonly {
    readonly pluginName: string;
    readonly violations: readonly Violation[];
  }[];
}

/** What validators found that nobody acknowledged. */
function findings(outdir: string): string[] {
  const file = join(outdir, 'validation-report.json');
  if (!existsSync(file)) return [];
  const { pluginReports } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  return pluginReports.flatMap(({ pluginName, violations }) =>
    violations.map(
      ({ ruleName, description, severity, violatingConstructs }) =>
        `${severity}: ${pluginName} ${ruleName} at ${violatingConstructs[0]?.constructPath}: ${description}`,
    ),
  );
}

/** What synthesis says of a case, with the CDK's own validation and cdk-nag: errors and warnings. */
export function said(what: Case, outdir: string): string[] {
  const context = CONTEXTS[what.context];
  const app = new App({ outdir, analyticsReporting: false, context, builtinCloudFormationValidation: true });
  // The report is printed, too.
  const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    fill(app, what);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const messages = app.synth().stacksRecursively.flatMap((stack) => stack.messages);
    const open = messages.filter(({ level }) => level !== 'info');
    return [...open.map(({ level, entry }) => `${level}: ${String(entry.data)}`), ...findings(outdir)];
  } catch (error) {
    return [`error: ${(error as Error).message}`, ...findings(outdir)];
  } finally {
    printed.mockRestore();
  }
}
