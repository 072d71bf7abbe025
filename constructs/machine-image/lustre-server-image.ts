import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import { LUSTRE_BUILDS, type LustreBuild } from '../facts/lustre-builds';
import { LustreBackend } from '../intel-lustre';
import { checkArguments } from '../private/inputs/check';
import { nearest } from '../private/inputs/nearest';
import { invalid, isConcrete } from '../private/validation';
import { BuiltImage, type Recipe } from './built-image';
import { checkBuild, checkDebianBuild } from './checks';
import { DEBIAN_RELEASE, lustreServer, lustreServerOfSource, releaseOf } from './contents';
import type { LustreServerImageProps, LustreSourceTree } from './props';

/**
 * An image of Lustre servers, built in your account: EL with the kernel that this Lustre was built for, Lustre, the
 * host software of this library, and the agent of Systems Manager. Before it counts, a server that is started from it
 * serves Lustre on loop devices. With `sourceTree` it is Debian, and its Lustre is built from that.
 *
 * Give it to `IntelLustre` as `machineImage`. Deploying it makes a pipeline of EC2 Image Builder; start that, and name
 * the id of what it has built as `imageId`.
 */
export class LustreServerImage extends BuiltImage {
  /** The release of Lustre that it has. */
  readonly lustreVersion: string;

  /** What `uname -r` says on it. */
  readonly kernel: string;

  constructor(scope: Construct, id: string, props: LustreServerImageProps) {
    ({ props } = checkArguments('LustreServerImage', { scope, id, props }));
    checkBuild(scope, props);
    const { sourceTree, lustreVersion = LUSTRE_BUILDS.value[0]!.lustre } = props;
    const backend = props.backend ?? (sourceTree ? LustreBackend.ZFS : LustreBackend.LDISKFS);
    const build = sourceTree
      ? checkDebianBuild(scope, lustreVersion, backend, sourceTree)
      : lustreBuild(scope, lustreVersion, backend);
    super(scope, id, props);
    this._build(props, {
      kind: 'lustre-server',
      steps: { kernel: true, lustre: true, node: false },
      ...(sourceTree
        ? this.ofSource(lustreVersion, sourceTree)
        : {
            release: releaseOf(build as LustreBuild),
            contents: lustreServer(build as LustreBuild, backend),
          }),
    });
    this.lustreVersion = lustreVersion;
    this.kernel = build.kernel;
  }

  /** Of a tree, which becomes an asset: the build instance fetches it from there, and compares its checksum. */
  private ofSource(
    version: string,
    tree: LustreSourceTree,
  ): Pick<Recipe, 'contents' | 'release' | 'debian' | 'source'> {
    const sha256 = createHash('sha256').update(readFileSync(tree.archive)).digest('hex');
    return {
      release: DEBIAN_RELEASE,
      debian: true,
      contents: lustreServerOfSource(version, tree, sha256),
      source: new Asset(this, 'Source', { path: tree.archive }),
    };
  }
}

/** @throws when no packages of this release are known, with the nearest that are */
export function lustreBuild(scope: Construct, version: string, backend?: string): LustreBuild {
  const builds = LUSTRE_BUILDS.value;
  if (!isConcrete(version)) {
    throw invalid(
      scope,
      'lustreVersion',
      'a token',
      known(builds),
      'Spell it out: it decides what is built.',
    );
  }
  const found = builds.find(({ lustre }) => lustre === version);
  if (!found) {
    const near =
      nearest(
        version,
        builds.map(({ lustre }) => lustre),
      ) ?? builds[0]!.lustre;
    throw invalid(
      scope,
      'lustreVersion',
      version,
      known(builds),
      `The nearest is ${near}. For another one build an image of your own, and name it by its id.`,
    );
  }
  if (backend && !found.backends.includes(backend as LustreBuild['backends'][number])) {
    const fix = 'Its publisher has packages for these only: take one of them, or an image of your own.';
    throw invalid(scope, `The backend of Lustre ${version}`, backend, found.backends.join(', '), fix);
  }
  return found;
}

const known = (builds: readonly LustreBuild[]): string =>
  builds.map(({ lustre, system }) => `${lustre} (${system})`).join(', ');
