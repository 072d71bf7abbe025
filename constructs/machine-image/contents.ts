import { SSM_AGENT_MINIMUM } from '../facts/hosts';
import {
  DEBIAN_SERVER_PACKAGES,
  EL9_IMAGE_PACKAGES,
  type ImagePackage,
  type ImageStep,
} from '../facts/image-packages';
import type { LustreBuild } from '../facts/lustre-builds';
import { currentHostSoftware } from '../host/in-image';
import type { ImageContents } from './archive';
import type { LustreSourceTree } from './props';

/** What the programs are told about an image. */
type Contents = Omit<ImageContents, 'recorded'>;

/** The repository of Lustre and the one of its e2fsprogs, as the programs call them. */
const LUSTRE = 'lustre';
const E2FSPROGS = 'e2fsprogs';

/** The distribution's own repositories. */
const OWN = '-';

const ARCHITECTURE = 'x86_64';

/** The Debian that Lustre is built for from its source. */
export const DEBIAN_RELEASE = '12';

/** A server of Lustre: its kernel, Lustre, and what the roles of a server need. */
export function lustreServer(build: LustreBuild, backend: string): Contents {
  const packages = EL9_IMAGE_PACKAGES.filter(
    (each) => each.kinds.includes('lustre-server') && (each.backend ?? backend) === backend,
  );
  return {
    settings: settings('lustre-server', releaseOf(build), {
      LUSTRE_VERSION: build.lustre,
      BACKEND: backend,
      KERNEL: build.kernel,
    }),
    sources: [
      [LUSTRE, build.repository],
      [E2FSPROGS, build.e2fsprogs],
    ],
    // Its makers bring the kernel that they built it for.
    packages: packages.map((each) =>
      each.step === 'kernel' ? [each.step, `${each.name}=${build.kernel}`, LUSTRE] : row(each, build.lustre),
    ),
  };
}

/** A server of Lustre that is built from its source, with ZFS, on Debian. */
export function lustreServerOfSource(
  version: string,
  { kernel }: LustreSourceTree,
  sha256: string,
): Contents {
  // The programs put this into the versions of what they build: another tree is another package.
  const built = `${version}-1+src${sha256.slice(0, 8)}`;
  const lustre = [`lustre-server-modules-${kernel}=${built}`, `lustre-server-utils=${built}`];
  return {
    settings: {
      ...settings('lustre-server', DEBIAN_RELEASE, {
        LUSTRE_VERSION: version,
        BACKEND: 'zfs',
        KERNEL: kernel,
        SOURCE_SHA256: sha256,
      }),
      SYSTEM: 'debian',
    },
    sources: [],
    packages: [
      ['kernel', `linux-image-${kernel}`, OWN],
      ...[...lustre, 'zfsutils-linux'].map((name) => ['lustre', name, OWN]),
      ...DEBIAN_SERVER_PACKAGES.value.map((name) => ['host', name, OWN]),
    ],
  };
}

/** Any other server: what exports NFS or has volumes for itself. */
export function storageServer(release: string): Contents {
  const packages = EL9_IMAGE_PACKAGES.filter(
    ({ step, kinds }) => step === 'host' && kinds.includes('lustre-server'),
  );
  return {
    settings: settings('storage-server', release, {}),
    sources: [],
    packages: packages.map((each) => row(each)),
  };
}

/** A node of a grid, with the Lustre client of a release or without. It keeps the kernel of its base image. */
export function gridNode(release: string, client: LustreBuild | undefined): Contents {
  const steps: ImageStep[] = client ? ['lustre', 'host', 'node'] : ['host', 'node'];
  const packages = EL9_IMAGE_PACKAGES.filter(
    ({ step, kinds }) => steps.includes(step) && kinds.includes('grid-node'),
  );
  return {
    settings: settings('grid-node', release, client ? { LUSTRE_VERSION: client.lustre } : {}),
    sources: client ? [[LUSTRE, client.repository.replace(/server$/, 'client')]] : [],
    packages: packages.map((each) => row(each, client?.lustre)),
  };
}

function row({ step, name, from }: ImagePackage, lustre = ''): string[] {
  const version = from === 'lustre' ? `=${lustre}*` : '';
  return [step, `${name}${version}`, from === 'distribution' ? OWN : from];
}

function settings(kind: string, of: string, more: { readonly [key: string]: string }): Contents['settings'] {
  return {
    KIND: kind,
    SYSTEM: 'el',
    RELEASE: of,
    ARCHITECTURE,
    ...more,
    HOST_SOFTWARE: currentHostSoftware().version,
    AGENT_MINIMUM: SSM_AGENT_MINIMUM.value,
  };
}

/** The release of EL that a build is for. */
export const releaseOf = ({ system }: LustreBuild): string => system.replace(/^el/, '');
