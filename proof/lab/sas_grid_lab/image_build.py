"""How an image is built: Debian 12 by mmdebstrap, then the lab's files, then an ext4 disk."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from . import apt_sources, initrd, kernel
from .commands import HostCommandFailed, host
from .recipe import Recipe
from .settings import GUEST

ROOT_SIZE = '3G'
# They lie in contrib, which few hosts have among their sources. The second has zinject.
ZFS_TOOLS = ('zfsutils-linux', 'zfs-test')
OTHER_KERNEL = 'linux-image-cloud-amd64'
"""a guest starts it by kexec, as after an update"""
MANUALS = ('man', 'doc', 'locale', 'info', 'lintian')
SIGNS_OF_NO_NETWORK = ('Failed to fetch', 'Could not resolve', 'Could not connect', 'apt-get update')
DPKG_OPTIONS = ['force-unsafe-io', 'force-confold', *(f'path-exclude=/usr/share/{name}/*' for name in MANUALS)]


class Unreachable(Exception):
    """The packages cannot be fetched here."""


class BadTree(Exception):
    """The tree to lay over the guest's root does not fit it."""


def kernel_of(tree: Path) -> str:
    """The kernel that a tree's modules were built for."""
    versions = sorted({path.name for folder in ('lib', 'usr/lib') for path in (tree / folder / 'modules').glob('*')})
    if len(versions) != 1:
        found = ', '.join(versions) or 'none'
        raise BadTree(f'{tree} must have modules of one kernel under lib/modules; found: {found}')
    return versions[0]


def packages(kernel_version: str | None, tree: Path | None) -> list[str]:
    """The guest's packages, with the kernel of the tree instead of Debian's current one."""
    names = words(GUEST / 'packages.txt')
    names += [name for name in words(GUEST / 'optional-packages.txt') if apt_sources.available(name)]
    if kernel_version:
        names[names.index('linux-image-amd64')] = f'linux-image-{kernel_version}'
        # The tree has modules for its own kernel only.
        names.remove(OTHER_KERNEL)
    if tree and not any((tree / folder / 'zpool').exists() for folder in ('sbin', 'usr/sbin', 'usr/local/sbin')):
        names += ZFS_TOOLS
    return names


def words(file: Path) -> list[str]:
    """The words of a file without its comments."""
    return re.sub(r'#.*', '', file.read_text()).split()


def make_base(archive: Path, names: list[str], sources: str) -> None:
    """Debian with the packages, as a compressed archive."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='base-', dir=archive.parent) as scratch:
        listed = Path(scratch) / 'sources.list'
        listed.write_text(sources)
        made = Path(scratch) / 'base.tar'
        # The lab makes its own initial RAM disk; making Debian's takes half a minute.
        settings = '"$1/etc/initramfs-tools"'
        hook = f'mkdir -p {settings} && echo update_initramfs=no >{settings}/update-initramfs.conf'
        command = [
            *('mmdebstrap', '--mode=root', '--variant=minbase', '--architectures=amd64'),
            '--aptopt=Apt::Install-Recommends "false"',
            '--aptopt=Acquire::Languages "none"',
            *(f'--aptopt={option}' for option in apt_sources.options()),
            *(f'--dpkgopt={option}' for option in DPKG_OPTIONS),
            *(f'--essential-hook={hook}', f'--include={",".join(names)}', apt_sources.SUITE, str(made), str(listed)),
        ]
        try:
            host(command, timeout=1800)
        except HostCommandFailed as problem:
            if any(sign in str(problem) for sign in SIGNS_OF_NO_NETWORK):
                print(problem, file=sys.stderr)
                raise Unreachable('the packages of the guest cannot be fetched from the apt sources above') from problem
            raise
        packed = Path(scratch) / 'base.tar.zst'
        host(['zstd', '-q', '-1', '-T0', '-o', packed, made], timeout=300)
        packed.rename(archive)


def make_image(folder: Path, archive: Path, tree: Path | None, wanted: str | None, recipe: Recipe | None = None) -> str:
    """The root disk, the kernel and the initial RAM disk; returns the kernel's version."""
    with tempfile.TemporaryDirectory(prefix='build-', dir=folder.parent) as scratch:
        root, made = Path(scratch) / 'root', Path(scratch) / 'image'
        root.mkdir()
        made.mkdir()
        host(['tar', '--zstd', '-xf', archive, '-C', root, '--exclude=./dev/*', '--numeric-owner'], timeout=300)
        if tree:
            lay_over(root, tree, Path(scratch) / 'tree.tar')
        if recipe:
            recipe.apply(root)
        version, *others = [wanted] if wanted else kernels(root)
        configure(root)
        if tree:
            host(['chroot', root, 'depmod', version], timeout=120)
        init, modules = (GUEST / 'init.sh').read_text(), words(GUEST / 'initrd-modules.txt')
        initrd.make(root, version, modules, init, made / 'initrd.img')
        for other in others:
            initrd.make(root, other, modules, init, root / 'boot' / f'initrd.img-{other}')
        kernel.unpack(root / 'boot' / f'vmlinuz-{version}', made / 'vmlinux')
        disk = made / 'root.raw'
        host(
            ['mke2fs', '-q', '-t', 'ext4', '-L', 'labroot', '-O', '^metadata_csum_seed', '-d', root, disk, ROOT_SIZE],
            timeout=300,
        )
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    return version


