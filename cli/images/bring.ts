import { currentHostSoftware } from '../../constructs/host/in-image';
import type { BuiltImageRecord, ImageRecord, ImageUse } from '../../lib/image-record';
import { isUnchecked } from '../preflight/aws/ask';
import type { Terminal } from '../terminal';
import type { ImagesOptions } from './options';
import { type Build, ENDED, type ImagesAws, type Pipelines } from './port';

/** A build that ended without an image. */
export class BuildFailed extends Error {
  public override readonly name = 'BuildFailed';

  constructor(
    message: string,
    readonly build: Build,
    /** The last lines of its log. */
    readonly log: readonly string[],
  ) {
    super(message);
  }
}

/** How long until a build is looked at again; a wait grows while nothing happens. */
const FIRST_SECONDS = 1;
const LONGEST_SECONDS = 15;

/** How somebody waits, and what is told meanwhile. */
export interface Waiting {
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly pause: (seconds: number) => Promise<unknown>;
}

/**
 * Sees to it that there is an image for the hosts of one kind.
 *
 * @returns what is to be recorded; undefined when there is no image, and none was to be built
 * @throws BuildFailed
 */
export async function bring(
  aws: ImagesAws,
  use: ImageUse,
  pipeline: string,
  recorded: BuiltImageRecord | undefined,
  options: ImagesOptions,
  waiting: Waiting,
): Promise<BuiltImageRecord | undefined> {
  const { terminal } = waiting;
  const builds = await aws.builds(pipeline);
  const there = recorded && (await aws.imageTags(recorded.imageId)) !== undefined;
  if (recorded && !there) {
    terminal.line(
      `  ${use}: ${recorded.imageId}, which is recorded, is gone: no host can be launched from it`,
    );
  }
  let newest = builds.find(({ state }) => state === 'AVAILABLE');
  const running = builds.find(({ state }) => !ENDED.includes(state));
  if (!options.look && (options.build || !(there || newest) || (!there && running))) {
    newest = await built(aws, use, pipeline, running, waiting);
  }
  if (!newest?.imageId) return there ? recorded : undefined;
  const ready = { imageId: newest.imageId, built: newest.created };
  if (there && recorded.imageId === ready.imageId) return { ...recorded, newer: undefined };
  if (there && !options.adopt.includes(use)) {
    terminal.line(`  ${use}: ${recorded.imageId} stays; ${ready.imageId} of ${ready.built} is newer`);
    return { ...recorded, newer: ready };
  }
  terminal.line(`  ${use}: ${ready.imageId}, built ${ready.built}`);
  return { ...ready, ...(await softwareOf(aws, ready.imageId)) };
}

/** Only of an image that was built from this very software is known what is in its files. */
async function softwareOf(aws: ImagesAws, imageId: string): Promise<Pick<BuiltImageRecord, 'software'>> {
  const tags = await aws.imageTags(imageId);
  const software = currentHostSoftware();
  return tags?.['cdk-sas-grid:host-software'] === software.version ? { software } : {};
}

async function built(
  aws: ImagesAws,
  use: ImageUse,
  pipeline: string,
  running: Build | undefined,
  { terminal, now, pause }: Waiting,
): Promise<Build> {
  const arn = running?.arn ?? (await aws.start(pipeline, `cdk-sas-grid-${now()}`));
  terminal.line(`  ${use}: ${running ? 'a build runs already' : 'a build begins'}: ${arn}`);
  const began = now();
  let state = '';
  let wait = FIRST_SECONDS;
  for (;;) {
    const build = await aws.build(arn).catch(unlessForAWhile);
    if (build && build.state !== state) {
      terminal.line(`    ${elapsed(now() - began)}  ${build.state.toLowerCase()}`);
      state = build.state;
      wait = FIRST_SECONDS;
    }
    if (build && state === 'AVAILABLE') return build;
    if (build && ENDED.includes(state)) {
      throw new BuildFailed(`the image for ${use}: ${build.reason ?? state}`, build, await aws.log(build));
    }
    const step = await aws.step(arn);
    terminal.status(`    ${elapsed(now() - began)}  ${state.toLowerCase()}${step ? `: ${step}` : ''}`);
    await pause(wait);
    wait = Math.min(wait * 1.5, LONGEST_SECONDS);
  }
}

/** Too many calls, or no answer: the build goes on, and is asked for again. A right that is missing stays missing. */
function unlessForAWhile(error: unknown): undefined {
  if (!isUnchecked(error) || error.action !== undefined) throw error;
}

function elapsed(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return (minutes > 0 ? `${minutes} min ${String(rest).padStart(2, '0')} s` : `${rest} s`).padStart(12);
}

/** What the mirrors recorded, as the record of the deployment has it. */
export async function packagesOf(
  aws: ImagesAws,
  { mirrorBucket }: Pipelines,
): Promise<ImageRecord['packages']> {
  const records = await aws.records(mirrorBucket);
  const lines = (text: string) => text.split('\n').filter((line) => line && !line.startsWith('#'));
  return Object.fromEntries(
    Object.entries(records)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([set, text]) => [
        set,
        lines(text).map((line) => {
          const [file = '', sha256 = '', address = '', storedSha256] = line.split('\t');
          return { file, sha256, address, ...(storedSha256 && { storedSha256 }) };
        }),
      ]),
  );
}
