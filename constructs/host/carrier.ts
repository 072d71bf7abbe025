import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { hostFiles } from '../private/package-root';
import { UNPACK_COMPRESSED } from './archive';
import type { HostBundleOverflow } from './overflow';

/** An attempt takes a quarter of an hour, and a pause of five minutes follows: eight hours. */
const FETCHES = 24;

/** An archive in S3, and the lines of user data that get it. */
export class Carrier {
  private readonly sha256: string;
  private readonly asset: Asset;

  constructor(
    private readonly overflow: HostBundleOverflow,
    archive: Buffer,
  ) {
    const { scope } = overflow;
    this.sha256 = sha256Of(archive);
    const folder = mkdtempSync(join(tmpdir(), 'cdk-sas-grid-'));
    const path = join(folder, 'host-software.gz');
    writeFileSync(path, archive);
    this.asset = new Asset(scope, 'HostSoftware', { path });
    // Without staging the file itself is the asset.
    if (this.asset.assetPath !== path) rmSync(folder, { recursive: true });
    this.grant();
  }

  /** Whether this is what it carries. */
  holds(archive: Buffer): boolean {
    return sha256Of(archive) === this.sha256;
  }

  // Not the asset's own grant, which is for every object of the bucket, and lists them.
  private grant(): void {
    const { grantee } = this.overflow;
    const { bucket, s3ObjectKey } = this.asset;
    grantee.grantPrincipal.addToPrincipalPolicy(
      new iam.PolicyStatement({
        sid: 'HostSoftware',
        actions: ['s3:GetObject'],
        resources: [bucket.arnForObjects(s3ObjectKey)],
      }),
    );
    bucket.encryptionKey?.grantDecrypt(grantee);
  }

  /**
   * Lines of the user data that fetch the archive and unpack it into the folders of `$base`. What fails is written down
   * and tried again.
   */
  lines(): string[] {
    const { region, urlSuffix } = Stack.of(this.overflow.scope);
    // Not the asset's own URL, which is wrong where the bucket is a Service Catalog product's.
    const url = `https://s3.${region}.${urlSuffix}/${this.asset.s3BucketName}/${this.asset.s3ObjectKey}`;
    const fetch = ['lib/signed.py', 'carrier/fetch.py']
      .map((path) => readFileSync(join(hostFiles(), path), 'utf8').trimEnd())
      .join('\n\n');
    return [
      'failed() {',
      '  local status=$?',
      '  cat "$base/fetch.log" >&2',
      '  echo "the host software did not come ($status): $(tail -n 1 "$base/fetch.log")" | ' +
        'tee "$root/etc/sas-grid/install-failed" >&2',
      '}',
      'trap failed EXIT',
      // cloud-init is Python itself. On RHEL 8 nobody else has to have one.
      'for python in "$root"/usr/bin/python3 "$root"/usr/libexec/platform-python "$(type -P python3)"; ' +
        'do [[ ! -x $python ]] || break; done',
      'attempt=0',
      `until "$python" - '${url}' '${region}' ${this.sha256} "$base/software.gz" 2>"$base/fetch.log" <<'FETCH'`,
      fetch,
      'FETCH',
      // Without the software nothing else of the host can begin again. The last failure stays written until all is
      // installed.
      `do failed; ((++attempt < ${FETCHES})) || exit 1; sleep "\${SAS_GRID_PAUSE:-$((240 + RANDOM % 120))}"; done`,
      `{ ${UNPACK_COMPRESSED}; } <"$base/software.gz"`,
      'rm "$base/software.gz"',
      'trap - EXIT',
    ];
  }
}

const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
