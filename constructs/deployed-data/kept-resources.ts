import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { type Identity, identityOf, nameOf } from './identity';

/** The identities of a deployment by '<stack>/<logical id>'. */
export type KeptResources = Readonly<Record<string, Identity>>;

/** A change that would leave something deployed, and perhaps the data on it, behind. */
export class KeptResourceError extends Error {
  public override readonly name = 'KeptResourceError';
}

/**
 * The volumes and managed file systems that hold data, the interfaces whose addresses are written into Lustre's own
 * configuration, the network they stand in, the servers of a grid, and the stacks themselves.
 */
export function keptResources(root: IConstruct): KeptResources {
  const found: Record<string, Identity> = {};
  for (const node of root.node.findAll()) {
    const identity = identityOf(node);
    if (!identity) continue;
    const name = nameOf(node);
    if (name in found) {
      const fix = 'Protect each stage or environment on its own, with a record of its own.';
      throw new KeptResourceError(`Two stacks of the app have one name: ${name} is there twice. ${fix}`);
    }
    found[name] = resolved(node, identity);
  }
  return found;
}

/** What is recorded of a deployment; nothing without a record. */
export function readRecord(file: string): KeptResources {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KeptResources;
  } catch (error) {
    const fix = 'Take it from version control, or undo what was edited.';
    throw new KeptResourceError(`The record ${file} of what is deployed cannot be read: ${error}. ${fix}`);
  }
}

/** Writes down what is deployed now, so that a later synthesis can refuse to leave it behind. */
export function recordKeptResources(file: string, resources: KeptResources): void {
  const sorted = Object.fromEntries(Object.entries(resources).sort(([a], [b]) => a.localeCompare(b)));
  // All of it or nothing: half a record protects nothing.
  writeFileSync(`${file}.new`, `${JSON.stringify(sorted, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/**
 * Refuses a synthesis that would leave a recorded volume or address behind. Without a record it does nothing.
 *
 * @throws KeptResourceError naming each resource, what changes, and what to do instead
 */
export function checkKeptResources(file: string, resources: KeptResources): void {
  const recorded = readRecord(file);
  const problems = Object.entries(recorded).flatMap(([name, before]) =>
    resources[name]
      ? problemsOfChanged(name, withKnownZone(before, recorded), withKnownZone(resources[name], resources))
      : problemsOfRemoved(name, before),
  );
  if (!problems.length) return;
  throw new KeptResourceError(
    [
      'This change would leave behind or replace what is deployed, and with volumes and addresses the data of ' +
        'the file system:',
      ...problems.map((problem) => `  - ${problem}`),
      'To keep the data, undo the change. To move it, deploy a second deployment under another name and copy the data.',
      'To serve kept volumes again after their stacks were deleted, follow docs/operations/restore.md.',
      `If nothing of this is deployed (any more), delete ${relative(process.cwd(), file)} and synthesize again.`,
    ].join('\n'),
  );
}

function problemsOfRemoved(name: string, before: Identity): string[] {
  if (!name.includes('/'))
    return [
      `the stack ${name} is no longer in the deployment; it would stay as it is. With it still in the app, or ` +
        `its key in the configuration, delete it: npx cdk destroy ${name} --exclusively (and -c ` +
        `deployment=<name>). Then take it out, and ${name} out of the record`,
    ];
  if (!isServer(before)) return [`${name} is no longer in the deployment; CloudFormation would let go of it`];
  if (before.terminationProtection !== true) return [];
  return [
    `${name} is no longer in the deployment, and protected against termination: CloudFormation could not end ` +
      'it. Deploy it with terminationProtection: false first',
  ];
}

/** What is recorded only lately, or only where there is some: a record without it says nothing of it. */
const LATER = ['existingVolumes', 'stripeKiB', 'metadataIops', 'throughputMBps'];

/** What AWS changes in place as long as it becomes more, and why less is refused. */
const GROWING: Readonly<Record<string, string>> = {
  sizeGiB: 'storage only grows',
  metadataIops: 'FSx only increases the metadata operations of a file system',
  throughputMBps: 'FSx only increases the throughput of Intelligent-Tiering',
};

function problemsOfChanged(name: string, before: Identity, after: Identity): string[] {
  return Object.keys({ ...before, ...after })
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .filter((key) => !(key in GROWING && Number(after[key]) > Number(before[key])))
    .filter((key) => key !== 'terminationProtection' && !(LATER.includes(key) && !(key in before)))
    .map(
      (key) =>
        `${name}: ${key} changes from ${show(before[key])} to ${show(after[key])}${whyRefused(key, before)}`,
    );
}

const isServer = (identity: Identity): boolean => 'terminationProtection' in identity;

/**
 * A zone that follows that of a subnet, as a name where it is known: by the configuration, or because somebody has
 * written into the record what is deployed.
 */
function withKnownZone(identity: Identity, all: KeptResources): Identity {
  const { 'Fn::GetAtt': attribute } = (identity.availabilityZone ?? {}) as {
    'Fn::GetAtt'?: [string, string];
  };
  const subnet = Object.keys(all).find((name) => name.endsWith(`/${attribute?.[0]}`));
  return subnet ? { ...identity, availabilityZone: all[subnet]?.availabilityZone } : identity;
}

/**
 * What FSx or the configuration offers instead, of the properties that look as if they could be changed at any time.
 */
const WAYS_OUT: Readonly<Record<string, string>> = {
  perUnitStorageThroughput:
    'keep the value of throughputPerTiB here, and have FSx change it in place: ' +
    'aws fsx update-file-system --file-system-id fs-... --lustre-configuration PerUnitStorageThroughput=...',
  copyTagsToBackups: 'name copyTagsToBackups as it is deployed, whatever the retention of the backups is',
};

function whyRefused(key: string, before: Identity): string {
  if (key in GROWING) return `; ${GROWING[key]}`;
  if (isServer(before))
    return (
      '; a new server could not have the interface while the former one runs. To move it: with ' +
      'terminationProtection: false deployed, terminate it (aws ec2 terminate-instances), take it out of the ' +
      'record, and deploy'
    );
  if (key === 'availabilityZone' && typeof before[key] === 'object')
    return (
      '; it cannot be changed in place. If this is the zone that is deployed (aws ec2 describe-subnets ' +
      '--filters Name=tag:aws:cloudformation:stack-name,Values=<name>-network), write it into the record as ' +
      'availabilityZone of the subnets'
    );
  if (key === 'backupId')
    return (
      '; CloudFormation would put another one in its place. Leave backupId (restoreFrom in a configuration) as it ' +
      'was deployed, also when the backup is gone. What is restored is a deployment of its own: cdk-sas-grid restore'
    );
  const wayOut = WAYS_OUT[key];
  if (!wayOut) return '; it cannot be changed in place';
  return before[key] === undefined
    ? `: the record is from before this was recorded. Write into it, as ${key}, what is deployed, which aws fsx ` +
        'describe-file-systems shows'
    : `; CloudFormation would make a new, empty file system. Instead, ${wayOut}`;
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** The properties as they will stand in the template; those without a value are left out. */
function resolved(scope: IConstruct, properties: Identity): Identity {
  const plain = Stack.of(scope).resolve(properties) as Record<string, unknown>;
  return JSON.parse(JSON.stringify(plain)) as Identity;
}
