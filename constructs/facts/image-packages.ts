import type { Fact, Source } from '../sizing/facts';

/** A step of a build of an image (constructs/machine-image/scripts). */
export type ImageStep = 'kernel' | 'lustre' | 'host' | 'node';

/** A package that an image of the RHEL family gets. */
export interface ImagePackage {
  readonly name: string;
  readonly step: ImageStep;
  /** The images that get it. */
  readonly kinds: readonly ('lustre-server' | 'grid-node')[];
  /** Only with this backend of a server; left out: with each. */
  readonly backend?: 'ldiskfs' | 'zfs';
  /** Whose it is: the distribution's, or the name of a source of packages. */
  readonly from: 'distribution' | 'lustre' | 'e2fsprogs' | 'zfs';
  /** What it is for. */
  readonly reason: string;
  /** Who says that it is needed. */
  readonly source: Source;
}

const CHECKED = '2026-11-27';
const BOTH = ['lustre-server', 'grid-node'] as const;
const SERVER = ['lustre-server'] as const;
const NODE = ['grid-node'] as const;

/** What this library itself asks for. Which repository has it: SYSTEM_PACKAGES of packages.ts. */
const OWN: Source = {
  title: 'The host software asks for it: constructs/host/lib/distro.sh and lustre-packages.sh',
  reference:
    'https://docs.redhat.com/en/documentation/red_hat_enterprise_linux/9/html/package_manifest/repositories',
  checked: CHECKED,
};

const KERNEL: Source = {
  title: 'OpenELA, kernel.spec of el9: the package kernel requires the others in its very version',
  reference: 'https://github.com/openela-main/kernel',
  checked: CHECKED,
  unverified: true,
};

const ZFS: Source = {
  title: 'OpenZFS, RHEL-based distributions: kABI-tracking kmod',
  reference: 'https://openzfs.github.io/openzfs-docs/Getting%20Started/RHEL-based%20distro/index.html',
  checked: CHECKED,
  unverified: true,
};

/** SAS’s own template installs it on nodes of a SAS 9.4 grid, on RHEL 7; el9 has a package of the name. */
const SAS_GRID: Source = {
  title:
    'SAS Institute, quickstart-sas-grid, templates/sas-nodes.template, commit b9793765 of 2019-02-28: nodes of a SAS ' +
    '9.4 grid on RHEL 7.5; that el9 has it: OpenELA, branch el9 of its spec file',
  reference:
    'https://github.com/sassoftware/quickstart-sas-grid/blob/b9793765a4b094e87b9954a6a9047c1112e00ae7/templates/sas-nodes.template',
  checked: CHECKED,
};

/** SAS’s recipe for Viya 3.5, whose SAS Foundation is of the same code as 9.4, on RHEL 7. */
const SAS_RECIPE: Source = {
  title:
    'SAS Institute, sas-container-recipes, sas-prerequisites/tasks/main.yml, commit 77b78b9d of 2022-08-30: SAS Viya ' +
    '3.5 on RHEL 7; that el9 has it: OpenELA, branch el9 of its spec file',
  reference:
    'https://github.com/sassoftware/sas-container-recipes/blob/77b78b9d1dcc00b6e4f6f53737e704fe56593a79/util/static-roles-full/sas-prerequisites/tasks/main.yml',
  checked: CHECKED,
};

const unread = (what: string): Source => ({
  title: `${what}: no public document of the maker was found that names it for RHEL 9`,
  reference:
    'https://support.sas.com/en/documentation/third-party-software-reference/9-4/support-for-operating-systems.html',
  checked: CHECKED,
  unverified: true,
});

type Row = readonly [name: string, reason: string, source: Source];

const rows = (
  step: ImageStep,
  kinds: ImagePackage['kinds'],
  from: ImagePackage['from'],
  list: readonly Row[],
  backend?: ImagePackage['backend'],
): ImagePackage[] =>
  list.map(([name, reason, source]) => ({
    name,
    step,
    kinds,
    ...(backend && { backend }),
    from,
    reason,
    source,
  }));

