"""What is in images: a copy of the root of a sandbox, without what belongs to one boot or one host.

Copies and no hard links: what a host appends to a file would be in the image, and in all other hosts.
"""

import os
import shutil
import stat
from pathlib import Path

from . import folders

_OF_A_BOOT = {
    'alive',
    'dev',
    'etc/hostname',
    'halted',
    'instance-state',
    'metadata',
    'proc',
    'run',
    'sys',
    'tmp',
    'var/lib/booted',
    'var/lib/cloud',
    'var/log/boot.log',
    'var/log/tools.log',
    'var/log/user-data.log',
}
"""what the kernel, the metadata service, cloud-init and the embedded AWS itself write"""


def folder_of(image: str) -> Path:
    """The copy."""
    return folders.state() / 'images' / image


def keep(instance_id: str, image: str) -> None:
    """The image has what the instance's root has now."""
    _copy(folders.root_of(instance_id), folder_of(image), _OF_A_BOOT)


def fill(root: Path, image: str) -> bool:
    """A new root has what the image has. False when nothing is known to be in it."""
    if not folder_of(image).is_dir():
        return False
    _copy(folder_of(image), root, set())
    return True


def drop(image: str) -> None:
    """The image is gone; hosts keep what they have of it."""
    shutil.rmtree(folder_of(image), ignore_errors=True)


def _copy(source: Path, target: Path, left_out: set[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path, names, files in os.walk(source):
        below = Path(path).relative_to(source)
        names[:] = [name for name in names if str(below / name) not in left_out]
        for name in [*names, *files]:
            place = below / name
            if str(place) not in left_out:
                _copy_one(source, target, place)


def _copy_one(source: Path, target: Path, place: Path) -> None:
    mode = (source / place).lstat().st_mode
    if stat.S_ISLNK(mode):
        leads = _moved(os.readlink(source / place), source, target)
        if leads:
            (target / place).unlink(missing_ok=True)
            (target / place).symlink_to(leads)
    elif stat.S_ISDIR(mode):
        (target / place).mkdir(exist_ok=True)
        (target / place).chmod(stat.S_IMODE(mode))
    elif stat.S_ISREG(mode):
        shutil.copy2(source / place, target / place)


def _moved(leads: str, source: Path, target: Path) -> str:
    """A link to the same place below the other root; '' of one to what no image has, such as a volume."""
    if leads.startswith(f'{source}/'):
        return str(target) + leads.removeprefix(str(source))
    return '' if leads.startswith(f'{folders.state()}/') else leads
