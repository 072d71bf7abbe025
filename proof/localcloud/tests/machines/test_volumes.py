"""Snapshots of the volumes of virtual machines: copies of their disks while who has them stands still."""

from pathlib import Path
from typing import Any

import pytest
from sas_grid_lab.plugs import MachineError

from sas_grid_localcloud.hosts import sparse
from sas_grid_localcloud.machines import books
from sas_grid_localcloud.machines import volumes as made_of
from sas_grid_localcloud.machines.volumes import Volumes


class Fake:
    """A machine that notes what it is told, and what lay on the copies by then."""

    def __init__(self, folder: Path) -> None:
        self.told: list[str] = []
        self._folder = folder

    def freeze(self) -> None:
        self.told.append('freeze')

    def thaw(self) -> None:
        self.told.append(f'thaw, with {len(list(self._folder.glob("snap-*")))} copies')


@pytest.fixture
def machine(tmp_path: Path) -> Fake:
    return Fake(tmp_path)


@pytest.fixture
def volumes(tmp_path: Path, machine: Fake, monkeypatch: pytest.MonkeyPatch) -> Volumes:
    monkeypatch.setattr(books, 'volume', lambda _: (8, False))
    monkeypatch.setattr(made_of, 'KEEP_FREE', 0)

    def of(instance: str) -> Any:
        if instance != 'i-1':
            raise MachineError('is off')
        return machine

    return Volumes(lambda: tmp_path, 16, of)


def test_all_volumes_are_copied_while_their_machine_stands_still(volumes: Volumes, machine: Fake) -> None:
    for name in ('vol-1', 'vol-2'):
        volume = volumes.get(name)
        volume.path.write_bytes(name.encode().ljust(8 << 20, b'\0'))
        volume.attach_to('i-1')
    volumes.take({'snap-1': 'vol-1', 'snap-2': 'vol-2'})
    assert machine.told == ['freeze', 'thaw, with 2 copies']
    volumes.get('vol-1').path.write_bytes(bytes(8 << 20))
    volumes.fill('vol-3', 'snap-1')
    restored = volumes.get('vol-3')
    assert restored.path.read_bytes().rstrip(b'\0') == b'vol-1'
    assert (restored.size_mib, restored.users) == (8, set())


def test_a_copy_that_fails_leaves_none_and_lets_the_machine_go_on(
    volumes: Volumes, machine: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ('vol-1', 'vol-2'):
        volumes.get(name).attach_to('i-1')
    own = sparse.copy

    def copy(source: Path, target: Path, keep_free: int) -> None:
        if source.name == 'vol-2.raw':
            raise sparse.NoRoom(28, 'full')
        own(source, target, keep_free)

    monkeypatch.setattr(sparse, 'copy', copy)
    with pytest.raises(sparse.NoRoom):
        volumes.take({'snap-1': 'vol-1', 'snap-2': 'vol-2'})
    assert machine.told == ['freeze', 'thaw, with 0 copies']
    assert list(tmp_path.glob('snap-*')) == []


def test_a_copied_snapshot_outlives_the_first(volumes: Volumes) -> None:
    # Of a machine that is off.
    volumes.get('vol-1').attach_to('i-2')
    volumes.take({'snap-1': 'vol-1'})
    volumes.duplicate('snap-1', 'snap-2')
    volumes.drop('snap-1')
    volumes.fill('vol-2', 'snap-2')
    assert volumes.get('vol-2').path.stat().st_size == 8 << 20
