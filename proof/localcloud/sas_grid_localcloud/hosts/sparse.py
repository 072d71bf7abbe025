"""Copies of disks that take no more room than what is written on them."""

import errno
import fcntl
import os
import shutil
from pathlib import Path

_CLONE = 0x40049409
"""FICLONE, linux/fs.h: the file system shares the blocks of both files until one is written to."""
_PIECE = 1 << 20


class NoRoom(OSError):
    """The copy does not fit."""


def copy(source: Path, target: Path, keep_free: int = 0) -> None:
    """Copy a file with its holes. The target is there as a whole or not at all.

    :param keep_free: bytes of the file system that have to be free afterwards
    :raises NoRoom: when there is too little room
    """
    room = shutil.disk_usage(target.parent).free - source.stat().st_blocks * 512
    if room < keep_free:
        raise NoRoom(errno.ENOSPC, f'a copy of {source.name} leaves {room} bytes free; at least {keep_free} stay')
    partial = target.with_name(f'{target.name}.partial')
    try:
        with source.open('rb') as read, partial.open('wb') as written:
            if not _cloned(read.fileno(), written.fileno()):
                _pieces(read.fileno(), written.fileno())
        partial.replace(target)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoRoom(problem.errno, f'no room for a copy of {source.name}') from problem
        raise


def _cloned(read: int, written: int) -> bool:
    try:
        fcntl.ioctl(written, _CLONE, read)
    except OSError:
        return False
    return True


def _pieces(read: int, written: int) -> None:
    size = os.fstat(read).st_size
    os.ftruncate(written, size)
    at = 0
    while at < size:
        try:
            at = os.lseek(read, at, os.SEEK_DATA)
        except OSError as problem:
            if problem.errno != errno.ENXIO:
                raise
            return
        end = os.lseek(read, at, os.SEEK_HOLE)
        while at < end:
            piece = os.pread(read, min(_PIECE, end - at), at)
            if not piece:
                return
            # Zeros that were written are no data either: a disk that was wiped is blank again.
            if piece.count(0) != len(piece):
                os.pwrite(written, piece, at)
            at += len(piece)
