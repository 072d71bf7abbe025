import type { ImageArchive } from './archive';
import { BUILD_FOLDER } from './archive';

/** A step of a component. */
interface Step {
  readonly name: string;
  readonly action: 'ExecuteBash' | 'S3Download' | 'Reboot';
  readonly timeoutSeconds?: number;
  readonly maxAttempts?: number;
  readonly inputs?: unknown;
}

/** Where the mirror is and who signs, as the programs find it in their environment. */
export interface Surroundings {
  readonly bucket: string;
  readonly prefix: string;
  readonly secret: string;
  readonly region: string;
  /** The address of the source tree that packages are built from. */
  readonly source?: string;
}

/** Which programs run beside those that always do. */
export interface ImageSteps {
  /** The image has a kernel of its own. */
  readonly kernel: boolean;
  readonly lustre: boolean;
  readonly node: boolean;
}

/** Packages come from somebody else's server the first time, and a kernel takes its time. */
const FETCH_SECONDS = 7200;
const INSTALL_SECONDS = 3600;

const ARCHIVE_FILE = '/var/tmp/sas-grid-image.gz';
const SOURCE_FILE = '/var/tmp/sas-grid-source.tar';

/** How the programs of a component run, one after the other. */
export class ImageDocument {
  constructor(
    private readonly archive: ImageArchive,
    private readonly surroundings: Surroundings,
  ) {}

  /** What makes the image of a server or a node: everything up to the user's own component. */
  build({ kernel, lustre, node }: ImageSteps): string {
    const install = (name: string, program: string) => this.program(name, program, INSTALL_SECONDS);
    const { source } = this.surroundings;
    const reboot: Step = { name: 'RebootToKernel', action: 'Reboot', inputs: { delaySeconds: 5 } };
    return document('Installs the software of a host of the grid', {
      build: [
        ...this.unpacked(),
        ...(source ? [download('FetchSource', source, SOURCE_FILE)] : []),
        this.program('Packages', 'image-packages', FETCH_SECONDS, 2),
        ...(kernel ? [install('Kernel', 'image-kernel'), reboot] : []),
        ...(lustre ? [install('Lustre', 'image-lustre')] : []),
        install('HostSoftware', 'image-host'),
        ...(node ? [install('Node', 'image-node')] : []),
      ],
    });
  }

  /** What comes last: nothing stays that has to differ from host to host. On the image it is tested. */
  finish(): string {
    return document('Removes what hosts must not share, and tests the image', {
      build: [this.program('Clean', 'image-clean', 600)],
      test: [...this.unpacked(), this.program('SelfTest', 'image-test', INSTALL_SECONDS)],
    });
  }

  private unpacked(): Step[] {
    return [
      download('FetchPrograms', this.archive.address, ARCHIVE_FILE),
      bash('UnpackPrograms', this.archive.unpack(ARCHIVE_FILE), 60),
    ];
  }

  private program(name: string, program: string, seconds: number, attempts?: number): Step {
    const { bucket, prefix, secret, region, source } = this.surroundings;
    const script = [
      'set -euo pipefail',
      `export SAS_IMAGE_BUCKET='${bucket}' SAS_IMAGE_PREFIX='${prefix}'`,
      `export SAS_IMAGE_SECRET='${secret}' SAS_IMAGE_REGION='${region}'`,
      ...(source ? [`export SAS_IMAGE_SOURCE="\${SAS_GRID_ROOT:-}${SOURCE_FILE}"`] : []),
      `exec "\${SAS_GRID_ROOT:-}${BUILD_FOLDER}/bin/${program}"`,
    ].join('\n');
    return bash(name, script, seconds, attempts);
  }
}

const download = (name: string, source: string, destination: string): Step => ({
  name,
  action: 'S3Download',
  timeoutSeconds: 300,
  maxAttempts: 3,
  inputs: [{ source, destination }],
});

const bash = (name: string, script: string, timeoutSeconds: number, maxAttempts?: number): Step => ({
  name,
  action: 'ExecuteBash',
  timeoutSeconds,
  ...(maxAttempts && { maxAttempts }),
  inputs: { commands: [script] },
});

/** Documents are YAML, of which JSON is a part. */
function document(description: string, phases: { readonly [name: string]: readonly Step[] }): string {
  return JSON.stringify(
    {
      name: 'cdk-sas-grid',
      description,
      schemaVersion: 1.0,
      phases: Object.entries(phases).map(([name, steps]) => ({ name, steps })),
    },
    undefined,
    1,
  ).replace('"schemaVersion": 1,', '"schemaVersion": 1.0,');
}
