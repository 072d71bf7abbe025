import type { RemovalPolicy } from 'aws-cdk-lib';
import * as fsx from 'aws-cdk-lib/aws-fsx';
import type { Construct, IConstruct } from 'constructs';
import { invalid, isConcrete } from '../private/validation';
import { FSX_LUSTRE } from '../sizing';
import { gibibytes } from './checks';
import { DataRepositoryEvent, type S3DataRepository } from './fsx-lustre-props';

// "A path on the file system": no line breaks and the like, nothing that S3 or Lustre reads otherwise.
const DIRECTORY = /^\/$|^(\/[A-Za-z0-9_.-]+)+\/?$/;
const PREFIX = /^[A-Za-z0-9_.=-]+(\/[A-Za-z0-9_.=-]+)*\/?$/;

/** Checks the links of a file system to buckets. */
export function checkRepositories(scope: IConstruct, repositories: S3DataRepository[]): void {
  const most = FSX_LUSTRE.maxDataRepositories;
  if (repositories.length > most) {
    throw invalid(
      scope,
      'The number of s3DataRepositories',
      repositories.length,
      `up to ${most}`,
      'Link a directory further up, or fewer prefixes.',
    );
  }
  repositories.forEach((repository, index) => {
    checkText(scope, 'directory', repository.directory, DIRECTORY, "an absolute path such as '/archive'");
    checkText(
      scope,
      'prefix',
      repository.prefix,
      PREFIX,
      "a prefix such as 'sas/archive', without a slash before it",
    );
    chunkMiB(scope, repository);
    for (const [what, events] of [
      ['importEvents', repository.importEvents],
      ['exportEvents', repository.exportEvents],
    ] as const) {
      if (events && new Set(events).size !== events.length) {
        throw invalid(scope, `s3DataRepositories: ${what}`, events, 'each event once', 'Name each once.');
      }
    }
    for (const other of repositories.slice(0, index)) checkApart(scope, repository, other);
  });
}

function checkText(
  scope: IConstruct,
  what: string,
  value: string | undefined,
  form: RegExp,
  allowed: string,
): void {
  if (!isConcrete(value)) return;
  if (!form.test(value!) || value!.split('/').some((part) => part === '.' || part === '..')) {
    throw invalid(scope, `s3DataRepositories: ${what}`, value, allowed, 'Change it.');
  }
}

function checkApart(scope: IConstruct, one: S3DataRepository, other: S3DataRepository): void {
  if (!isConcrete(one.directory) || !isConcrete(other.directory)) return;
  const [a, b] = [closed(one.directory), closed(other.directory)];
  if (!a.startsWith(b) && !b.startsWith(a)) return;
  throw invalid(
    scope,
    's3DataRepositories: directory',
    one.directory,
    `a directory that neither contains '${other.directory}' nor lies in it`,
    'Each directory is linked to one prefix of one bucket.',
  );
}

function closed(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function chunkMiB(scope: IConstruct, { importedFileChunk }: S3DataRepository): number | undefined {
  if (!importedFileChunk) return undefined;
  const mib = gibibytes(scope, 's3DataRepositories: importedFileChunk', importedFileChunk) * 1024;
  if (
    !Number.isInteger(mib) ||
    mib < FSX_LUSTRE.importedChunkMiB.min ||
    mib > FSX_LUSTRE.importedChunkMiB.max
  ) {
    throw invalid(
      scope,
      's3DataRepositories: importedFileChunk in MiB',
      mib,
      `a whole number from ${FSX_LUSTRE.importedChunkMiB.min} to ${FSX_LUSTRE.importedChunkMiB.max}`,
      'Change it.',
    );
  }
  return mib;
}

/**
 * The id of a link. It comes from the directory, which only one link has: by their order, taking one out of the list
 * would give its resource to the next one, whose own link is kept, and a directory cannot be linked twice.
 */
export function repositoryId({ directory }: S3DataRepository, index: number): string {
  if (!isConcrete(directory)) return `S3DataRepository${index + 1}`;
  return `S3DataRepository${closed(directory).slice(0, -1).replaceAll('/', ':')}`;
}

/** Links a directory. Amazon FSx reaches the bucket by its service-linked role, which it makes itself. */
export function addRepository(
  scope: Construct,
  id: string,
  fileSystemId: string,
  repository: S3DataRepository,
  removalPolicy: RemovalPolicy,
): fsx.CfnDataRepositoryAssociation {
  const imported = repository.importEvents ?? [DataRepositoryEvent.NEW, DataRepositoryEvent.CHANGED];
  const exported = repository.exportEvents ?? [];
  const association = new fsx.CfnDataRepositoryAssociation(scope, id, {
    fileSystemId,
    fileSystemPath: repository.directory,
    dataRepositoryPath: `s3://${repository.bucket.bucketName}/${repository.prefix ?? ''}`,
    batchImportMetaDataOnCreate: repository.importExisting ?? true,
    importedFileChunkSize: chunkMiB(scope, repository),
    s3: {
      autoImportPolicy: imported.length > 0 ? { events: imported } : undefined,
      autoExportPolicy: exported.length > 0 ? { events: exported } : undefined,
    },
  });
  // The link of a retained file system is retained, too.
  association.applyRemovalPolicy(removalPolicy);
  return association;
}
