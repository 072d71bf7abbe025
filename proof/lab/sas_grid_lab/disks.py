"""Disks of the lab: EBS volumes, which outlive machines, and instance store, which does not."""

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .nvme_identity import EBS, INSTANCE_STORE, Identity

MIB = 1 << 20


class BadDisk(Exception):
    """A disk is used in a way that EC2 does not allow either."""


def hexadecimal(digits: int = 17) -> str:
    """The random part of an EC2 id."""
    return f'0{secrets.token_hex(digits)[: digits - 1]}'


def make_file(path: Path, size_mib: int) -> Path:
    """A blank disk that takes no room until it is written."""
    with path.open('wb') as file:
        file.truncate(size_mib * MIB)
    return path


@dataclass
class Volume:
    """An EBS volume."""

    id: str
    path: Path
    size_mib: int
    shared: bool = False
    """Multi-Attach"""
    users: set[str] = field(default_factory=set)
    """machines that it is attached to"""

    @property
    def serial(self) -> str:
        """The NVMe serial number: the id without its dash."""
        return self.id.replace('-', '')

    @property
    def device(self) -> str:
        """How a guest finds the volume."""
        return f'/dev/disk/by-id/nvme-{EBS.replace(" ", "_")}_{self.serial}'

    def attach_to(self, machine: str) -> None:
        """Note a machine; one alone, unless the volume is shared."""
        others = self.users - {machine}
        if others and not self.shared:
            raise BadDisk(f'{self.id} is attached to {", ".join(others)}; detach it there, or make it shared')
        self.users.add(machine)


@dataclass(frozen=True)
class InstanceStoreDisk:
    """A disk of a machine's host."""

    path: Path
    serial: str
    number: int

    @property
    def identity(self) -> Identity:
        return Identity(INSTANCE_STORE, f'ephemeral{self.number}:none')


def instance_store(folder: Path, machine: str, count: int, size_mib: int) -> list[InstanceStoreDisk]:
    """Blank disks with new serial numbers: after a stop a machine runs on another host."""
    made = []
    for number in range(count):
        path = make_file(folder / f'{machine}-store{number}.raw', size_mib)
        made.append(InstanceStoreDisk(path, f'AWS{secrets.token_hex(9)[:17].upper()}', number))
    return made


def volume_identity(position: int) -> Identity:
    """EC2's device names of volumes: /dev/sdf and on."""
    return Identity(EBS, f'/dev/sd{chr(ord("f") + position % 11)}')


def node(name: str, path: Path, shared: bool = False) -> dict[str, Any]:
    """QEMU's description of a raw disk. A shared one bypasses this host's cache, so that all machines see one state."""
    file: dict[str, Any] = {'driver': 'file', 'filename': str(path), 'locking': 'off'}
    cache = {'direct': shared and direct_works(path), 'no-flush': True}
    return {'driver': 'raw', 'node-name': name, 'cache': cache, 'file': {**file, 'cache': cache}}


def direct_works(path: Path) -> bool:
    """Whether the file system lets its files be opened without cache (tmpfs does not)."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        return False
    return True
