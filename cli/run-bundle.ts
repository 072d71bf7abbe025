import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OptionError } from './arguments';
import { type FoundDeployment, findDeployment, outputOf } from './deployment';
import { deploymentAws } from './deployment/aws';
import { whereIs } from './deployment/where';
import { writeArchive } from './evidence/archive';
import { bucketAws, hostsAws, workflowAws } from './evidence/aws';
import { calledBy, chosen, type HostsAws, hostsOf } from './evidence/hosts';
import { onInterrupt } from './evidence/interrupt';
import type { BundleOptions } from './evidence/options';
import type { BucketAws, WorkflowAws } from './evidence/port';
import { logSources } from './evidence/sources';
import { complain, type Output } from './output';
import { noOperations } from './run-logs';
import { count, Terminal } from './terminal';
import { PROGRAM } from './usage';

const FAILED = 1;
const LOOK_SECONDS = 2;

export type BundleAws = WorkflowAws & BucketAws & HostsAws;

interface Contents {
  readonly files: readonly { readonly file: string }[];
  readonly missing: readonly { readonly file: string; readonly from: string; readonly remark?: string }[];
}

/** Collects what support needs. @returns the exit code */
export async function runBundle(options: BundleOptions, output: Output): Promise<number> {
  const { region } = await whereIs(options, output.env);
  const deployment = await findDeployment(options.deployment, deploymentAws(region));
  const aws = { ...workflowAws(region), ...bucketAws(region), ...hostsAws(region) };
  return await bringBundle(options, output, deployment, aws, (seconds) => sleep(seconds * 1000));
}

/** As `runBundle`, once it is known where. */
export async function bringBundle(
  options: BundleOptions,
  output: Output,
  deployment: FoundDeployment,
  aws: BundleAws,
  pause: (seconds: number) => Promise<unknown>,
): Promise<number> {
  const { name } = deployment;
  const workflow = outputOf(deployment, 'BundleWorkflow');
  const bucket = outputOf(deployment, 'BundleBucket');
  if (!workflow || !bucket) throw new OptionError(noOperations(name, 'support bundles'));
  const terminal = new Terminal(options.json ? output.err : output.out, output.env);
  const hosts = await hostsOf(deployment, aws);
  const only = options.host === undefined ? undefined : chosen(hosts, options.host);
  if (options.dryRun) {
    const asked = (only ? [only] : hosts).map(
      (host) => `${calledBy(host)} (${host.instanceId}, ${host.state})`,
    );
    terminal.line(`It would collect, of the last ${options.sinceSeconds / 3600} h:`);
    terminal.line(`  hosts: ${asked.join(', ') || 'none'}`);
    terminal.line(
      `  logs: ${logSources(deployment)
        .map((source) => source.name)
        .join(', ')}`,
    );
    terminal.line(`  rows, alarms, and events of ${deployment.stacks.map((stack) => stack.name).join(', ')}`);
    return 0;
  }
  const id =
    options.id ??
    `bundle-${new Date()
      .toISOString()
      .replace(/[-:]|\.\d+Z/g, '')
      .replace('T', '-')}`;
  const file = options.out ?? `${name}-${id}.tar.gz`;
  checkFile(file);
  // An execution has the ARN of its workflow, and its name behind it.
  const arn = `${workflow.replace(':stateMachine:', ':execution:')}:${id}`;
  if (options.id === undefined) {
    const input = { sinceHours: options.sinceSeconds / 3600, ...(only && { hosts: [only.instanceId] }) };
    await aws.start(workflow, id, input);
  }
  terminal.line(`Bundle ${id} of ${name}: ${arn}`);
  const release = onInterrupt(output, `It goes on. To get it later: ${PROGRAM} bundle ${name} --id ${id}`);
  try {
    const failed = await follow(aws, { arn, bucket, id }, terminal, pause);
    if (failed !== undefined) {
      complain(output, `The bundle ${id} failed: ${failed}`);
      return FAILED;
    }
    return await bring(aws, { bucket, id, file }, options, output, terminal);
  } finally {
    release();
  }
}

function checkFile(file: string): void {
  if (existsSync(file))
    throw new OptionError(`--out is ${file}, which is there: name another file, or remove it.`);
  if (!existsSync(dirname(file)))
    throw new OptionError(`--out is ${file}, whose folder is not there: make it, or name another file.`);
}

/** Tells each part that has come. @returns why it failed */
async function follow(
  aws: BundleAws,
  { arn, bucket, id }: { readonly arn: string; readonly bucket: string; readonly id: string },
  terminal: Terminal,
  pause: (seconds: number) => Promise<unknown>,
): Promise<string | undefined> {
  const told = new Set<string>();
  for (;;) {
    const { status, why } = await aws.execution(arn);
    for (const { path, bytes } of await partsOf(aws, bucket, id)) {
      if (told.has(path)) continue;
      told.add(path);
      terminal.line(`  ${path}  ${bytes} bytes`);
    }
    if (status === 'SUCCEEDED') return undefined;
    if (status !== 'RUNNING') return why ?? `its execution is ${status}`;
    terminal.status(`  ${count(told.size, 'file')}; waiting for hosts`);
    await pause(LOOK_SECONDS);
  }
}

async function partsOf(aws: BucketAws, bucket: string, id: string) {
  const folder = `bundles/${id}/`;
  const objects = await aws.list(bucket, folder);
  return objects
    .map(({ key, bytes }) => ({ key, bytes, path: key.slice(folder.length) }))
    .filter(({ path }) => !path.startsWith('.') && path !== 'contents.json');
}

async function bring(
  aws: BundleAws,
  { bucket, id, file }: { readonly bucket: string; readonly id: string; readonly file: string },
  { json, deployment }: BundleOptions,
  { out }: Output,
  terminal: Terminal,
): Promise<number> {
  const parts = await partsOf(aws, bucket, id);
  // What says what is in it comes first.
  parts.sort((a, b) => Number(b.path === 'contents.txt') - Number(a.path === 'contents.txt'));
  const files = await writeArchive(
    file,
    `${deployment}-${id}`,
    parts.map(({ key, path, bytes }) => ({ path, bytes, open: () => aws.get(bucket, key) })),
  );
  const { missing } = await contentsOf(aws, bucket, id);
  const hosts = missing.filter((one) => one.file.startsWith('hosts/'));
  if (json) {
    out.write(`${JSON.stringify({ deployment, id, archive: file, files, missing })}\n`);
    return 0;
  }
  for (const { from, remark } of hosts) terminal.line(`  missing: ${from}: ${remark}`);
  terminal.line(
    `${file}: ${count(files, 'file')}, secrets removed; ${missing.length} missing. contents.txt in it says`,
  );
  terminal.line('what is there, and why the rest is not. Look through it before you hand it on.');
  return 0;
}

async function contentsOf(aws: BucketAws, bucket: string, id: string): Promise<Contents> {
  const chunks: Buffer[] = [];
  for await (const chunk of await aws.get(bucket, `bundles/${id}/contents.json`))
    chunks.push(Buffer.from(chunk));
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Contents;
}
