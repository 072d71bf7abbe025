import { statSync } from 'node:fs';
import type { Construct } from 'constructs';
import { LustreBackend } from '../intel-lustre';
import { requireUsableKey } from '../private/imported';
import { gibibytes, invalid, isConcrete } from '../private/validation';
import type { BuiltImageProps, LustreSourceTree } from './props';

/** The release of EL that is built on where none is named. */
export const DEFAULT_RELEASE = '9.7';

const LEAST_ROOT_GIB = 16;
/** What a root disk of gp3 can be. */
const MOST_ROOT_GIB = 16_384;

const IMAGE_ID = /^ami-([0-9a-f]{8}|[0-9a-f]{17})$/;
const SHA256 = /^[0-9a-f]{64}$/;
const RELEASE = /^[89]\.\d{1,2}$/;
const SCHEDULE = /^(cron|rate)\(.+\)$/;
const LUSTRE_VERSION = /^\d+\.\d+\.\d+$/;
const DEBIAN_KERNEL = /^\d+\.\d+\.\d+-\d+(-cloud)?-amd64$/;
const COMPONENT = /^s3:\/\/[a-z0-9][a-z0-9.-]{2,62}\/\S+$/;

/** @throws when a value cannot be what it is for */
export function checkBuild(
  scope: Construct,
  props: BuiltImageProps,
  release?: string,
  ownComponent?: string,
): void {
  const { imageId, imageSoftware, rootVolumeSize, rebuildSchedule } = props;
  requireUsableKey(scope, props.encryptionKey);
  match(
    scope,
    'imageId',
    imageId,
    IMAGE_ID,
    "'ami-' and 8 or 17 hexadecimal digits",
    'Copy the id of the image.',
  );
  match(scope, 'release', release, RELEASE, 'a release of EL, such as 9.7', 'Name the minor release, too.');
  match(
    scope,
    'rebuildSchedule',
    rebuildSchedule,
    SCHEDULE,
    'cron(...) or rate(...) of Image Builder',
    'For the first of each month: cron(0 3 1 * ? *).',
  );
  match(
    scope,
    'ownComponent',
    ownComponent,
    COMPONENT,
    'the address of a document in S3, beginning with s3://',
    'Put the YAML document of the component into a bucket.',
  );
  if (imageSoftware && !imageId) {
    const fix = 'Name imageId as well: imageSoftware is what that image has.';
    throw invalid(scope, 'imageSoftware', 'given without imageId', 'what an image has that is named', fix);
  }
  for (const { file, sha256 } of props.recordedPackages ?? []) {
    match(
      scope,
      `recordedPackages: ${file}`,
      sha256,
      SHA256,
      '64 hexadecimal digits',
      'Copy what was recorded.',
    );
  }
  if (!rootVolumeSize) return;
  const range = { min: LEAST_ROOT_GIB, max: MOST_ROOT_GIB };
  gibibytes(scope, 'rootVolumeSize', rootVolumeSize, range, 'The system and its packages need that room.');
}

/**
 * @throws when a source tree cannot become an image
 * @returns the kernel that it is built for
 */
export function checkDebianBuild(
  scope: Construct,
  lustreVersion: string,
  backend: LustreBackend,
  { archive, kernel }: LustreSourceTree,
): { readonly kernel: string } {
  if (backend !== LustreBackend.ZFS) {
    const fix =
      'Leave backend out: ldiskfs needs patches for each kernel, which the tree has for other systems.';
    throw invalid(scope, 'The backend of a source tree', backend, 'zfs', fix);
  }
  for (const [what, value] of Object.entries({
    lustreVersion,
    'sourceTree.kernel': kernel,
    'sourceTree.archive': archive,
  })) {
    if (!isConcrete(value))
      throw invalid(scope, what, 'a token', 'text', 'Spell it out: it decides what is built.');
  }
  const version = 'the release of the tree, such as 2.17.0';
  match(
    scope,
    'lustreVersion',
    lustreVersion,
    LUSTRE_VERSION,
    version,
    'The script LUSTRE-VERSION-GEN in it says so.',
  );
  const fix = 'See what uname -r says on Debian 12.';
  match(scope, 'sourceTree.kernel', kernel, DEBIAN_KERNEL, 'a release such as 6.1.0-56-cloud-amd64', fix);
  if (!statSync(archive, { throwIfNoEntry: false })?.isFile()) {
    throw invalid(
      scope,
      'sourceTree.archive',
      archive,
      'a file',
      'Make it by git archive --format=tar.gz --prefix.',
    );
  }
  return { kernel };
}

function match(
  scope: Construct,
  what: string,
  value: string | undefined,
  pattern: RegExp,
  allowed: string,
  fix: string,
): void {
  if (isConcrete(value) && !pattern.test(value!)) throw invalid(scope, what, value, allowed, fix);
}
