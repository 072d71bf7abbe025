"""An image that the programs of constructs/machine-image make of a plain Debian 12, as EC2 Image Builder runs them."""

import hashlib
import re
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .commands import host
from .settings import GUEST, PROJECT

SCRIPTS = PROJECT / 'constructs' / 'machine-image' / 'scripts'
HOST_SOFTWARE = PROJECT / 'constructs' / 'host'
HOST_FOLDERS = ('bin', 'lib', 'systemd', 'sysctl')
"""what the host software is, by the contract of the programs"""
FOLDER = Path('var/lib/sas-grid-image')
"""where the programs lie on the machine that is built"""
SOURCE = Path('var/tmp/sas-grid-source.tar')
"""where the archive of a source tree lies there"""
BUILD = ('image-packages', 'image-kernel', 'image-lustre', 'image-host', 'image-clean')
BOUND = 900
"""seconds for one program"""
COMPILES = 10800
"""seconds for the one that builds Lustre from its source"""
TREE_NEEDS = ('libnl-genl-3-200', 'libyaml-0-2', 'libkeyutils1', 'libreadline8')
"""libraries of the programs of a tree; packages name theirs themselves"""
MOUNTED = (
    'cp -L --remove-destination /etc/resolv.conf "$1/etc/resolv.conf" && mount -t proc proc "$1/proc" &&'
    ' mount -t sysfs sysfs "$1/sys" && mount --bind /dev "$1/dev" && exec chroot "$@"'
)
"""a shell's program, in a mount namespace of its own: nothing stays mounted"""


@dataclass(frozen=True)
class Recipe:
    """Which Lustre the image gets. Without packages and source it is there already: a tree was laid over the root."""

    kernel: str
    packages: Path | None = None
    """a folder of Debian packages"""
    source: Path | None = None
    """the archive of a source tree, from which the programs build packages"""

    def base(self) -> list[str]:
        """The packages of the Debian that it starts from."""
        return re.sub(r'#.*', '', (GUEST / 'cloud-image-packages.txt').read_text()).split()

    def parts(self) -> list[str]:
        """All that the image is made of."""
        files = [
            path
            for folder in (SCRIPTS, HOST_SOFTWARE)
            for path in sorted(folder.rglob('*'))
            if path.is_file() and path.suffix not in ('.md', '.ts', '.pyc')
        ]
        given = [f'{path.name} {sum_of(path)}' for path in self.debs()]
        return [self.kernel, *(f'{path} {sum_of(path)}' for path in files), *given, *self.source_sum()]

    def debs(self) -> list[Path]:
        """The packages of Lustre."""
        return sorted(self.packages.glob('*.deb')) if self.packages else []

    def source_sum(self) -> list[str]:
        """The SHA-256 of the archive of the source, if there is one."""
        return [sum_of(self.source)] if self.source else []

    def apply(self, root: Path) -> None:
        """Run the programs of the build phase, in their order."""
        self.unpack(root)
        for program in BUILD:
            run(root, program, COMPILES if self.source and program == 'image-packages' else BOUND)
        # The test phase begins with a new machine, to which the programs come once more.
        self.unpack(root)

    def unpack(self, root: Path) -> None:
        """Put the programs, and what synthesis writes, to where a component unpacks them."""
        folder = root / FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns('*.md', '__pycache__'))
        for name in HOST_FOLDERS:
            shutil.copytree(HOST_SOFTWARE / name, folder / 'host' / name)
        (folder / 'recorded.tsv').write_text('')
        (folder / 'sources.tsv').write_text(f'given\tfile:///{FOLDER}/given\n')
        (folder / 'packages.tsv').write_text(table(self.wanted()))
        given = folder / 'given'
        given.mkdir()
        for path in self.debs():
            shutil.copy(path, given)
        stand_in(given)
        if self.source:
            shutil.copy(self.source, root / SOURCE)
        sums = ''.join(f'{sum_of(path)}  {path.name}\n' for path in sorted(given.iterdir()))
        (given / 'SHA256SUMS').write_text(sums)
        (folder / 'image.env').write_text(''.join(f'{key}={value}\n' for key, value in self.settings(root).items()))

    def wanted(self) -> list[tuple[str, str, str]]:
        """Rows of packages.tsv: step, package, source."""
        own = [('lustre', name_of(path), 'given') for path in self.debs()]
        if self.source:
            # By the contract of the programs: another tree is another version.
            version = f'{version_of(self.source)}-1+src{self.source_sum()[0][:8]}'
            built = (f'lustre-server-modules-{self.kernel}', 'lustre-server-utils')
            own = [('lustre', f'{name}={version}', '-') for name in built]
        libraries = [] if own else TREE_NEEDS
        tools = [('lustre', name, '-') for name in ('zfsutils-linux', *libraries)]
        return [('kernel', f'linux-image-{self.kernel}', '-'), *own, *tools, ('host', 'nginx-light', '-')]

    def settings(self, root: Path) -> dict[str, str]:
        """What image.env says."""
        return {
            'KIND': 'lustre-server',
            'SYSTEM': 'debian',
            'RELEASE': '12',
            'ARCHITECTURE': 'x86_64',
            'LUSTRE_VERSION': self.version(root),
            'BACKEND': 'zfs',
            'KERNEL': self.kernel,
            'HOST_SOFTWARE': host_software(),
            'AGENT_MINIMUM': '',
            'SOURCE_SHA256': ''.join(self.source_sum()),
        }

    def version(self, root: Path) -> str:
        """Lustre's: of the source, of the package that has its tools, or what a module of the tree says."""
        if self.source:
            return version_of(self.source)
        for path in self.debs():
            if path.name.startswith('lustre-server-utils_'):
                return path.name.split('_')[1]
        module = next((root / 'lib/modules' / self.kernel).rglob('lustre.ko'))
        return host(['chroot', root, 'modinfo', '-F', 'version', f'/{module.relative_to(root)}']).strip()


