"""An image that the programs of constructs/machine-image make of a plain Debian 12, as EC2 Image Builder runs them."""

import hashlib
import re
import shutil
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
BUILD = ('image-packages', 'image-kernel', 'image-lustre', 'image-host', 'image-clean')
BOUND = 900
"""seconds for one program"""
TREE_NEEDS = ('libnl-genl-3-200', 'libyaml-0-2', 'libkeyutils1', 'libreadline8')
"""libraries of the programs of a tree; packages name theirs themselves"""
MOUNTED = (
    'cp -L --remove-destination /etc/resolv.conf "$1/etc/resolv.conf" && mount -t proc proc "$1/proc" &&'
    ' mount -t sysfs sysfs "$1/sys" && mount --bind /dev "$1/dev" && exec chroot "$@"'
)
"""a shell's program, in a mount namespace of its own: nothing stays mounted"""


@dataclass(frozen=True)
class Recipe:
    """Which Lustre the image gets. Without packages it is there already: a tree was laid over the root."""

    kernel: str
    packages: Path | None = None
    """a folder of Debian packages"""

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
        return [self.kernel, *(f'{path} {sum_of(path)}' for path in files), *given]

    def debs(self) -> list[Path]:
        """The packages of Lustre."""
        return sorted(self.packages.glob('*.deb')) if self.packages else []

    def apply(self, root: Path) -> None:
        """Run the programs of the build phase, in their order."""
        self.unpack(root)
        for program in BUILD:
            run(root, program)
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
        sums = ''.join(f'{sum_of(path)}  {path.name}\n' for path in sorted(given.iterdir()))
        (given / 'SHA256SUMS').write_text(sums)
        (folder / 'image.env').write_text(''.join(f'{key}={value}\n' for key, value in self.settings(root).items()))

    def wanted(self) -> list[tuple[str, str, str]]:
        """Rows of packages.tsv: step, package, source."""
        own = [('lustre', name_of(path), 'given') for path in self.debs()]
        libraries = [] if self.packages else TREE_NEEDS
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
        }

    def version(self, root: Path) -> str:
        """Lustre's: of the package that has its tools, or what a module of the tree says."""
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


def run(root: Path, program: str) -> str:
    """Run one program in the root, which has no kernel of its own that runs."""
    words = ['env', 'SAS_IMAGE_CHROOT=yes', path_of(program)]
    return host(
        ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', MOUNTED, 'sh', root, *words], timeout=BOUND
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
