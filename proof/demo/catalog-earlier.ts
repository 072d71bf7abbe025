import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { createCatalog } from '../../lib/service-catalog/catalog';
import { loadCatalog } from '../../lib/service-catalog/catalog-config';
import { recordVersion, type Template } from '../../lib/service-catalog/versions';

/** The name of the version that the demo pretends was there before. */
export const EARLIER = '0.0.1';

type Loose = { Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> };

/**
 * Writes an earlier version of each product, as if it had been deployed: what is now, with smaller functions and other
 * texts of the alarms. An update from it to the current version is one that changes resources.
 */
export function recordEarlier(
  catalog: string,
  folder: string,
  account: string | undefined,
  region: string | undefined,
): void {
  rmSync(folder, { recursive: true, force: true });
  // The cdk command validates the same templates a moment later.
  const app = new App({ builtinCloudFormationValidation: false, outdir: join(folder, 'cdk.out') });
  const stack = createCatalog(app, catalog, loadCatalog(catalog), { account, region, versions: folder });
  app.synth();
  for (const [deployment, product] of Object.entries(stack.products)) {
    recordVersion(folder, deployment, EARLIER, asBefore(product.toTemplate()));
  }
}

function asBefore(template: Template): Template {
  const before = structuredClone(template) as Loose;
  for (const { Type, Properties } of Object.values(before.Resources)) {
    if (Type === 'AWS::Lambda::Function') Properties.MemorySize = Number(Properties.MemorySize) / 2;
    if (Type === 'AWS::CloudWatch::Alarm')
      Properties.AlarmDescription = `Earlier: ${Properties.AlarmDescription}`;
  }
  return before;
}
