import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import { type ArchiveEntry, compressed, UNPACK_COMPRESSED } from '../host/archive';
import { currentHostSoftware } from '../host/in-image';
import { hostFiles, imagePrograms } from '../private/package-root';

/** Where the build instance has the programs and what they need. */
export const BUILD_FOLDER = '/var/lib/sas-grid-image';

/** A table for the programs: lines of fields, separated by tabs. */
export type Table = readonly (readonly string[])[];

/** What is written at synthesis. */
export interface ImageContents {
  readonly settings: { readonly [key: string]: string };
  /** Repositories: name, address. */
  readonly sources: Table;
  /** What is installed: step, package, repository or `-`. */
  readonly packages: Table;
  /** What was recorded before: file, SHA-256, address. */
  readonly recorded: Table;
}

/** The programs that build an image, and the host software, as one object of S3. */
export class ImageArchive {
  readonly asset: Asset;
  readonly sha256: string;
  private readonly folders: string[];

  constructor(scope: Construct, contents: ImageContents) {
    const entries = [...programs(), ...hostSoftware(), ...written(contents)];
    this.folders = [...new Set(entries.map(({ path }) => path.split('/').slice(0, -1).join('/')))].filter(
      Boolean,
    );
    const archive = compressed(entries);
    this.sha256 = createHash('sha256').update(archive).digest('hex');
    const folder = mkdtempSync(join(tmpdir(), 'cdk-sas-grid-'));
    const path = join(folder, 'machine-image.gz');
    writeFileSync(path, archive);
    this.asset = new Asset(scope, 'Programs', { path });
    // Without staging the file itself is the asset.
    if (this.asset.assetPath !== path) rmSync(folder, { recursive: true });
  }

  /** Where the archive is, for `S3Download`. */
  get address(): string {
    return `s3://${this.asset.s3BucketName}/${this.asset.s3ObjectKey}`;
  }

  /** A script that verifies the archive, which was fetched to `file`, and unpacks it. */
  unpack(file: string): string {
    return [
      'set -euo pipefail',
      `root=\${SAS_GRID_ROOT:-}`,
      `file=$root${file}`,
      `echo "${this.sha256}  $file" | sha256sum --check --quiet || {`,
      '  echo "the programs that build the image are not those of the template: deploy the stack again" >&2',
      '  exit 1',
      '}',
      `base=$root${BUILD_FOLDER}`,
      `mkdir -p ${this.folders.map((folder) => `"$base/${folder}"`).join(' ')}`,
      `{ ${UNPACK_COMPRESSED}; } <"$file"`,
      'chmod 755 "$base"/{bin,host/bin}/* "$base"/debian/image-*',
    ].join('\n');
  }
}

function programs(): ArchiveEntry[] {
  const root = imagePrograms();
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path !== 'README.md' && statSync(join(root, path)).isFile())
    .sort()
    .map((path) => ({ path, content: readFileSync(join(root, path), 'utf8') }));
}

function hostSoftware(): ArchiveEntry[] {
  return Object.keys(currentHostSoftware().files).map((path) => ({
    path: `host/${path}`,
    content: readFileSync(join(hostFiles(), path), 'utf8'),
  }));
}

function written({ settings, sources, packages, recorded }: ImageContents): ArchiveEntry[] {
  const table = (path: string, rows: Table): ArchiveEntry => ({
    path,
    content: rows.map((row) => `${row.join('\t')}\n`).join('') || '\n',
  });
  return [
    {
      path: 'image.env',
      content: Object.entries(settings)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    },
    table('sources.tsv', sources),
    table('packages.tsv', packages),
    table('recorded.tsv', recorded),
  ];
}
