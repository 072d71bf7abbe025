"""Images that distributions publish, under the names that they give them. Their days and contents are made up.

There are two of a minor release, so that whoever takes the newest has something to decide.
"""

import hashlib
from dataclasses import dataclass
from itertools import product

ALMA, ROCKY = '764336703387', '792107900819'


@dataclass(frozen=True)
class Published:
    """One image."""

    owner: str
    name: str
    architecture: str
    day: str
    """yyyymmdd"""
    system: str
    release: str

    @property
    def image_id(self) -> str:
        return 'ami-' + hashlib.sha256(self.name.encode()).hexdigest()[:17]

    @property
    def created(self) -> str:
        return f'{self.day[:4]}-{self.day[4:6]}-{self.day[6:]}T08:00:00.000Z'

    @property
    def os_release(self) -> str:
        """What the image says of itself: the file os-release."""
        name = {'almalinux': 'AlmaLinux', 'rocky': 'Rocky Linux'}[self.system]
        return f'NAME="{name}"\nID="{self.system}"\nID_LIKE="rhel centos fedora"\nVERSION_ID="{self.release}"\n'


_RELEASES = (
    ('8.10', '20250909'),
    ('9.6', '20250522'),
    ('9.7', '20251118'),
    ('9.7', '20260317'),
    ('10.1', '20251125'),
)
_ARCHITECTURES = (('x86_64', 'x86_64'), ('aarch64', 'arm64'))


def _alma(release: str, day: str, called: str, architecture: str) -> Published:
    return Published(ALMA, f'AlmaLinux OS {release}.{day} {called}', architecture, day, 'almalinux', release)


def _rocky(release: str, day: str, called: str, architecture: str) -> Published:
    name = f'Rocky-{release.split(".")[0]}-EC2-Base-{release}-{day}.0.{called}'
    return Published(ROCKY, name, architecture, day, 'rocky', release)


IMAGES = tuple(
    make(*release, *architecture) for make, release, architecture in product((_alma, _rocky), _RELEASES, _ARCHITECTURES)
)
