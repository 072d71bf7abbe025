"""Lustre on zfs."""

from ..lab import Lab
from ..report import Steps
from . import _lustre_losses
from ._lustre import needs

__all__ = ['TIMEOUT', 'TITLE', 'needs', 'run']

TITLE = 'Lustre on zfs: an OSS, the MDS and the MGS die under load, new machines take over'
TIMEOUT = 2400


def run(lab: Lab, steps: Steps) -> None:
    _lustre_losses.run('zfs', lab, steps)