def stand_in(folder: Path) -> None:
    """A package with the name of the agent of Systems Manager: the lab's own, which has the same unit."""
    with tempfile.TemporaryDirectory() as scratch:
        unit = Path(scratch) / 'lib/systemd/system/amazon-ssm-agent.service'
        unit.parent.mkdir(parents=True)
        shutil.copy(GUEST / unit.name, unit)
        control = Path(scratch) / 'DEBIAN' / 'control'
        control.parent.mkdir()
        fields = {
            'Package': 'amazon-ssm-agent',
            'Version': '0',
            'Architecture': 'all',
            'Maintainer': 'lab <lab@localhost>',
        }
        lines = [f'{key}: {value}\n' for key, value in {**fields, 'Description': 'the agent of the lab'}.items()]
        control.write_text(''.join(lines))
        target = folder / 'amazon-ssm-agent_0_all.deb'
        host(['dpkg-deb', '--root-owner-group', '--build', scratch, target], timeout=60)


def version_of(source: Path) -> str:
    """The release that the archive of a source tree is of."""
    with tarfile.open(source) as archive:
        name = next((name for name in archive.getnames() if name.endswith('/LUSTRE-VERSION-GEN')), None)
        script = archive.extractfile(name) if name else None
        text = script.read().decode() if script else ''
    found = re.search(r'^DEFAULT_VERSION=(\S+)$', text, re.MULTILINE)
    if not found:
        raise ValueError(f'{source} has no LUSTRE-VERSION-GEN that names a version: it is no source tree of Lustre')
    return found[1]


def run(root: Path, program: str, timeout: float = BOUND) -> str:
    """Run one program in the root, which has no kernel of its own that runs."""
    words = ['env', 'SAS_IMAGE_CHROOT=yes', f'SAS_IMAGE_SOURCE=/{SOURCE}', path_of(program)]
    return host(
        ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', MOUNTED, 'sh', root, *words], timeout=timeout
    )


def path_of(program: str) -> str:
    """Where a program lies on the machine: Debian has its own of most."""
    folder = 'debian' if (SCRIPTS / 'debian' / program).exists() else 'bin'
    return f'/{FOLDER}/{folder}/{program}'


def table(rows: list[tuple[str, str, str]]) -> str:
    """Rows with tabulators between their columns."""
    return ''.join('\t'.join(row) + '\n' for row in rows)


def name_of(path: Path) -> str:
    """A package as apt takes it, of its file's name."""
    name, version, _ = path.name.split('_')
    return f'{name}={version.replace("%3a", ":")}'


def host_software() -> str:
    """The SHA-256 over all host files, as the contract of the programs has it."""
    files = [path for folder in HOST_FOLDERS for path in (HOST_SOFTWARE / folder).rglob('*') if path.is_file()]
    named = sorted((str(path.relative_to(HOST_SOFTWARE)), path) for path in files if path.suffix != '.pyc')
    return hashlib.sha256(''.join(f'{name}\n{sum_of(path)}\n' for name, path in named).encode()).hexdigest()


def sum_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
