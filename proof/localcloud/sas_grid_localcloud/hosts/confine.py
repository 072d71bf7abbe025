"""Keeps what runs in hosts from writing outside the state folder, where the kernel can (Landlock)."""

import ctypes
import functools
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_SET_NO_NEW_PRIVS = 38
_CHECK_VERSION = 1
_PATH_BENEATH = 1
# Bits of the first version of the interface: write, remove and make all kinds of files.
_WRITES = (1 << 1) | sum(1 << bit for bit in range(4, 13))
_WRITE_FILE = 1 << 1


class _Ruleset(ctypes.Structure):
    _fields_ = [('handled_access_fs', ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [('allowed_access', ctypes.c_uint64), ('parent_fd', ctypes.c_int32)]


def _syscall(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(ctypes.c_long(number), *arguments))


@functools.cache
def available() -> bool:
    """Whether this kernel can confine a process."""
    if not sys.platform.startswith('linux'):
        return False
    return _syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_CHECK_VERSION)) > 0


class Starter:
    """Starts processes that can write below one folder only; where the kernel cannot confine them, without that.

    What confines is a thread: the kernel restricts it alone, for ever, and what it starts inherits the restriction.
    """

    def __init__(self, writable: Path) -> None:
        self._thread: ThreadPoolExecutor | None = None
        if available():
            name = f'confined-to-{writable.name}'
            self._thread = ThreadPoolExecutor(1, name, initializer=_restrict, initargs=(str(writable),))

    def start(self, command: Sequence[str], **options: Any) -> 'subprocess.Popen[str]':
        """Start a process, as ``subprocess.Popen`` does.

        :raises BrokenThreadPool: when the kernel does not confine although it could: nothing is started then
        """

        def start() -> 'subprocess.Popen[str]':
            return subprocess.Popen(command, **options)

        return self._thread.submit(start).result() if self._thread else start()

    def end(self) -> None:
        """End the thread; what it started goes on, confined."""
        if self._thread is not None:
            self._thread.shutdown(wait=False)


def _restrict(writable: str) -> None:
    ruleset = _Ruleset(_WRITES)
    size = ctypes.c_size_t(ctypes.sizeof(ruleset))
    descriptor = _syscall(_CREATE_RULESET, ctypes.byref(ruleset), size, ctypes.c_uint32(0))
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), 'landlock_create_ruleset')
    for path, access in ((writable, _WRITES), ('/dev', _WRITE_FILE)):
        parent = os.open(path, getattr(os, 'O_PATH', 0) | os.O_CLOEXEC)
        rule = _Beneath(access, parent)
        _syscall(_ADD_RULE, ctypes.c_int(descriptor), ctypes.c_int(_PATH_BENEATH), ctypes.byref(rule), 0)
        os.close(parent)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if _syscall(_RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0)) != 0:
        raise OSError(ctypes.get_errno(), 'landlock_restrict_self')
    os.close(descriptor)
