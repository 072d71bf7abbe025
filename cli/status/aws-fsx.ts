import { FSxClient, paginateDescribeBackups } from '@aws-sdk/client-fsx';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { ATTEMPTS, ask } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';
import { allPages } from '../preflight/aws/ec2';
import type { BackupLook } from './port';

const OVER: readonly string[] = ['AVAILABLE', 'FAILED', 'DELETED'];

/** Backups of file systems that FSx makes just now: those of sets, and its own. */
export async function backupsUnderWay(region: string, Values: readonly string[]): Promise<BackupLook[]> {
  const client = new FSxClient({ region, retryStrategy: new ConfiguredRetryStrategy(ATTEMPTS, delayMs) });
  const Filters = [{ Name: 'file-system-id' as const, Values: [...Values] }];
  const found = await ask('fsx:DescribeBackups', () =>
    allPages(paginateDescribeBackups({ client }, { Filters }), ({ Backups = [] }) => Backups),
  );
  return found
    .filter(({ Lifecycle = '' }) => !OVER.includes(Lifecycle))
    .map(({ FileSystem, ProgressPercent = 0, CreationTime }) => ({
      fileSystem: FileSystem?.FileSystemId ?? '',
      percent: ProgressPercent,
      since: CreationTime?.toISOString(),
    }));
}
