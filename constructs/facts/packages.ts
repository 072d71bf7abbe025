import type { Source } from '../sizing/facts';

/** What a distribution has of what the roles ask for. */
export interface SystemPackages {
  /** As the README names it. */
  readonly system: string;
  /** The repository of each package that is there. */
  readonly packages: { readonly [name: string]: string };
  /** What it has not, and what is done instead. */
  readonly missing: { readonly [name: string]: string };
  readonly source: Source;
}

const CHECKED = '2026-11-25';
const HIGH_AVAILABILITY = 'HighAvailability, an add-on that is off by default';
const RESILIENT_STORAGE = 'ResilientStorage, an add-on that is off by default';

/** RHEL, and what is built from its sources: the same names in both releases that are supported. */
const ENTERPRISE = {
  'dnf-plugins-core': 'BaseOS',
  e2fsprogs: 'BaseOS',
  lvm2: 'BaseOS',
  mdadm: 'BaseOS',
  'nfs-utils': 'BaseOS',
  tuned: 'BaseOS',
  xfsprogs: 'BaseOS',
  'nvme-cli': 'BaseOS',
  nginx: 'AppStream',
  fio: 'AppStream',
  iperf3: 'AppStream',
  corosync: HIGH_AVAILABILITY,
  'fence-agents-aws': HIGH_AVAILABILITY,
  pacemaker: HIGH_AVAILABILITY,
  'resource-agents': HIGH_AVAILABILITY,
  dlm: RESILIENT_STORAGE,
  'gfs2-utils': RESILIENT_STORAGE,
  'lvm2-lockd': RESILIENT_STORAGE,
};

const NO_IOZONE = 'the benchmark leaves its tests of IOzone out, and says so';

function enterprise(system: string, source: Omit<Source, 'checked'>): SystemPackages {
  return {
    system,
    packages: ENTERPRISE,
    missing: { iozone: NO_IOZONE },
    source: { ...source, checked: CHECKED },
  };
}

const REBUILD =
  'OpenELA, sources of RHEL 8 and 9 as rebuilt: a spec file of each name; repositories as in ' +
  'Red Hat’s package manifest';

function redHat(release: number): SystemPackages {
  return enterprise(`RHEL ${release}`, {
    title:
      'Red Hat, Package manifest and Configuring GFS2 file systems (lvm2-lockd, gfs2-utils, dlm of Resilient ' +
      'Storage); names by the spec files of OpenELA',
    reference: `https://docs.redhat.com/en/documentation/red_hat_enterprise_linux/${release}/html/package_manifest/repositories`,
  });
}

function rebuildOf(system: string): SystemPackages {
  return enterprise(system, {
    title: REBUILD,
    reference: 'https://github.com/openela-main',
    unverified: true,
  });
}

/** What Debian and Ubuntu call alike. */
const DEBIAN_NAMES = [
  'corosync',
  'dlm-controld',
  'e2fsprogs',
  'fence-agents',
  'fio',
  'gfs2-utils',
  'iperf3',
  'lvm2',
  'lvm2-lockd',
  'mdadm',
  'nfs-common',
  'nfs-kernel-server',
  'nginx',
  'nvme-cli',
  'pacemaker',
  'pacemaker-cli-utils',
  'python3',
  'python3-boto3',
  'resource-agents',
  'tuned',
  'xfsprogs',
];

const inRepository = (names: readonly string[], repository: string) =>
  Object.fromEntries(names.map((name) => [name, repository]));

function ubuntu(system: string, notes: string): SystemPackages {
  return {
    system,
    packages: {
      ...inRepository(DEBIAN_NAMES, 'main or universe'),
      // One for each kernel, by its release.
      'linux-modules-extra': 'main',
      iozone3: 'multiverse',
    },
    missing: {},
    source: {
      title:
        'Ubuntu Server documentation and release notes: fence-agents is split, fence_aws is in ' +
        `fence-agents-extra, fence-agents brings both until it goes after 24.04; ${notes}`,
      reference:
        'https://documentation.ubuntu.com/server/explanation/high-availability/pacemaker-fence-agents/',
      checked: CHECKED,
      unverified: true,
    },
  };
}

/**
 * By the name and the release in /etc/os-release. Roles ask for no other packages than these
 * (test/facts/packages.test.ts).
 */
export const SYSTEM_PACKAGES: { readonly [osRelease: string]: SystemPackages } = {
  'amzn-2023': {
    system: 'Amazon Linux 2023',
    packages: {
      ...inRepository(
        ['dnf-plugins-core', 'e2fsprogs', 'fio', 'iperf3', 'iptables-services', 'lvm2', 'mdadm', 'nfs-utils'],
        'amazonlinux',
      ),
      ...inRepository(['nginx', 'nvme-cli', 'python3', 'xfsprogs'], 'amazonlinux'),
      // Not yet in the list of 2023-09, but in the FSx for Lustre User Guide, "Installing the Lustre client".
      'lustre-client': 'amazonlinux',
    },
    missing: {
      tuned: 'sas-grid-node sets what its profile would (amazon-linux-2023#327, open)',
      iozone: NO_IOZONE,
      corosync: 'GFS2 is refused',
      pacemaker: 'GFS2 is refused',
      'gfs2-utils': 'GFS2 is refused',
    },
    source: {
      title:
        'Amazon Linux, AL2023 package support statements of 2023-09-01 (support_info.xml) and release notes',
      reference:
        'https://github.com/amazonlinux/amazon-linux-2023/blob/2128881983d53594ec53a9b22b79852be2bdc7b6/al2023-support-statements/support_info.xml',
      checked: CHECKED,
    },
  },
  'rhel-8': redHat(8),
  'rhel-9': redHat(9),
  'almalinux-8': rebuildOf('AlmaLinux 8'),
  'almalinux-9': rebuildOf('AlmaLinux 9'),
  'rocky-8': rebuildOf('Rocky Linux 8'),
  'rocky-9': rebuildOf('Rocky Linux 9'),
  'debian-12': {
    system: 'Debian 12',
    packages: inRepository(DEBIAN_NAMES, 'main'),
    missing: { iozone3: NO_IOZONE },
    source: {
      title: 'Debian, package index of bookworm/main (amd64), read with apt',
      reference: 'https://deb.debian.org/debian/dists/bookworm/main/binary-amd64/Packages.xz',
      checked: CHECKED,
    },
  },
  'ubuntu-22': ubuntu('Ubuntu 22.04', 'resource-agents brings its two parts as well'),
  'ubuntu-24': ubuntu('Ubuntu 24.04', 'resource-agents brings its two parts as well'),
};

/** The profile throughput-performance of tuned, which a grid node without tuned sets by itself. */
export const THROUGHPUT_PERFORMANCE = {
  value: {
    'vm.dirty_ratio': 40,
    'vm.dirty_background_ratio': 10,
    'vm.swappiness': 10,
    'net.core.somaxconn': 2048,
    governor: 'performance',
  },
  unit: 'settings of the profile throughput-performance, but for read-ahead; net.core.somaxconn at least',
  source: {
    title: 'tuned 2.20.0-1 of Debian 12, /usr/lib/tuned/throughput-performance/tuned.conf',
    reference: 'https://packages.debian.org/bookworm/tuned',
    checked: CHECKED,
  },
};
