"""What harms a Lustre on ZFS short of the loss of a server."""

from ..lab import Lab
from ..report import Steps
from . import _lustre_harm
from ._lustre import needs

__all__ = ['TIMEOUT', 'TITLE', 'needs', 'run']

TITLE = 'Lustre on ZFS: second mount, full target, eviction, error, lost disk: the hosts say what clients see'
TIMEOUT = 3000


def run(lab: Lab, steps: Steps) -> None:
    _lustre_harm.run('zfs', lab, steps)
