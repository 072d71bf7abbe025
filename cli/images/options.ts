import type { ImageUse } from '../../lib/image-record';
import { OptionError, readArguments } from '../arguments';
import { PROGRAM } from '../usage';

/** What `images` was asked for. */
export interface ImagesOptions {
  readonly deployment: string;
  /** The file with the record. */
  readonly record: string;
  /** Build again, whatever is recorded. */
  readonly build: boolean;
  /** Only look: nothing is started, and nothing is written. */
  readonly look: boolean;
  /** Take the newer image of these hosts. */
  readonly adopt: readonly ImageUse[];
  /** A folder that cdk has written: its stacks say the region. */
  readonly templates?: string;
  readonly profile?: string;
}

const USES: { readonly [word: string]: readonly ImageUse[] } = {
  storage: ['storage'],
  grid: ['grid'],
  all: ['storage', 'grid'],
};

/** @throws OptionError */
export function parseImages(args: readonly string[]): ImagesOptions {
  const { values, flags, positionals } = readArguments(args, {
    record: 'value',
    adopt: 'value',
    templates: 'value',
    profile: 'value',
    build: 'flag',
    look: 'flag',
  });
  const [deployment, extra] = positionals;
  if (deployment === undefined || extra !== undefined || !/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(deployment)) {
    const given = positionals.join(' ') || 'none';
    throw new OptionError(
      `One deployment is needed; given: ${given}. Type ${PROGRAM} images sas-grid-lustre`,
    );
  }
  const adopt = values.adopt === undefined ? [] : USES[values.adopt];
  if (!adopt) {
    throw new OptionError(`--adopt is '${values.adopt}'; allowed: ${Object.keys(USES).join(', ')}.`);
  }
  if (flags.has('look') && (flags.has('build') || adopt.length > 0)) {
    throw new OptionError('--look changes nothing: leave out --build and --adopt, or --look.');
  }
  return {
    deployment,
    record: values.record ?? `config/${deployment}.images.json`,
    build: flags.has('build'),
    look: flags.has('look'),
    adopt,
    templates: values.templates,
    profile: values.profile,
  };
}
