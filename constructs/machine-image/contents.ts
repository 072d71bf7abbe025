import { SSM_AGENT_MINIMUM } from '../facts/hosts';
import type { LustreBuild } from '../facts/lustre-builds';
import { currentHostSoftware } from '../host/in-image';
import type { ImageContents, Table } from './archive';

/** What the programs are told about an image. */
type Contents = Omit<ImageContents, 'recorded'>;

/** The repository of Lustre and the one of its e2fsprogs, as the programs call them. */
const LUSTRE = 'lustre';
const E2FSPROGS = 'e2fsprogs';

/** The distribution's own repositories. */
const OWN = '-';

const ARCHITECTURE = 'x86_64';

const HOST = [
  'mdadm',
  'lvm2',
  'nfs-utils',
  'xfsprogs',
  'nginx',
  'tuned',
  'nvme-cli',
  'python3-dnf-plugin-versionlock',
];
const NODE = ['numactl'];

const HOST_PACKAGES: Table = HOST.map((name) => ['host', name, OWN]);

/** A server of Lustre: its kernel, Lustre, and what the roles of a server need. */
export function lustreServer(build: LustreBuild, backend: string): Contents {
  const kernels = [
    'kernel',
    'kernel-core',
    'kernel-modules',
    ...(major(build) >= 9 ? ['kernel-modules-core'] : []),
  ];
  const lustre = ['kmod-lustre', `kmod-lustre-osd-${backend}`, `lustre-osd-${backend}-mount`, 'lustre'];
  return {
    settings: settings('lustre-server', release(build), {
      LUSTRE_VERSION: build.lustre,
      BACKEND: backend,
      KERNEL: build.kernel,
    }),
    sources: [
      [LUSTRE, build.repository],
      [E2FSPROGS, build.e2fsprogs],
    ],
    packages: [
      ...kernels.map((name) => ['kernel', `${name}=${build.kernel}`, LUSTRE]),
      ...lustre.map((name) => ['lustre', `${name}=${build.lustre}*`, LUSTRE]),
      ...['e2fsprogs', 'e2fsprogs-libs', 'libcom_err', 'libss'].map((name) => ['lustre', name, E2FSPROGS]),
      ...HOST_PACKAGES,
    ],
  };
}

/** Any other server: what exports NFS or has volumes for itself. */
export function storageServer(of: string): Contents {
  return { settings: settings('storage-server', of, {}), sources: [], packages: HOST_PACKAGES };
}

/** A node of a grid, with the Lustre client of a release or without. */
export function gridNode(of: string, client: LustreBuild | undefined): Contents {
  return {
    settings: settings('grid-node', of, { LUSTRE_VERSION: client?.lustre ?? '', BACKEND: '', KERNEL: '' }),
    sources: client ? [[LUSTRE, client.repository.replace(/server$/, 'client')]] : [],
    packages: [
      ...(client ? ['kmod-lustre-client', 'lustre-client'] : []).map((name) => [
        'lustre',
        `${name}=${client!.lustre}*`,
        LUSTRE,
      ]),
      ...HOST_PACKAGES,
      ...NODE.map((name) => ['node', name, OWN]),
    ],
  };
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

const release = ({ system }: LustreBuild): string => system.replace(/^el/, '');

const major = (build: LustreBuild): number => Number(release(build).split('.')[0]);
