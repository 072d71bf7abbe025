"""What is in snapshots of the volumes of sandboxes: a copy of the volume's folder, as it was at one moment."""

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from . import folders, hardware, sparse

_OF_A_VOLUME = {'lock', 'size', 'superblock.partial'}
"""what belongs to the one volume, not to what is on it"""
_KEEP_FREE = 32 << 20


def folder_of(snapshot: str) -> Path:
    """The copy."""
    return folders.state() / 'snapshots' / snapshot


def take(volumes: Mapping[str, str]) -> None:
    """Copy volumes, by the names of their snapshots. Meanwhile nobody writes on any of them.

    :raises OSError: when there is too little room; there is no copy then
    """
    with ExitStack() as locks:
        for volume in sorted(set(volumes.values())):
            locks.enter_context(_still(hardware.volume_folder(volume)))
        try:
            for snapshot, volume in volumes.items():
                _copy(hardware.volume_folder(volume), folder_of(snapshot))
        except OSError:
            for snapshot in volumes:
                drop(snapshot)
            raise
    for snapshot in volumes:
        _let_go(folder_of(snapshot) / 'superblock.json')


def duplicate(snapshot: str, copied: str) -> None:
    """Another snapshot has the same contents. Without contents there is none."""
    if folder_of(snapshot).is_dir():
        _copy(folder_of(snapshot), folder_of(copied))


def fill(volume: str, snapshot: str) -> None:
    """A new volume begins with what is in the snapshot."""
    if folder_of(snapshot).is_dir():
        _copy(folder_of(snapshot), folders.state() / 'volumes' / volume)


def drop(snapshot: str) -> None:
    """The snapshot is gone; volumes keep what they have of it."""
    shutil.rmtree(folder_of(snapshot), ignore_errors=True)


@contextmanager
def _still(volume: Path) -> Iterator[None]:
    """The tools of hosts take this lock when they write."""
    with (volume / 'lock').open('a') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _copy(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in source.rglob('*'):
        below = path.relative_to(source)
        if str(below) in _OF_A_VOLUME:
            continue
        if path.is_dir() and not path.is_symlink():
            (target / below).mkdir(exist_ok=True)
        elif path.is_file() and not path.is_symlink():
            sparse.copy(path, target / below, _KEEP_FREE)


def _let_go(superblock: Path) -> None:
    """Whoever had the volume mounted has nothing to do with the copy: after a crash it is as free as this."""
    if not superblock.exists():
        return
    block = json.loads(superblock.read_text())
    # Whoever mounts the copy finds journals to replay, unless all nodes were held at that moment.
    if block.get('mountedOn') and not block.get('frozenBy'):
        block['unclean'] = True
    freed: dict[str, Any] = {'mountedBy': None, 'mounted': [], 'mountedOn': []}
    block.update({key: value for key, value in freed.items() if key in block})
    superblock.write_text(json.dumps(block))
