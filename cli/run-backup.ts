import { type FoundSet, isUsable, momentOf } from '../lambda/shared/backup-set';
import { backupSets } from './backup/aws';
import { FSX_LUSTRE } from './backup/fsx';
import type { BackupOptions } from './backup/options';
import { type FoundDeployment, outputOf } from './deployment';
import { whereIs } from './deployment/where';
import type { OperationAws } from './operation/port';
import type { Output } from './output';
import { runOperation } from './run-operation';
import { count, Terminal } from './terminal';

/** Makes a backup, or shows those that are there. @returns the exit code */
export async function runBackup(options: BackupOptions, output: Output): Promise<number> {
  if (options.list) return list(options, output);
  const operation = {
    name: 'backup',
    plan: (deployment: FoundDeployment) => planOf(deployment, options),
    // While FSx copies, it has no lock.
    alsoUnderWay: async (deployment: FoundDeployment, aws: OperationAws, table: string) =>
      fileSystemOf(deployment) === undefined ? undefined : aws.backup(table),
    input: { protect: options.protect },
  };
  return runOperation(operation, options, output);
}

/** Of FSx. */
const fileSystemOf = (deployment: FoundDeployment): string | undefined =>
  outputOf(deployment, 'FileSystemId');

function planOf(deployment: FoundDeployment, { protect }: BackupOptions): string[] {
  const retention = protect
    ? 'retention never deletes them'
    : 'older sets are deleted only as operations.backup.keep says';
  const fileSystem = fileSystemOf(deployment);
  if (fileSystem !== undefined) {
    return [
      `Amazon FSx makes a backup of ${fileSystem}, which can take hours; it is paid until it is deleted`,
      'nobody has to wait: what is written goes on, and the backup is of one moment (file-system-consistent)',
      retention,
    ];
  }
  const map = outputOf(deployment, 'VolumeMapTable') ?? outputOf(deployment, 'VolumeMap');
  return [
    'writes are held, for a minute at most: users wait, and lose nothing',
    `snapshots of all volumes are begun${map ? `, by the map ${map}` : ''}; they are paid until they are deleted`,
    retention,
  ];
}

async function list(options: BackupOptions, output: Output): Promise<number> {
  const { region } = await whereIs(options, output.env);
  const sets = await backupSets(options.deployment, region);
  if (options.json) {
    output.out.write(`${JSON.stringify({ deployment: options.deployment, sets: sets.map(shown) })}\n`);
    return 0;
  }
  const terminal = new Terminal(output.out, output.env);
  if (sets.length === 0) terminal.line(`There is no backup of ${options.deployment} in ${region}.`);
  for (const set of sets) {
    const { moment, snapshots, protect, says, from } = shown(set);
    const notes = `${from ? `, copied from ${from}` : ''}${protect ? ', protected' : ''}`;
    const parts = count(snapshots, partOf(set));
    terminal.line(`${set.set}  ${moment}  ${parts}  ${says}${notes}`);
  }
  return 0;
}

function shown(set: FoundSet) {
  const usable = isUsable(set);
  return {
    set: set.set,
    moment: new Date(momentOf(set)).toISOString(),
    snapshots: set.snapshots.length,
    protect: set.protect,
    from: set.from,
    usable,
    says: usable ? 'can be restored' : whyNot(set),
  };
}

/** What a set is made of. */
export const partOf = ({ kind }: FoundSet): string => (kind === FSX_LUSTRE ? 'backup' : 'snapshot');

/** Why a set cannot be restored. */
export function whyNot(set: FoundSet): string {
  const { state, size, snapshots } = set;
  if (state === 'taking') return 'not judged: a backup is under way, or was cut off';
  if (state !== 'complete') return `${state}: never restored`;
  if (snapshots.length !== size)
    return `incomplete: ${snapshots.length} of ${size} ${partOf(set)}s are there`;
  const failed = snapshots.filter(({ status }) => status === 'error').length;
  if (failed > 0) return `incomplete: ${count(failed, partOf(set))} failed`;
  const done = snapshots.filter(({ status }) => status === 'completed').length;
  return `complete, and EBS still copies: ${done} of ${snapshots.length} snapshots are done`;
}
