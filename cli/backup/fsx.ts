import { FSxClient, paginateDescribeBackups } from '@aws-sdk/client-fsx';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import type { Document } from 'yaml';
import { DEPLOYMENT_TAG } from '../../constructs/private/tags';
import { type FoundSet, setsOf } from '../../lambda/shared/backup-set';
import { asSnapshot, type DescribedBackup, USER_INITIATED } from '../../lambda/shared/fsx-backups';
import { OptionError } from '../arguments';
import { ATTEMPTS, ask } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';

/** The kind of sets that FSx makes. */
export const FSX_LUSTRE = 'fsx-lustre';

/** The sets of a deployment that FSx has made in a region. */
export async function fsxSets(deployment: string, region: string): Promise<FoundSet[]> {
  const client = new FSxClient({ region, retryStrategy: new ConfiguredRetryStrategy(ATTEMPTS, delayMs) });
  const found = await ask('fsx:DescribeBackups', async () => {
    const all: DescribedBackup[] = [];
    for await (const { Backups } of paginateDescribeBackups({ client }, { Filters: USER_INITIATED }))
      all.push(...(Backups ?? []));
    return all;
  });
  const own = found.filter(({ Tags }) =>
    Tags?.some(({ Key, Value }) => Key === DEPLOYMENT_TAG && Value === deployment),
  );
  return setsOf(own.map(asSnapshot));
}

/**
 * Lays a backup of FSx for Lustre in, with the capacity and the throughput that the file system had: FSx restores to
 * the same only, whatever either has become since.
 *
 * @throws OptionError when they do not fit together
 */
export function layInFsx(document: Document, file: string, { set, snapshots }: FoundSet): void {
  const [backup, ...others] = snapshots;
  if (backup === undefined || others.length > 0)
    throw new OptionError(`the set ${set} has ${snapshots.length} backups; a file system is made of one`);
  if (!document.hasIn(['fsxLustre'])) throw new OptionError(`${file} has no fsxLustre, of which the set is`);
  const { capacityGiB, throughputPerTiB, throughputMBps } = backup.madeWith ?? {};
  const storage = throughputMBps === undefined ? 'ssd' : 'intelligentTiering';
  if (!document.hasIn(['fsxLustre', storage])) {
    throw new OptionError(
      `${file} has no fsxLustre.${storage}; the set ${set} is of a file system with that storage class, and FSx ` +
        'restores to the same one only. Take the configuration that NAME was deployed with then.',
    );
  }
  // Of Intelligent-Tiering the capacity follows the data, whatever FSx says that it was.
  const bought = storage === 'ssd' ? { capacityGiB, throughputPerTiB } : { throughputMBps };
  for (const [name, value] of Object.entries(bought))
    if (value !== undefined) document.setIn(['fsxLustre', storage, name], value);
  document.setIn(['fsxLustre', 'restoreFrom'], backup.snapshotId);
}