def lay_over(root: Path, tree: Path, packed: Path) -> None:
    """Copy a tree. Debian's /lib and /sbin are links into /usr: they stay links."""
    host(['tar', '-C', tree, '-cf', packed, '.'], timeout=300)
    host(['tar', '-C', root, '--keep-directory-symlink', '--no-same-owner', '-xf', packed], timeout=300)
    packed.unlink()


def kernels(root: Path) -> list[str]:
    """The versions of the kernels that are installed; the guest starts with the first."""
    versions = [path.name.removeprefix('vmlinuz-') for path in (root / 'boot').glob('vmlinuz-*')]
    return sorted(versions, key=lambda version: 'cloud' in version)


def configure(root: Path) -> None:
    """Everything in which the guest differs from its packages."""
    units = root / 'etc/systemd/system'
    write(root / 'etc/fstab', 'LABEL=labroot / ext4 noatime 0 0\n')
    write(root / 'etc/hosts', '127.0.0.1 localhost\n')
    write(root / 'etc/systemd/journald.conf.d/lab.conf', '[Journal]\nStorage=volatile\n')
    write(root / 'usr/local/sbin/lab-identity', (GUEST / 'identity.sh').read_text(), 0o755)
    write(root / 'usr/local/sbin/lab-agent', (GUEST / 'agent.py').read_text(), 0o755)
    write(units / 'lab-identity.service', (GUEST / 'identity.service').read_text())
    write(units / 'amazon-ssm-agent.service', (GUEST / 'amazon-ssm-agent.service').read_text())
    write(units / 'systemd-udev-trigger.service.d/lab.conf', (GUEST / 'udev-trigger.conf').read_text())
    blacklisted = words(GUEST / 'blacklisted-modules.txt')
    write(root / 'etc/modprobe.d/lab.conf', ''.join(f'blacklist {name}\n' for name in blacklisted))
    for name in ('hostname', 'machine-id', 'resolv.conf'):
        (root / 'etc' / name).unlink(missing_ok=True)
    # The machine's own comes with the kernel's command line; without the file every boot would be a first one.
    write(root / 'etc/machine-id', '')
    for unit in words(GUEST / 'masked-units.txt'):
        mask(units / unit)
    for generator in words(GUEST / 'masked-generators.txt'):
        mask(root / 'etc/systemd/system-generators' / generator)
    enabled = ['lab-identity.service', 'amazon-ssm-agent.service']
    host(['systemctl', f'--root={root}', 'disable', *present(root, words(GUEST / 'disabled-units.txt'))], timeout=60)
    host(['systemctl', f'--root={root}', 'enable', *enabled], timeout=60)
    host(['systemctl', f'--root={root}', 'set-default', 'multi-user.target'], timeout=60)
    shutil.rmtree(root / 'var/lib/apt/lists', ignore_errors=True)


def present(root: Path, units: list[str]) -> list[str]:
    """Those units that the guest has: packages differ with the sources."""
    folders = ('lib/systemd/system', 'usr/lib/systemd/system', 'etc/systemd/system')
    return [unit for unit in units if any((root / folder / unit).exists() for folder in folders)]


def mask(path: Path) -> None:
    """Keep systemd from running it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to('/dev/null')


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
