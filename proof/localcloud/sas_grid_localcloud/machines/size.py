"""How big machines and their disks are: small, whatever the template says, so that several run beside each other."""

import os
from dataclasses import dataclass

from ..settings import PREFIX


@dataclass(frozen=True)
class Size:
    """What is in place of the instance type's and the volumes' sizes. Templates stay as they are."""

    memory_mib: int = 640
    """of each machine"""
    volume_mib: int = 3072
    """of each volume, unless its own size is less; half of two volumes has room for the 16 journals of a GFS2"""
    store_mib: int = 512
    """of each disk of instance store"""
    all_mib: int = 4096
    """of all machines that run at the same time; 8192 at most"""

    @classmethod
    def from_environment(cls) -> 'Size':
        """Read what is set.

        :raises ValueError: for anything but a whole number in its range
        """
        return cls(
            _mib('MACHINE_MIB', cls.memory_mib, 384, 4096),
            _mib('VOLUME_MIB', cls.volume_mib, 64, 1 << 20),
            _mib('STORE_MIB', cls.store_mib, 320, 1 << 20),
            _mib('MACHINES_MIB', cls.all_mib, 384, 8192),
        )


def _mib(name: str, default: int, least: int, most: int) -> int:
    text = os.environ.get(PREFIX + name) or str(default)
    if not text.isdigit() or not least <= int(text) <= most:
        raise ValueError(f'{PREFIX}{name} is {text!r}; allowed: MiB from {least} to {most}')
    return int(text)
