/**
 * Deploys a Lustre file system of many servers to the embedded AWS, looks whether all is served, and takes it down
 * again. Prints JSON.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { type Clients, connect } from '../kit/clients';
import { readHistory } from '../kit/history';
import { readEstate, readVolumes } from '../kit/inventory';
import { type LocalCloud, startLocalCloud, withoutAws } from '../kit/localcloud';
import type { Estate, Tier } from '../kit/model';
import { run, stop, tail } from '../kit/processes';
import { stacksOf, unprotect } from '../kit/teardown';
import { SCALED, scaledConfig, synthesizeScaled } from './scaled';

const ROOT = resolve(__dirname, '..', '..');
const OUT = join(ROOT, 'out', 'bench', 'scale');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      servers: { type: 'string', default: '128' },
      volumes: { type: 'string', default: '8' },
      python: { type: 'string', default: process.env.SAS_GRID_PYTHON || '.venv/bin/python' },
      state: { type: 'string', default: join(OUT, 'state') },
    },
  });
  const [servers, volumes] = [Number(values.servers), Number(values.volumes)];
  mkdirSync(OUT, { recursive: true });
  const assembly = join(OUT, 'cdk.out');
  rmSync(assembly, { recursive: true, force: true });
  synthesizeScaled(scaledConfig(servers, volumes), assembly);
  const cloud = await startLocalCloud(ROOT, values.python, values.state, OUT);
  try {
    const clients = connect(cloud);
    const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = cloud.environment;
    await cdk(cloud, 'bootstrap', ['bootstrap', `aws://${account}/${region}`]);
    const app = ['--app', assembly];
    const deploySeconds = await cdk(cloud, 'deploy', [
      ...['deploy', `${SCALED}-storage`, ...app],
      ...['--require-approval', 'never'],
    ]);
    const nestedStacks = await nestedStacksOf(clients);
    const { table, tiers } = await outputsOf(clients);
    const estate = await readEstate(clients, table, tiers);
    requireServed(estate, servers, volumes);
    await unprotect(clients, SCALED, estate);
    const destroySeconds = await cdk(cloud, 'destroy', ['destroy', '--all', '--force', ...app]);
    const kept = await readVolumes(
      clients,
      estate.slots.flatMap((slot) => slot.volumes),
    );
    require(kept.length, 2 + servers * volumes, 'volumes that outlive the stacks');
    require(readHistory(values.state).filter(({ kind }) => kind === 'violation').length, 0, 'violations');
    console.log(
      JSON.stringify({ servers, volumes: kept.length, nestedStacks, deploySeconds, destroySeconds }),
    );
  } finally {
    await stop(cloud.process);
  }
}

/** Runs the cdk command; its seconds. */
async function cdk(cloud: LocalCloud, name: string, args: string[]): Promise<number> {
  const start = Date.now();
  const logFile = join(OUT, `${name}.log`);
  const program = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const env = {
    ...withoutAws(process.env),
    ...cloud.environment,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CI: 'true',
  };
  const code = await run({ program: process.execPath, args: [program, ...args], cwd: OUT, env, logFile });
  if (code !== 0) throw new Error(`cdk ${name} ended with ${code}:\n${tail(logFile, 25).join('\n')}`);
  return (Date.now() - start) / 1000;
}

async function outputsOf(clients: Clients): Promise<{ table: string; tiers: Tier[] }> {
  const stack = (await stacksOf(clients.cloudformation, SCALED)).find(
    ({ StackName }) => StackName === `${SCALED}-storage`,
  );
  const output = (name: string) => stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  return { table: output('VolumeMapTable') ?? '', tiers: JSON.parse(output('Tiers') ?? '[]') as Tier[] };
}

async function nestedStacksOf({ cloudformation }: Clients): Promise<number> {
  const command = new DescribeStackResourcesCommand({ StackName: `${SCALED}-storage` });
  const { StackResources = [] } = await cloudformation.send(command);
  return StackResources.filter(({ ResourceType }) => ResourceType === 'AWS::CloudFormation::Stack').length;
}

/** Every slot has a server of its own that serves it and holds all of its volumes. */
function requireServed(estate: Estate, servers: number, volumes: number): void {
  require(estate.slots.length, servers + 2, 'slots in the map');
  const served = estate.slots.filter((slot) => slot.owner && slot.servedEpoch === slot.epoch);
  require(served.length, servers + 2, 'slots that are served');
  require(new Set(served.map(({ owner }) => owner)).size, servers + 2, 'servers of slots');
  const held = estate.slots.flatMap((slot) =>
    slot.volumes.filter((id) =>
      estate.volumes
        .find((each) => each.id === id)
        ?.attachments.some((each) => each.instanceId === slot.owner),
    ),
  );
  require(held.length, servers * volumes + 2, 'volumes on the servers of their slots');
}

function require(found: number, wanted: number, what: string): void {
  if (found !== wanted) throw new Error(`${what}: ${found}, not ${wanted}; see ${OUT}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