/** Packages of images of RHEL 9 and its rebuilds, by step. What they depend on comes with them. */
export const EL9_IMAGE_PACKAGES: readonly ImagePackage[] = [
  ...rows('kernel', BOTH, 'distribution', [
    ['kernel', 'the exact kernel that the modules of Lustre were built for', KERNEL],
    ['kernel-core', 'the kernel itself', KERNEL],
    ['kernel-modules', 'drivers of the exact kernel', KERNEL],
    ['kernel-modules-core', 'drivers of the exact kernel that it boots with', KERNEL],
  ]),
  ...rows('lustre', SERVER, 'lustre', [
    ['lustre', 'tools of servers and clients', OWN],
    ['kmod-lustre', 'modules of servers and clients', OWN],
  ]),
  ...rows(
    'lustre',
    SERVER,
    'lustre',
    [
      ['kmod-lustre-osd-ldiskfs', 'the backend ldiskfs', OWN],
      ['lustre-osd-ldiskfs-mount', 'mounts and formats targets of ldiskfs', OWN],
    ],
    'ldiskfs',
  ),
  ...rows(
    'lustre',
    SERVER,
    'e2fsprogs',
    [['e2fsprogs', 'knows ldiskfs, which the distribution’s does not', OWN]],
    'ldiskfs',
  ),
  ...rows(
    'lustre',
    SERVER,
    'lustre',
    [
      ['kmod-lustre-osd-zfs', 'the backend ZFS', OWN],
      ['lustre-osd-zfs-mount', 'mounts and formats targets of ZFS', OWN],
    ],
    'zfs',
  ),
  ...rows(
    'lustre',
    SERVER,
    'zfs',
    [
      ['kmod-zfs', 'modules of ZFS, that need no compiler', ZFS],
      ['zfs', 'zpool', ZFS],
    ],
    'zfs',
  ),
  ...rows('lustre', NODE, 'lustre', [
    ['lustre-client', 'tools of clients', OWN],
    ['kmod-lustre-client', 'modules of clients', OWN],
  ]),
  ...rows('host', BOTH, 'distribution', [
    ['mdadm', 'arrays of instance-store disks', OWN],
    ['xfsprogs', 'XFS on temporary space', OWN],
    ['lvm2', 'volume groups of local volumes', OWN],
    ['nfs-utils', 'clients and servers of NFS', OWN],
    ['nvme-cli', 'reservations of NVMe', OWN],
    ['fio', 'the benchmark', OWN],
    ['iperf3', 'the benchmark', OWN],
  ]),
  ...rows('host', SERVER, 'distribution', [['nginx', 'the monitoring page', OWN]]),
  ...rows('host', NODE, 'distribution', [['tuned', 'the profile throughput-performance', OWN]]),
  ...rows('node', NODE, 'distribution', [
    ['libXp', 'graphics of SAS', SAS_GRID],
    ['libXtst', 'the graphical SAS Deployment Wizard', SAS_GRID],
    ['libXrender', 'the graphical SAS Deployment Wizard', SAS_GRID],
    ['xorg-x11-xauth', 'the graphical SAS Deployment Wizard, over ssh -X', SAS_GRID],
    ['ed', 'scripts that install SAS and LSF', SAS_GRID],
    ['libXmu', 'graphics of SAS', SAS_RECIPE],
    ['numactl', 'placement of SAS processes', SAS_RECIPE],
    ['xterm', 'host commands of the windowing environment', SAS_RECIPE],
    ['net-tools', 'scripts that install SAS', { ...SAS_RECIPE, unverified: true }],
    ['acl', 'permissions of shared folders', { ...SAS_RECIPE, unverified: true }],
    ['which', 'scripts that install SAS', { ...SAS_RECIPE, unverified: true }],
    ['glibc-langpack-en', 'the locale en_US, in which SAS runs', unread('SAS, locale en_US')],
    ['ksh', 'scripts of SAS and of sites', unread('SAS, Korn shell')],
    ['libnsl', 'libnsl.so.1, which programs of before RHEL 8 ask for', unread('LSF and SAS, libnsl.so.1')],
    ['fontconfig', 'fonts of the SAS private Java', unread('SAS, fonts')],
  ]),
];

/** What roles of a Lustre server ask for on Debian 12, beside Lustre itself. */
export const DEBIAN_SERVER_PACKAGES: Fact<readonly string[]> = {
  value: ['mdadm', 'xfsprogs', 'lvm2', 'nvme-cli', 'fio', 'iperf3', 'nginx'],
  unit: 'packages',
  source: {
    title:
      'The host software asks for them: constructs/host/lib; that Debian has them: its index of bookworm/main',
    reference: 'https://deb.debian.org/debian/dists/bookworm/main/binary-amd64/Packages.xz',
    checked: CHECKED,
    review: '2027-02-27',
  },
};

/** What SAS’s own lists for RHEL 7 name, and RHEL 9 has not. Bring it in your component if your SAS asks for it. */
export const EL9_NOT_THERE = {
  value: {
    libpng12: 'el8 has it, el9 has not',
    'compat-libstdc++-33': 'not in el9',
    'libstdc++.so.5': 'not in el9',
    'xorg-x11-server-utils': 'split in el9; xauth is a package of its own',
    java: 'SAS brings its private Java',
  },
  unit: 'packages',
  source: {
    title: 'OpenELA: libpng12 has a branch el8 and none for el9; the others were not looked up',
    reference: 'https://github.com/openela-main/libpng12',
    checked: CHECKED,
    unverified: true,
  },
};

const CLEANED: Source = {
  title:
    'EC2 Image Builder User Guide, Security best practices: the clean-up script (copy of its last public source)',
  reference: 'https://docs.aws.amazon.com/imagebuilder/latest/userguide/security-best-practices.html',
  checked: CHECKED,
};

/** What Image Builder itself does to an image of Linux after the tests. image-clean runs before them. */
export const IMAGE_BUILDER_CLEANS = {
  value: {
    locale: '/etc/locale.conf is removed: the language of the host is not a matter of the image',
    machineId: '/etc/machine-id is made if it is missing, and left as it is otherwise',
    agent: 'the logs of the agent are removed, its registration is not',
    overriddenUserData:
      'with user data of the recipe nothing is cleaned, unless that makes the file perform_cleanup',
  },
  unit: 'remarks',
  source: CLEANED,
};
