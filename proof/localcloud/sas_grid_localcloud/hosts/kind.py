"""What hosts are: sandboxes on this machine, or virtual machines. The rest of the embedded AWS asks only this."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..settings import PREFIX

MACHINES = f'{PREFIX}MACHINES'
NAMES = ('sandbox', 'vm')


Started = Callable[[Callable[[], None]], None]
"""is called with what ends a script, as an agent does that is asked to cancel"""


@dataclass(frozen=True)
class Result:
    """How a script ended."""

    code: int
    out: str
    err: str
    timed_out: bool = False
    killed: bool = False


class NotHere(Exception):
    """This kind of host has no such hardware."""


class Kind(Protocol):
    """One kind of host. Instances are named by their ids; a host that is not there is left alone."""

    real_file_systems: bool
    """whether what hosts write and read is a real file system's doing"""

    def open_in(self, state: Path) -> None:
        """Keep hosts in this state folder, and follow what happens to their hardware."""

    def stop(self) -> None:
        """End all hosts."""

    def power_on(self, instance_id: str, instance: dict[str, Any], user_data: str) -> None:
        """Switch the machine on, with what is attached to it.

        :param instance: EC2's record of it
        """

    def first_boot(self, instance_id: str, user_data: str) -> Result:
        """What cloud-init does: run the user data. Returns at its end."""

    def later_boot(self, instance_id: str) -> Result:
        """The system starts again, by what it has. Returns when it takes commands."""

    def shut_down(self, instance_id: str) -> None:
        """Ask the system to power off. What comes next does not wait for it."""

    def power_off(self, instance_id: str) -> None:
        """The machine is off: its processes end, and its own disks are lost."""

    def reset(self, instance_id: str) -> None:
        """The machine starts anew: its processes end, and its disks stay."""

    def halt(self, instance_id: str) -> None:
        """The machine fails: nothing ends well, nothing is flushed or unmounted."""

    def run(self, instance_id: str, script: str, timeout: float, started: Started | None = None) -> Result:
        """Run a bash script in a host and wait for its end."""

    def write_file(self, instance_id: str, path: str, content: bytes) -> None:
        """Put a file into a host, at this absolute path, and the folders that lead to it.

        :raises OSError: when it cannot be written
        """

    def read_file(self, instance_id: str, path: str) -> bytes:
        """What is in a file of a host.

        :raises OSError: when it cannot be read
        """

    def keep(self, instance_id: str, image: str) -> None:
        """Keep what is on the root disk as the contents of an image. What is launched from the image begins with it.

        :raises NotHere: when it cannot be kept
        """

    def drop(self, image: str) -> None:
        """Forget the contents of an image; those that were launched from it keep theirs."""

    def take(self, volumes: Mapping[str, str]) -> None:
        """Copy volumes, by the names of their snapshots, as they all are at one moment.

        :raises OSError: when there is too little room
        """

    def duplicate(self, snapshot: str, copied: str) -> None:
        """Another snapshot has the same contents."""

    def fill(self, volume: str, snapshot: str) -> None:
        """A new volume begins with what is in the snapshot."""

    def drop_snapshot(self, snapshot: str) -> None:
        """Forget the contents of a snapshot; volumes that were made of it keep theirs."""

    def console(self, instance_id: str) -> str:
        """What the host said while it started."""

    def freeze(self, instance_id: str) -> None:
        """The host stands still, and does not know it."""

    def thaw(self, instance_id: str) -> None:
        """It goes on where it was."""

    def set_carrier(self, instance_id: str, up: bool) -> None:
        """Take the carrier of the interfaces away that came after the first one, or give it back.

        :raises NotHere: when it has none
        """

    def stop_between_flushes(self, instance_id: str, seconds: float) -> dict[str, int]:
        """Let the host stand still as soon as a volume has done writes that were not flushed yet.

        :returns: how many, for each such volume; nothing when there was no such moment in that time
        :raises NotHere: when nobody counts them
        """

    def limit_disks(self, instance_id: str, iops: int) -> None:
        """Let a host's volumes do so many operations in a second; 0: as many as they can.

        :raises NotHere: when they cannot be limited
        """


_chosen: Kind | None = None


def current() -> Kind:
    """The kind of all hosts: sandboxes, unless the environment asks for virtual machines.

    :raises ValueError: when the environment asks for something else
    """
    global _chosen
    if _chosen is None:
        _chosen = _named(os.environ.get(MACHINES) or 'sandbox')
    return _chosen


def _named(name: str) -> Kind:
    if name == 'sandbox':
        from .sandboxes import Sandboxes

        return Sandboxes()
    if name == 'vm':
        from ..machines import Machines

        return Machines()
    raise ValueError(f'{MACHINES} is {name!r}; allowed: {" or ".join(NAMES)}')
