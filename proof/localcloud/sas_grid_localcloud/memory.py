"""A file system in memory for all that hosts write: of a bounded size, and gone with this process.

It is mounted over the state folder, in a mount namespace of this process that everything it starts shares. So a host
neither waits for the disk of this machine nor fills it, whoever else uses it, and no mount is left behind, however
this process ends. As an ordinary user that needs a user namespace; where the system grants none, hosts write to the
disk. What only the embedded AWS itself writes stays on the disk, and all has the same path for everybody: to other
processes of this user the state folder shows what is in memory by links.
"""

import ctypes
import errno
import os
import shutil
import sys
import threading
from pathlib import Path

from .settings import PREFIX

ON_DISK = ('tmp', 's3', 'ministack', 'cdk-home')
LOGS = ('history.jsonl', 'api-calls.jsonl')
IN_MEMORY = ('hosts', 'host-tools', 'images', 'volumes', 'snapshots', 'file-systems', 'clusters')
SIZE = f'{PREFIX}HOSTS_MIB'
DEFAULT_MIB = 1024
_FILES = 400_000
_KEPT = ('hosts/*/var/log/*', 'volumes/*/superblock.json')
"""What is still there to read when the embedded AWS has ended."""

# From Linux's sched.h, mount.h and capability.h.
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_NO_SET_UID, _NO_DEVICES, _BIND, _RECURSIVE, _PRIVATE = 0x2, 0x4, 0x1000, 0x4000, 0x40000
_CAPABILITIES_VERSION = 0x20080522

_disk = -1
"""The state folder as it lies on the disk, once it is covered."""


def size_mib() -> int:
    """How much all hosts together may write.

    :raises ValueError: when the variable for it says something else than a size
    """
    text = os.environ.get(SIZE, '')
    if not text:
        memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') >> 20
        return min(DEFAULT_MIB, memory // 4)
    if not text.isdigit() or not 16 <= int(text) <= 1 << 20:
        raise ValueError(f'{SIZE} is {text!r}; allowed: MiB from 16 to {1 << 20}')
    return int(text)


def make(state: Path) -> None:
    """Make the folders of the state folder, and the file system, before the first thread starts.

    :raises ValueError: as ``size_mib``
    """
    mib = size_mib()
    for name in ON_DISK:
        (state / name).mkdir(parents=True, exist_ok=True)
    for name in LOGS:
        (state / name).touch()
    for name in IN_MEMORY:
        _remove(state / name)
    problem = _mount(state, mib)
    for name in IN_MEMORY:
        (state / name).mkdir(parents=True, exist_ok=True)
        if not problem:
            os.symlink(f'/proc/{os.getpid()}/root{state}/{name}', name, dir_fd=_disk)
    if problem:
        print(f'hosts write to the disk of this machine: {problem}', file=sys.stderr)


def keep(state: Path) -> None:
    """At the end: logs of hosts and superblocks go to the disk."""
    if _disk < 0:
        return
    there = Path(f'/proc/self/fd/{_disk}')
    for name in IN_MEMORY:
        _remove(there / name)
    for path in (path for pattern in _KEPT for path in state.glob(pattern) if path.is_file()):
        kept = there / path.relative_to(state)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, kept)


def _mount(state: Path, mib: int) -> str:
    """Mount it; '' or why it cannot be done."""
    if not sys.platform.startswith('linux'):
        return 'only Linux has mount namespaces'
    if threading.active_count() > 1:
        return 'other threads run already'
    # What is refused halfway would leave this process without an account: another one tries first.
    child = os.fork()
    if child == 0:
        os._exit(_enter(state, mib))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or _enter(state, mib)
    return f'mounting is refused ({os.strerror(abs(code))})' if code else ''


def _enter(state: Path, mib: int) -> int:
    """Go to a mount namespace of our own and mount the file system: 0 or the number of an error."""
    global _disk
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    try:
        as_user = libc.unshare(_NEW_MOUNTS) != 0
        if as_user:
            _check(libc.unshare(_NEW_MOUNTS | _NEW_USER))
            Path('/proc/self/setgroups').write_text('deny')
            Path('/proc/self/uid_map').write_text(f'{user} {user} 1')
            Path('/proc/self/gid_map').write_text(f'{group} {group} 1')
        _check(libc.mount(None, b'/', None, _RECURSIVE | _PRIVATE, None))
        # Opened here, since a mount of the other namespace cannot be bound.
        _disk = os.open(state, os.O_RDONLY | os.O_DIRECTORY)
        options = f'size={mib}m,nr_inodes={_FILES},mode=700'.encode()
        _check(libc.mount(b'hosts', os.fsencode(state), b'tmpfs', _NO_SET_UID | _NO_DEVICES, options))
        for name in (*ON_DISK, *LOGS):
            place = state / name
            place.touch() if name in LOGS else place.mkdir()
            below = f'/proc/self/fd/{_disk}/{name}'.encode()
            _check(libc.mount(below, os.fsencode(place), None, _BIND | _RECURSIVE, None))
        if as_user:
            _drop_capabilities(libc)
    except OSError as error:
        return error.errno or errno.EPERM
    return 0


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """They were for mounting; and with them nobody else could look into the namespace."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    _check(libc.capset(header, (ctypes.c_uint32 * 6)()))


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), 'refused')


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)
