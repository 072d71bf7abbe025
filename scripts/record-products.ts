/**
 * Records the products of a catalog that has just been deployed from cdk.out:
 * npx tsx scripts/record-products.ts <catalog>
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PRODUCT_METADATA } from '../lib/service-catalog/product-stack';
import { recordVersion, type Template, versionsFolder } from '../lib/service-catalog/versions';

const [name, assembly = 'cdk.out'] = process.argv.slice(2);
if (!name || name.startsWith('-')) {
  console.error('Usage: npx tsx scripts/record-products.ts <catalog> [folder of the synthesized app]');
  process.exit(64);
}
const folder = versionsFolder(name);
const files = readdirSync(assembly).filter((file) => file.endsWith('.product.template.json'));
for (const file of files) {
  const template = JSON.parse(readFileSync(join(assembly, file), 'utf8')) as Template;
  const product = template.Metadata?.[PRODUCT_METADATA] as { deployment: string; version: string };
  recordVersion(folder, product.deployment, product.version, template);
}
console.log(
  `${relative(process.cwd(), folder)} records ${files.length} products as they were deployed; commit it.`,
);
