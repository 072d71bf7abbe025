import { createHash } from 'node:crypto';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type Backup,
  CreateBackupCommand,
  DeleteBackupCommand,
  FSxClient,
  paginateDescribeBackups,
  TagResourceCommand,
} from '@aws-sdk/client-fsx';
import { SFNClient } from '@aws-sdk/client-sfn';
import { BACKUP_TAGS, DEPLOYMENT_TAG } from '../../constructs/private/tags';
import { type FoundSet, setsOf } from '../shared/backup-set';
import { clientOf } from '../shared/client';
import { asSnapshot, USER_INITIATED } from '../shared/fsx-backups';
import { errorName, jsonLog } from '../shared/log';
import type { OperationEnvironment } from '../shared/operation/environment';
import { OperationLock } from '../shared/operation/lock';
import { stacksUnderWay } from '../shared/operation/stacks';
import { DynamoCatalogue } from './aws-catalogue';

import type { Asked, FsxBackup, FsxBackupsPort, FsxPorts } from './fsx-ports';
import type { Label } from './ports';
import { PATIENCE, type Settings } from './settings';

/** What no repetition mends (errors of CreateBackup, FSx API reference). */
const REFUSALS: readonly string[] = [
  'BadRequest',
  'FileSystemNotFound',
  'IncompatibleParameterError',
  'ServiceLimitExceeded',
  'UnsupportedOperation',
  'VolumeNotFound',
];

/** Backups of one deployment, which their tags tell from all others. */
export class FsxBackups implements FsxBackupsPort {
  constructor(
    private readonly client: FSxClient,
    private readonly deployment: string,
  ) {}

  async begin(id: string, { set, kind, protect, size }: Label): Promise<Asked> {
    const tags = {
      [DEPLOYMENT_TAG]: this.deployment,
      [BACKUP_TAGS.set]: set,
      [BACKUP_TAGS.state]: 'taking',
      [BACKUP_TAGS.size]: String(size),
      [BACKUP_TAGS.kind]: kind,
      ...(protect ? { [BACKUP_TAGS.protect]: 'yes' } : {}),
      Name: `${this.deployment} ${set}`,
    };
    try {
      const { Backup } = await this.client.send(
        new CreateBackupCommand({
          ...(id.startsWith('fsvol-') ? { VolumeId: id } : { FileSystemId: id }),
          ClientRequestToken: tokenOf(this.deployment, set, id),
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        }),
      );
      return { state: 'begun', message: Backup?.BackupId ?? '' };
    } catch (error) {
      const { message } = error as Error;
      if (errorName(error) === 'BackupInProgress') return { state: 'busy', message };
      if (REFUSALS.includes(errorName(error))) return { state: 'refused', message };
      throw error;
    }
  }

  async ofSet(set: string): Promise<FsxBackup[]> {
    return (await this.list()).flatMap((each): FsxBackup[] =>
      tagOf(each, BACKUP_TAGS.set) === set
        ? [
            {
              backupId: each.BackupId ?? '',
              of: each.Volume?.VolumeId ?? each.FileSystem?.FileSystemId ?? '',
              lifecycle: each.Lifecycle ?? '',
              percent: each.ProgressPercent,
              failure: each.FailureDetails?.Message,
            },
          ]
        : [],
    );
  }

  async judge(backupIds: readonly string[], state: 'complete' | 'torn'): Promise<void> {
    // Asked for by id, one that somebody has deleted meanwhile would be an error.
    const found = (await this.list()).filter(({ BackupId }) => backupIds.includes(BackupId ?? ''));
    if (state === 'complete' && found.length < backupIds.length)
      throw new Error(`FSx does not list all of ${backupIds.join(', ')}`);
    for (const { ResourceARN } of found) {
      const Tags = [{ Key: BACKUP_TAGS.state, Value: state }];
      await this.client.send(new TagResourceCommand({ ResourceARN, Tags }));
    }
  }

  async sets(): Promise<FoundSet[]> {
    return setsOf((await this.list()).map(asSnapshot));
  }

  async delete(backupId: string): Promise<void> {
    try {
      await this.client.send(new DeleteBackupCommand({ BackupId: backupId }));
    } catch (error) {
      if (errorName(error) !== 'BackupNotFound') throw error;
    }
  }

  private async list(): Promise<Backup[]> {
    const found: Backup[] = [];
    for await (const { Backups } of paginateDescribeBackups(
      { client: this.client },
      { Filters: USER_INITIATED },
    ))
      found.push(...(Backups ?? []));
    return found.filter((each) => tagOf(each, DEPLOYMENT_TAG) === this.deployment);
  }
}

const tagOf = ({ Tags }: Backup, key: string): string | undefined =>
  Tags?.find(({ Key }) => Key === key)?.Value;

const CLIENT = clientOf(PATIENCE);

/** The same for the same backup, and for no other one of the account; at most 63 characters. */
const tokenOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 40);

/** The ports on the real services. */
export function fsxPorts({ table, settings }: OperationEnvironment<Settings>): FsxPorts {
  const dynamo = new DynamoDBClient(CLIENT);
  const stacks = new CloudFormationClient(CLIENT);
  return {
    log: jsonLog((line) => console.log(line), Date.now, 'Deployment'),
    now: Date.now,
    lock: new OperationLock(table, dynamo, new SFNClient(CLIENT)),
    stacksUnderWay: (names) => stacksUnderWay(stacks, names),
    backups: new FsxBackups(new FSxClient(CLIENT), settings.deployment),
    catalogue: new DynamoCatalogue(dynamo, table),
  };
}
