"""What lies on file systems of FSx and EFS: a folder each, which hosts that mount it share."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import history, signals
from . import folders

COVERED = '.covered-'
"""What a mount hides is kept beside it under this name."""


def subscribe() -> None:
    """Follow deletions."""
    signals.subscribe('file-system-gone', _gone)
    signals.subscribe('files-copied', _copied)


def folder(file_system: str) -> Path:
    """Where its files are."""
    found = folders.state() / 'file-systems' / file_system
    found.mkdir(parents=True, exist_ok=True)
    return found


def forget_mounts(instance_id: str) -> None:
    """A host that lost its power has nothing mounted; what a mount hid is there again."""
    for mounted, _ in _mounts(folders.root_of(instance_id)):
        identity = _identity(mounted)
        mounted.unlink()
        (mounted.parent / f'{COVERED}{mounted.name}').rename(mounted)
        history.record('managed-mount', identity, 'mounted', None, instance=instance_id)


def _copied(*, source: str, target: str, **_: Any) -> None:
    """What is there now is in the other place, too, and stays there whatever becomes of this one."""
    shutil.copytree(folder(source), folder(target), symlinks=True, dirs_exist_ok=True)


def _gone(*, file_system: str, **_: Any) -> None:
    """Its files are lost. Hosts still have it mounted, and get no further."""
    place = folders.state() / 'file-systems' / file_system
    for root in (folders.state() / 'hosts').iterdir():
        for mounted, _line in _mounts(root):
            if _identity(mounted) == file_system:
                history.record('managed-mount', file_system, 'mounted', 'stale', instance=root.name)
    shutil.rmtree(place, ignore_errors=True)


def _mounts(root: Path) -> Iterator[tuple[Path, str]]:
    """Where a host has such file systems mounted: a link to the files stands there."""
    mounts = root / 'proc/mounts'
    for line in mounts.read_text().splitlines() if mounts.exists() else ():
        directory = Path(line.split()[1])
        if directory.is_symlink():
            yield directory, line


def _identity(mounted: Path) -> str:
    return Path(os.readlink(mounted)).relative_to(folders.state() / 'file-systems').parts[0]
