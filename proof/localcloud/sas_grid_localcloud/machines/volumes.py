"""The disks of volumes of virtual machines, and of their snapshots: raw files with holes, beside each other."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sas_grid_lab.disks import Volume, make_file
from sas_grid_lab.lab import Machine
from sas_grid_lab.plugs import MachineError

from ..hosts import sparse
from . import books

KEEP_FREE = 1 << 30
"""bytes of this machine's disk that snapshots leave alone"""


class Volumes:
    """All volumes that were attached or made of a snapshot, and all snapshots."""

    def __init__(self, folder: Callable[[], Path], most_mib: int, machine: Callable[[str], Machine]) -> None:
        """:param machine: the machine of an instance; raises MachineError when there is none"""
        self._folder, self._most_mib, self._machine = folder, most_mib, machine
        self._known: dict[str, Volume] = {}
        self._lock = threading.Lock()

    def get(self, volume_id: str) -> Volume:
        """The volume, blank when nobody has filled it."""
        with self._lock:
            if volume_id not in self._known:
                size, shared = books.volume(volume_id)
                size, file = min(size, self._most_mib), self._file(volume_id)
                if file.exists():
                    with file.open('r+b') as disk:
                        disk.truncate(size << 20)
                else:
                    make_file(file, size)
                self._known[volume_id] = Volume(volume_id, file, size, shared)
            return self._known[volume_id]

    def take(self, volumes: Mapping[str, str]) -> None:
        """Copy volumes while the machines that have them stand still: all of them have one moment.

        :raises OSError: when there is too little room; there is no copy then
        """
        found = {snapshot: self.get(volume) for snapshot, volume in volumes.items()}
        with self._still({user for volume in found.values() for user in volume.users}):
            try:
                for snapshot, volume in found.items():
                    sparse.copy(volume.path, self._file(snapshot), KEEP_FREE)
            except OSError:
                for snapshot in found:
                    self.drop(snapshot)
                raise

    def duplicate(self, snapshot: str, copied: str) -> None:
        """Another snapshot has the same contents."""
        if self._file(snapshot).exists():
            sparse.copy(self._file(snapshot), self._file(copied), KEEP_FREE)

    def fill(self, volume: str, snapshot: str) -> None:
        """A new volume begins with what is in the snapshot."""
        self.duplicate(snapshot, volume)

    def drop(self, snapshot: str) -> None:
        """The snapshot is gone."""
        self._file(snapshot).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self._folder() / f'{name}.raw'

    @contextlib.contextmanager
    def _still(self, instances: set[str]) -> Iterator[None]:
        frozen = []
        try:
            for one in sorted(instances):
                # A machine that is off writes nothing.
                with contextlib.suppress(MachineError):
                    machine = self._machine(one)
                    machine.freeze()
                    frozen.append(machine)
            yield
        finally:
            for machine in frozen:
                with contextlib.suppress(MachineError):
                    machine.thaw()
