import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation';
import { seconds } from '../../cli/terminal';
import { loadConfig } from '../../lib/config';
import { assemblyFolder, type CdkSettings, cdk } from './cdk';
import type { Clients } from './clients';
import { type Cluster, type ClusterNode, tiersOf } from './cluster';
import { bringImages } from './images';
import type { Tier } from './model';
import { DemoError } from './processes';
import { stacksOf } from './teardown';

/** What the storage stack's outputs tell about the deployment. */
export interface Deployment {
  /** Name of the DynamoDB table with the volume map; '' for a cluster, which has none. */
  readonly table: string;
  /** What the hosts mount, or the name of it. */
  readonly fileSystem: string;
  /** Network id of Lustre's management server; '' where there is none. */
  readonly mgsNid: string;
  readonly tiers: Tier[];
  /** Only where nodes share their volumes. */
  readonly cluster?: Cluster;
  /** Set when AWS runs the file system: there are then no tiers and no map. */
  readonly managed?: ManagedFileSystem;
  /** Only where the configuration has a benchmark. */
  readonly benchmark?: BenchmarkOutputs;
}

/** What the outputs tell about the benchmark. */
export interface BenchmarkOutputs {
  readonly workflowArn: string;
  readonly bucket: string;
}

/** A file system that AWS runs. */
export interface ManagedFileSystem {
  readonly id: string;
  readonly mountSource: string;
}

/** Bootstraps, synthesizes and deploys all stacks of a reference deployment. */
export async function deploy(
  settings: CdkSettings,
  deployment: string,
  clients: Clients,
  parameters: Record<string, string> = {},
): Promise<Deployment> {
  requireDeployment(settings.root, deployment);
  requireServers(deployment);
  const assembly = assemblyFolder(settings);
  rmSync(assembly, { recursive: true, force: true });
  const synth = ['synth', '--quiet', '-c', `deployment=${deployment}`, '--output', assembly];
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = settings.cloud.environment;
  // Side by side: one waits for the embedded AWS, the other computes.
  await Promise.all([
    // From a folder without cdk.json: with one, cdk synthesizes the app first although it does not need it.
    timed(settings, 'bootstrapped', () =>
      cdk(settings, 'bootstrap', ['bootstrap', `aws://${account}/${region}`], undefined, settings.out),
    ),
    timed(settings, 'synthesized', () => cdk(settings, 'synth', synth)),
  ]);
  const images = await bringImages(settings, deployment, clients);
  if (images.length > 0) {
    rmSync(assembly, { recursive: true });
    await timed(settings, 'synthesized with the images', () => cdk(settings, 'synth', [...synth, ...images]));
  }
  const outputs = join(settings.out, 'outputs.json');
  const args = [
    'deploy',
    '--all',
    '--app',
    assembly,
    '--require-approval',
    'never',
    '--outputs-file',
    outputs,
    ...Object.entries(parameters).flatMap(([key, value]) => ['--parameters', `${key}=${value}`]),
  ];
  try {
    await cdk(settings, 'deploy', [...args, '--progress', 'events'], {
      done: 'deployed',
      doing: 'deploying',
    });
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    const events = await failedEvents(clients, deployment);
    if (events.length === 0) throw error;
    const log = join(settings.out, 'deploy.log');
    throw new DemoError(
      `the deployment failed; cdk's output is in ${log}. What failed:\n${events.join('\n')}`,
    );
  }
  const known = JSON.parse(readFileSync(outputs, 'utf8')) as Record<string, Record<string, string>>;
  return { ...readOutputs(known, deployment), benchmark: benchmarkOf(known) };
}

/** The benchmark's outputs, in whatever stack it stands. */
function benchmarkOf(outputs: Record<string, Record<string, string>>): BenchmarkOutputs | undefined {
  const all = Object.assign({}, ...Object.values(outputs)) as Record<string, string>;
  const { BenchmarkWorkflow: workflowArn, BenchmarkBucket: bucket } = all;
  return workflowArn && bucket ? { workflowArn, bucket } : undefined;
}

function requireDeployment(root: string, deployment: string): void {
  const names = readdirSync(join(root, 'config'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length));
  if (!existsSync(join(root, 'config', `${deployment}.yaml`))) {
    throw new DemoError(`there is no deployment '${deployment}'; config/ has: ${names.join(', ')}`);
  }
}

/** What is on instance store is lost with its server: there is nothing that a replacement could get back. */
export function requireServers(deployment: string, { nfs } = loadConfig(deployment)): void {
  if (!nfs?.instanceStore) return;
  throw new DemoError(
    `the NFS server of '${deployment}' has its data on instance store: a replacement starts empty, and the demo ` +
      `is about data that is kept. Use nfs.ebs, or see its templates with: make synth DEPLOYMENT=${deployment}`,
  );
}

async function timed(settings: CdkSettings, what: string, work: () => Promise<void>): Promise<void> {
  const start = Date.now();
  await work();
  settings.terminal.line(`  ${what} in ${seconds((Date.now() - start) / 1000)}`);
}

/** The outputs of the deployment, checked: an error names the one that is missing. */
export function readOutputs(outputs: Record<string, Record<string, string>>, deployment: string): Deployment {
  const stack = `${deployment}-storage`;
  const known = outputs[stack] ?? {};
  const output = (name: string) => {
    const value = known[name];
    if (!value) {
      const found = Object.keys(known).join(', ') || 'none';
      throw new DemoError(`the stack ${stack} has no output '${name}'; it has: ${found}`);
    }
    return value;
  };
  if (known.FileSystemId !== undefined) {
    const managed = { id: output('FileSystemId'), mountSource: output('MountSource') };
    return { table: '', fileSystem: managed.mountSource, mgsNid: '', tiers: [], managed };
  }
  const lustre = known.FileSystemName !== undefined;
  const ofHosts = known.MountPoint && `${output('FileSystemType')} on ${known.MountPoint}`;
  if (ofHosts && known.Nodes) {
    const cluster = {
      nodes: JSON.parse(known.Nodes) as ClusterNode[],
      volumes: JSON.parse(output('VolumeIds')) as string[],
    };
    return { table: '', fileSystem: ofHosts, mgsNid: '', tiers: tiersOf(cluster), cluster };
  }
  return {
    table: output('VolumeMapTable'),
    fileSystem: ofHosts || (lustre ? output('FileSystemName') : output('MountSource')),
    mgsNid: lustre ? output('MgsNid') : '',
    tiers: readTiers(output('Tiers')),
  };
}

export function readTiers(text: string): Tier[] {
  const tiers = JSON.parse(text) as (Omit<Tier, 'slots'> & { slots: number | unknown[] })[];
  return tiers.map(({ tier, group, workflowArn, slots }) => ({
    tier,
    group,
    workflowArn,
    slots: Array.isArray(slots) ? slots.length : Number(slots),
  }));
}

/** The events of resources that failed, oldest first; those that were only cancelled are noise. */
async function failedEvents(clients: Clients, deployment: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { StackName } of await stacksOf(clients.cloudformation, deployment)) {
    const { StackEvents = [] } = await clients.cloudformation.send(
      new DescribeStackEventsCommand({ StackName }),
    );
    for (const event of [...StackEvents].reverse()) {
      if (!event.ResourceStatus?.endsWith('_FAILED') || event.ResourceStatusReason?.includes('cancelled'))
        continue;
      lines.push(
        `    ${StackName} ${event.LogicalResourceId} (${event.ResourceType}): ${event.ResourceStatusReason}`,
      );
    }
  }
  return lines;
}
