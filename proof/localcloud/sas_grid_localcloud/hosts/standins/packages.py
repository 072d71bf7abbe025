"""dnf and rpm: packages that are installed, and what of their files others look for."""

from __future__ import annotations

import os
import shlex
import sys

import host
import repositories
import stub
from host import Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = host.ROOT / 'var/lib/packages'
"""A name on each line: what a shell looks at (tools.py, QUICK)."""
INSTALLED = host.ROOT / 'var/lib/packages.d'
PROGRAMS = {
    'createrepo_c': ('createrepo_c',),
    'lustre': ('mount.lustre',),
    'lustre-client': ('mount.lustre',),
    'nfs-utils': ('mount.nfs4',),
    'rpm-sign': ('rpmsign',),
}
"""Programs that are not on a host before its package is. The others are on all hosts, in one folder."""
TOGETHER = {'lvm2-lockd': ('lvm2',)}
"""What comes with a package."""
WITH_VALUE = ('--destdir', '--downloaddir')


def rpm(arguments: Sequence[str]) -> int:
    """-q of a package or a file, with a format; -U of files. More of -q: tools.py, QUICK."""
    form = arguments[arguments.index('--qf') + 1] if '--qf' in arguments else '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}\\n'
    last = arguments[-1]
    if '-qp' in arguments:
        print(stub.read(Path(last).read_text(), last).format(form), end='')
    elif '-q' in arguments:
        if not host.installed(last):
            print(f'package {last} is not installed')
            return 1
        print(_package(last).format(form), end='')
    elif '-U' in arguments and Path(last).is_file():
        _install(stub.read(Path(last).read_text(), last))
    return 0


def _package(name: str) -> stub.Package:
    """What was installed under this name; of what came without a file nothing but the name is known."""
    file = INSTALLED / name
    return stub.read(file.read_text(), name) if file.exists() else stub.Package(name, '1', '1', 'x86_64')


def dnf(arguments: Sequence[str]) -> int:
    NAMES.parent.make_folder()
    words, values, rest = [], {}, iter(arguments)
    for argument in rest:
        if argument in WITH_VALUE:
            values[argument] = next(rest)
        elif not argument.startswith('-'):
            words.append(argument)
    command, specs = (words[0] if words else ''), words[1:]
    if command == 'repolist':
        print('repo id                  repo name')
        for one in repositories.enabled(arguments):
            print(f'{one.name:24} {one.name}')
    elif command == 'download' and '--help' not in arguments:
        _download(arguments, specs, values.get('--destdir', '.'))
    elif command == 'install':
        _install_all(arguments, specs, values.get('--downloaddir', ''))
    elif command == 'remove':
        for name in specs:
            _remove(name)
    elif command == 'makecache' and repositories.AWAY.exists():
        raise Failed(1, 'Error: Failed to download metadata for repo: Cannot download repomd.xml')
    elif command == 'check-update':
        return _check_update(arguments, specs)
    return 0


def _release(options: Sequence[str]) -> str:
    named = next((each.partition('=')[2] for each in options if each.startswith('--releasever=')), '')
    return named or _system().get('VERSION_ID', '9').strip('"')


def _found(options: Sequence[str], specs: list[str]) -> list[tuple[repositories.Repository, stub.Package]]:
    """Where each package comes from. All of them, or an error."""
    asked, release = repositories.enabled(options), _release(options)
    found, missing = [], []
    for spec in specs:
        pairs = ((each, each.find(spec, release)) for each in asked)
        pair = next(((each, package) for each, package in pairs if package), None)
        if pair is None:
            missing.append(spec)
        else:
            found.append(pair)
    if missing:
        raise Failed(1, f'Error: Unable to find a match: {" ".join(missing)}')
    return found


def _download(options: Sequence[str], specs: list[str], folder: str) -> None:
    for repository, package in _found(options, specs):
        if '--urls' in options:
            print(repository.base + package.file)
        else:
            (Path(folder) / package.file).write_text(repository.text(package))


def _install_all(options: Sequence[str], specs: list[str], folder: str) -> None:
    if '--downloadonly' not in options and not any(each.startswith('--disablerepo') for each in options):
        lacking = _lacking(specs)
        if lacking:
            raise Failed(1, f'Error: Unable to find a match: {" ".join(lacking)}')
    chosen = [(each, package) for each, package in _found(options, specs) if not host.installed(package.name)]
    if '--nogpgcheck' not in options:
        for repository, package in chosen:
            repository.require_signed(package)
    for repository, package in chosen:
        if '--downloadonly' not in options:
            _install(package)
        elif folder and not (Path(folder) / package.file).exists():
            (Path(folder) / package.file).write_text(repository.text(package))


def _install(package: stub.Package) -> None:
    NAMES.parent.make_folder()
    INSTALLED.make_folder()
    for name in (package.name, *TOGETHER.get(package.name, ())):
        if not host.installed(name):
            NAMES.append_text(f'{name}\n')
    (INSTALLED / package.name).write_text(package.text())
    for program in PROGRAMS.get(package.name, ()):
        _write_program(program)
    if package.name == 'kernel-core':
        for folder in ('boot', f'lib/modules/{package.build}'):
            (host.ROOT / folder).make_folder()
        (host.ROOT / f'boot/vmlinuz-{package.build}').touch()


def _write_program(name: str) -> None:
    path = host.ROOT / 'usr/bin' / name
    path.parent.make_folder()
    main = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'main.py')
    path.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-IS", main, name])} "$@"\n')
    os.chmod(str(path), 0o755)


def _remove(name: str) -> None:
    left = [each for each in NAMES.read_text().split() if each != name] if NAMES.exists() else []
    NAMES.write_text(''.join(f'{each}\n' for each in left))
    (INSTALLED / name).remove()
    for program in PROGRAMS.get(name, ()):
        (host.ROOT / 'usr/bin' / program).remove()


def _check_update(options: Sequence[str], patterns: list[str]) -> int:
    """The distribution always has a newer kernel than the one of an image; other patterns are not asked for here."""
    excluded = any(pattern.startswith('kernel') for one in repositories.enabled(options) for pattern in one.excluded)
    if excluded or not any(pattern.startswith('kernel') for pattern in patterns):
        return 0
    print('\nkernel.x86_64    999.0.0-1    distribution')
    return 100


def _system() -> dict[str, str]:
    lines = (host.ROOT / 'etc/os-release').read_text().splitlines()
    return dict(line.split('=', 1) for line in lines if '=' in line)


OF_BUILDS = ('createrepo_c', 'rpm-sign')
"""What the distribution has that no role asks for, but a build of an image."""


def _lacking(names: list[str]) -> list[str]:
    """Those that the distribution has not, by the dated list of what roles ask for.

    With a version they are from a repository of somebody's own.
    """
    import json

    release = _system()
    system = f'{release["ID"]}-{release["VERSION_ID"].partition(".")[0]}'.replace('"', '')
    with open(os.path.join(os.path.dirname(__file__), '../packages.json'), encoding='utf-8') as file:
        known = json.load(file)['systems'].get(system)
    there = () if known is None else (*known.split(), *OF_BUILDS)
    return [] if known is None else [name for name in names if '*' not in name and name not in there]


TOOLS = {'dnf': dnf, 'rpm': rpm}
