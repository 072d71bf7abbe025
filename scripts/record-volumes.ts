/** Records the volumes of a deployment that has just been deployed: npx tsx scripts/record-volumes.ts <deployment> */
import { relative } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadConfig } from '../lib/config';
import { createDeployment, recordFile } from '../lib/deployment';
import { keptResources, recordKeptResources } from '../lib/kept-resources';

const [name] = process.argv.slice(2);
if (!name || name.startsWith('-')) {
  console.error('Usage: npx tsx scripts/record-volumes.ts <deployment>');
  process.exit(64);
}
const app = new App();
createDeployment(app, name, loadConfig(name));
const resources = keptResources(app);
recordKeptResources(recordFile(name), resources);
console.log(
  `${relative(process.cwd(), recordFile(name))} records ${Object.keys(resources).length} volumes and addresses; commit it.`,
);
