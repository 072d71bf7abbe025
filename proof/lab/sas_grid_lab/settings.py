"""Where things lie, and what the lab takes from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
LAB = PROJECT / 'proof' / 'lab'
GUEST = LAB / 'guest'
REPORT = PROJECT / 'out' / 'lab'


@dataclass(frozen=True)
class Settings:
    """What a run of the lab needs to know."""

    cache: Path
    """images and the records of runs"""
    work: Path
    """disks and sockets of a run; short, since the path of a socket has at most 107 characters"""
    sources: Path | None = None
    """apt sources of the guest, instead of those of this host"""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> 'Settings':
        """XDG_CACHE_HOME, SAS_GRID_LAB_WORK and SAS_GRID_LAB_SOURCES."""
        given = os.environ if environment is None else environment
        cache = Path(given.get('XDG_CACHE_HOME') or Path(given.get('HOME', '/root')) / '.cache')
        sources = given.get('SAS_GRID_LAB_SOURCES')
        return cls(
            cache=cache / 'cdk-sas-grid' / 'lab',
            work=Path(given.get('SAS_GRID_LAB_WORK') or '/var/tmp'),
            sources=Path(sources) if sources else None,
        )

    @property
    def runs(self) -> Path:
        """One record for each run that has machines."""
        return self.cache / 'runs'
