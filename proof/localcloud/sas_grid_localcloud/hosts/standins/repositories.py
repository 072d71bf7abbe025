"""Repositories of packages, as dnf sees them.

Those of the outside give whatever is asked for, named and versioned as it is asked: nothing is fetched. One on this
host, by file://, has what its index names.
"""

from __future__ import annotations

import fnmatch
import hashlib

import host
import stub
from host import Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

AWAY = host.STATE / 'mirror-away'
"""While it exists no host gets packages."""
INDEX = 'repodata/packages.tsv'
"""The file and the SHA-256 of each package, instead of repomd's XML."""
REPOMD = 'repodata/repomd.xml'
ADDRESS = 'https://packages.of.the.distribution.invalid/'


class Repository:
    """One of them."""

    def __init__(self, name: str, settings: dict[str, str]) -> None:
        self.name, self._settings = name, settings
        self.base = settings['baseurl'].rstrip('/') + '/'
        self.excluded = settings.get('excludepkgs', '').replace(',', ' ').split()

    @property
    def folder(self) -> Path | None:
        """Where it is on this host."""
        return Path(self.base.removeprefix('file://')) if self.base.startswith('file://') else None

    def find(self, spec: str, release: str) -> stub.Package | None:
        """The package that fits; None when it has none."""
        name, version, named, newer = stub.wanted(spec)
        if any(fnmatch.fnmatch(name, pattern) for pattern in self.excluded):
            return None
        if self.folder is None:
            if AWAY.exists():
                raise Failed(1, 'Error: Failed to download metadata for repo: Cannot download repomd.xml')
            return stub.Package(name, version or '1', named or f'1.el{release.split(".")[0]}', 'x86_64')
        for package in self._indexed():
            fits = stub.not_below(package.version, version) if newer else package.version.startswith(version)
            if package.name == name and fits and (not named or package.release == named):
                return package
        return None

    def text(self, package: stub.Package) -> str:
        """The package's file."""
        if self.folder is not None:
            return (self.folder / package.file).read_text()
        return stub.add_signature(package.text(), stub.DISTRIBUTION_KEY) if self.base == ADDRESS else package.text()

    def require_signed(self, package: stub.Package) -> None:
        """Refuse a package without a signature of the repository's keys, where it wants them."""
        if self._settings.get('gpgcheck') != '1':
            return
        key, fits = stub.signature(self.text(package))
        if not fits or key not in self._keys():
            raise Failed(1, f'Error: Package {package.file} is not signed\nError: GPG check FAILED')

    def _keys(self) -> list[str]:
        names = self._settings.get('gpgkey', '').split()
        return stub.public_keys([Path(name.removeprefix('file://')) for name in names])

    def _indexed(self) -> list[stub.Package]:
        folder = self.folder
        if folder is None or not (folder / REPOMD).exists():
            raise Failed(1, f"Error: Failed to download metadata for repo '{self.name}': Cannot download repomd.xml")
        index = (folder / INDEX).read_bytes()
        repomd = (folder / REPOMD).read_text()
        signature = folder / f'{REPOMD}.asc'
        if self._settings.get('repo_gpgcheck') == '1':
            signer = stub.signer(repomd.encode(), signature.read_text()) if signature.exists() else ''
            if signer not in self._keys():
                raise Failed(1, f"Error: Failed to download metadata for repo '{self.name}': GPG verification error")
        if f'>{hashlib.sha256(index).hexdigest()}<' not in repomd:
            raise Failed(1, f"Error: Failed to download metadata for repo '{self.name}': Checksum doesn't match")
        listed = [line.split('\t') for line in index.decode().splitlines()]
        for file, expected in listed:
            path = folder / file
            if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != expected:
                raise Failed(1, f'Error: {file}: Package checksum does not match')
        return [stub.read((folder / file).read_text(), file) for file, _ in listed]


def enabled(options: Sequence[str]) -> list[Repository]:
    """Those that dnf asks with these options."""
    # A folder for each repository that is written, and one that the image has.
    set_to = [option.partition('=')[2].partition('=')[::2] for option in options if option.startswith('--setopt=')]
    folders = [value for key, value in set_to if key == 'reposdir'] or [str(host.ROOT / 'etc/yum.repos.d')]
    found = {'distribution': {'baseurl': ADDRESS, 'enabled': '1'}}
    for folder in folders[-1].split(','):
        for file in Path(folder).children():
            found.update(_sections(file.read_text()))
    for key, value in set_to:
        name, _, setting = key.rpartition('.')
        if name in found:
            found[name][setting] = value
    on = [option.partition('=')[2] for option in options if option.startswith('--enablerepo=')]
    off = [option.partition('=')[2] for option in options if option.startswith('--disablerepo=')]
    wanted = [
        Repository(name, settings)
        for name, settings in found.items()
        if name in on or (settings.get('enabled', '1') == '1' and not {name, '*'} & set(off))
    ]
    if '--disableexcludes=main' not in options:
        for one in wanted:
            one.excluded += main_excludes()
    return wanted


def main_excludes() -> list[str]:
    """What dnf.conf keeps as it is."""
    file = host.ROOT / 'etc/dnf/dnf.conf'
    settings = _sections(file.read_text()).get('main', {}) if file.exists() else {}
    return settings.get('excludepkgs', '').replace(',', ' ').split()


def _sections(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    here: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith('['):
            here = found.setdefault(line.strip('[]'), {})
        elif '=' in line:
            here[line.partition('=')[0].strip()] = line.partition('=')[2].strip()
    return found


def createrepo(arguments: Sequence[str]) -> int:
    """Lists the packages of a folder, with their sums."""
    folder = Path(arguments[-1])
    files = [path for path in folder.children() if path.name.endswith('.rpm')]
    for path in files:
        stub.read(path.read_text(), path.name)
    (folder / 'repodata').make_folder()
    index = ''.join(f'{path.name}\t{hashlib.sha256(path.read_bytes()).hexdigest()}\n' for path in files)
    (folder / INDEX).write_text(index)
    told = f'<checksum type="sha256">{hashlib.sha256(index.encode()).hexdigest()}</checksum>'
    (folder / REPOMD).write_text(f'<repomd><data>{told}<location href="{INDEX}"/></data></repomd>\n')
    return 0


TOOLS = {'createrepo_c': createrepo}
