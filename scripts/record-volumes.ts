/**
 * Records the volumes of a deployment that has just been deployed, and its hosts once they are deployed, too:
 * npx tsx scripts/record-volumes.ts <deployment> [--hosts]
 */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { App } from 'aws-cdk-lib';
import { keptResources, recordKeptResources } from '../constructs/deployed-data/kept-resources';
import { loadConfig } from '../lib/config';
import { createDeployment, hostsFile, recordFile } from '../lib/deployment';
import { recordKeptStorage } from '../lib/record-storage';
import { recordRunningHosts, runningHosts } from '../lib/running-hosts';

const [name, hosts] = process.argv.slice(2);
if (!name || name.startsWith('-') || (hosts && hosts !== '--hosts')) {
  console.error('Usage: npx tsx scripts/record-volumes.ts <deployment> [--hosts]');
  process.exit(64);
}
const app = new App();
createDeployment(app, name, loadConfig(name));
const resources = keptResources(app);
const recorded = (file: string, what: string) =>
  console.log(`${relative(process.cwd(), file)} records ${what}; commit it.`);
if (hosts) {
  const running = runningHosts(app);
  recordRunningHosts(hostsFile(name), running);
  recordKeptResources(recordFile(name), resources);
  recorded(hostsFile(name), `what ${Object.keys(running).length} hosts were started with`);
} else {
  // No host of a first deployment runs yet: if it fails and is deployed again, nothing has to be agreed on.
  if (!existsSync(recordFile(name))) recordRunningHosts(hostsFile(name), {});
  recordKeptStorage(recordFile(name), name, resources);
  recorded(recordFile(name), `${Object.keys(resources).length} volumes and addresses`);
}
