import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ImageRecord, type ImageUse, readImages, writeImages } from '../lib/image-record';
import { OptionError } from './arguments';
import { imagesAws } from './images/aws';
import { BuildFailed, bring, packagesOf } from './images/bring';
import type { ImagesOptions } from './images/options';
import { type ImagesAws, logGroup, type Pipelines } from './images/port';
import { complain, type Output } from './output';
import { readAssembly } from './preflight/assembly';
import { regionOf } from './preflight/aws/identity';
import { count, Terminal } from './terminal';

const pause = (seconds: number) => sleep(seconds * 1000);

const FAILED = 1;
const NOT_BUILT = 3;

/** Builds and records the images of a deployment. @returns the exit code */
export async function runImages(options: ImagesOptions, output: Output): Promise<number> {
  // Which Node.js the SDK wants one day is nothing that whoever deploys can mend here.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  if (options.profile !== undefined) process.env.AWS_PROFILE = options.profile;
  const region = namedRegion(options) ?? (await regionOf(output.env)).region;
  return await bringImages(options, imagesAws(region), output);
}

/** Where the stacks say it. */
function namedRegion({ templates, deployment }: ImagesOptions): string | undefined {
  if (templates === undefined) return undefined;
  return readAssembly(templates, deployment).find(({ region }) => region !== undefined)?.region;
}

/** @throws OptionError where nothing can be built, or recorded */
export async function bringImages(options: ImagesOptions, aws: ImagesAws, output: Output): Promise<number> {
  const terminal = new Terminal(output.out, output.env);
  const stack = `${options.deployment}-images`;
  const pipelines = await aws.pipelines(stack);
  if (!pipelines) {
    throw new OptionError(
      `There is no stack ${stack}. Deploy it first: npx cdk deploy ${stack} -c deployment=${options.deployment}. ` +
        'It is there where the configuration says image: { build: {} }.',
    );
  }
  if (!existsSync(dirname(options.record))) {
    throw new OptionError(`The folder of ${options.record} is not there: name another file with --record.`);
  }
  terminal.line(`Images of ${options.deployment}`);
  const before = readImages(options.record);
  const images: { [use in ImageUse]?: ImageRecord['images'][ImageUse] } = { ...before.images };
  let code = 0;
  for (const [use, pipeline] of Object.entries(pipelines.arns) as [ImageUse, string][]) {
    try {
      images[use] = await bring(aws, use, pipeline, before.images[use], options, {
        terminal,
        now: Date.now,
        pause,
      });
      if (!images[use]) code = NOT_BUILT;
    } catch (error) {
      if (!(error instanceof BuildFailed)) throw error;
      complain(output, told(error));
      code = FAILED;
    }
  }
  if (!options.look) await record(options.record, { images }, aws, pipelines, terminal);
  return code;
}

async function record(
  file: string,
  { images }: ImageRecord,
  aws: ImagesAws,
  pipelines: Pipelines,
  terminal: Terminal,
): Promise<void> {
  const before = readImages(file).packages ?? {};
  const packages = await packagesOf(aws, pipelines);
  writeImages(file, { images, packages });
  const known = new Set(Object.values(before).flatMap((each) => each.map(({ sha256 }) => sha256)));
  const added = Object.values(packages ?? {})
    .flat()
    .filter(({ sha256 }) => !known.has(sha256));
  const review =
    added.length > 0 ? `, and ${count(added.length, 'package')} for the first time: look at them` : '';
  terminal.line(`${file} records them${review}; commit it.`);
}

function told({ message, build, log }: BuildFailed): string {
  return [
    message,
    ...log.map((line) => `    ${line}`),
    `Its log: CloudWatch Logs, group ${logGroup(build)}, stream ${build.version}`,
    'Nothing that runs has changed. Mend it, and begin again.',
  ].join('\n');
}
