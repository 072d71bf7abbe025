import type { Fact } from '../sizing/facts';

// Which Lustre servers run on which kernel, and where their packages are. Nothing from aws-cdk-lib.

/** Packages of Lustre servers that were built for one kernel. */
export interface LustreBuild {
  /** `2.17.0`. */
  readonly lustre: string;
  /** The system and its minor version: `el9.7`. */
  readonly system: string;
  /** What `uname -r` says on it. */
  readonly kernel: string;
  readonly architecture: 'x86_64';
  /** The file systems under its targets. */
  readonly backends: readonly ('ldiskfs' | 'zfs')[];
  /** The repository of Lustre and its kernel. */
  readonly repository: string;
  /** The repository of the e2fsprogs that know ldiskfs. */
  readonly e2fsprogs: string;
}

const WHAMCLOUD = 'https://downloads.whamcloud.com/public';

const build = (lustre: string, system: string, kernel: string): LustreBuild => ({
  lustre,
  system,
  kernel: `${kernel}.x86_64`,
  architecture: 'x86_64',
  backends: ['ldiskfs'],
  repository: `${WHAMCLOUD}/lustre/lustre-${lustre}/${system}/server`,
  e2fsprogs: `${WHAMCLOUD}/e2fsprogs/latest/${system.split('.')[0]}`,
});

/**
 * The newest first. The kernels are those that each release's ChangeLog says its servers were built and tested on. The
 * checksums of the packages are not here, since nobody has fetched them for this table: a mirror records each when it
 * fetches it first, and holds to it from then on.
 */
export const LUSTRE_BUILDS: Fact<readonly LustreBuild[]> = {
  value: [
    build('2.17.0', 'el9.7', '5.14.0-611.13.1_lustre.el9'),
    build('2.16.1', 'el9.4', '5.14.0-427.31.1_lustre.el9'),
    build('2.15.8', 'el8.10', '4.18.0-553.82.1.el8_lustre'),
  ],
  unit: 'builds of Lustre servers with the kernel of each',
  source: {
    title:
      'lustre/ChangeLog of b2_15, b2_16 and master; the folders and names of packages by references to them in ' +
      'public repositories, the server itself was not read',
    reference: 'https://github.com/whamcloud/lustre-release/blob/master/lustre/ChangeLog',
    checked: '2026-11-27',
    review: '2027-02-27',
    unverified: true,
  },
};

/** Who publishes images of systems that Lustre servers run on, and how the images are called. */
export const BASE_IMAGES: Fact<{
  readonly [name: string]: { readonly owner: string; readonly pattern: string };
}> = {
  value: {
    almalinux: { owner: '764336703387', pattern: 'AlmaLinux OS RELEASE.* ARCHITECTURE' },
    rocky: { owner: '792107900819', pattern: 'Rocky-*-EC2-Base-RELEASE-*.ARCHITECTURE' },
    debian: { owner: '136693071363', pattern: 'debian-12-ARCHITECTURE-*' },
    rhel: { owner: '309956199498', pattern: 'RHEL-RELEASE*_HVM-*-ARCHITECTURE-*' },
  },
  unit: 'publishers by account and name pattern of their images',
  source: {
    title:
      'AlmaLinux, Cloud images: AWS; Rocky Linux, Cloud images; Red Hat, finding images on AWS; Debian wiki, ' +
      'Cloud/AmazonEC2Image/Bookworm',
    reference: 'https://wiki.almalinux.org/cloud/AWS.html',
    checked: '2026-11-27',
    review: '2027-02-27',
    unverified: true,
  },
};
