import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IMachineImage } from 'aws-cdk-lib/aws-ec2';
import { hostFiles } from '../private/package-root';

/** Where images have host software: below it is a folder for each version. */
export const SOFTWARE_FOLDER = '/usr/share/cdk-sas-grid';

/** The folders of constructs/host that lie on hosts. */
const FOLDERS = ['bin', 'lib', 'sysctl', 'systemd'];

/** The host software of this library that an image has. */
export interface ImageSoftware {
  /** The SHA-256 over all of it, which is the name of its folder. */
  readonly version: string;

  /** The SHA-256 of each file, by its path in that folder. */
  readonly files: { [path: string]: string };
}

/** An image that has host software of this library. */
export interface IHostImage extends IMachineImage {
  /**
   * What it has. User data leaves out the files of a host's roles where the image has all of them as they are today.
   * Otherwise the host brings them itself, as with any image.
   *
   * @default - nothing
   */
  readonly hostSoftware?: ImageSoftware;
}

/** The host software of today: what an image that is built now gets. */
export function currentHostSoftware(): ImageSoftware {
  if (current) return current;
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(hostFiles(), folder)).map((name) => `${folder}/${name}`),
  ).sort();
  const files = Object.fromEntries(
    paths.map((path) => [path, sha256(readFileSync(join(hostFiles(), path)))]),
  );
  const lines = Object.entries(files).map(([path, sum]) => `${path}\n${sum}\n`);
  current = { version: sha256(lines.join('')), files };
  return current;
}

let current: ImageSoftware | undefined;

/**
 * Lines of user data that copy files from the image into the folders of `$base`; undefined when the image has not all
 * of them as they are today.
 */
export function copyFromImage(image: IMachineImage | undefined, paths: string[]): string[] | undefined {
  const software = (image as IHostImage | undefined)?.hostSoftware;
  const { files } = currentHostSoftware();
  if (!software || paths.some((path) => software.files[path] !== files[path])) return undefined;
  return [
    `from=$root${SOFTWARE_FOLDER}/${software.version}`,
    'if [[ ! -d $from ]]; then',
    '  echo "the image has no host software in $from: build it again, or name another image" | ' +
      'tee "$root/etc/sas-grid/install-failed" >&2',
    '  exit 1',
    'fi',
    `for file in ${paths.join(' ')}; do cp "$from/$file" "$base/$file"; done`,
  ];
}

const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');
