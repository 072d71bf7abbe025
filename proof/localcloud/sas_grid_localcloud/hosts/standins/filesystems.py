"""File systems on logical volumes, and the ext4 of Lustre targets: what ext4 protects is refused, what nothing protects
is done and told."""

from __future__ import annotations

import os
import sys

import host
from host import Device, Failed
from logical import EXTENT_MIB, LogicalVolume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


WRONG = 'wrong fs type, bad option, bad superblock on {}, missing codepage or helper program, or other error.'


def mkfs(kind: str, arguments: Sequence[str]) -> int:
    """XFS refuses what carries a file system. ext4's tool does not, when nobody is there to be asked."""
    volume = LogicalVolume(arguments[-1])
    if any(line[0] == volume.mapped for line in host.mounts()):
        raise Failed(1, f'{volume.path} is mounted; will not make a filesystem here!')
    ids = volume.ids()
    with volume.open() as (facts, blocks):
        before = facts.get('fileSystem')
        if before and kind == 'xfs' and '-f' not in arguments:
            raise Failed(
                1,
                f'mkfs.xfs: {volume.path} appears to contain an existing filesystem ({before["type"]}).\n'
                'mkfs.xfs: Use the -f option to force overwrite.',
            )
        others = [one for one in blocks[0].get('mountedOn', []) if host.alive(one)]
        if before or others or _mounted_elsewhere(blocks[0]):
            _violation(ids, f'{volume.group}/{volume.name}', 'reformatted')
        features = ''.join(arguments[at + 1] for at, word in enumerate(arguments[:-1]) if word == '-O')
        facts['fileSystem'] = {
            'type': kind,
            'uuid': os.urandom(16).hex(),
            'protected': 'mmp' in features.split(','),
            'extents': facts['extents'],
            'errors': '',
            'used': False,
        }
        _count_format(volume, blocks)
    return 0


def _count_format(volume: LogicalVolume, blocks: list[dict[str, Any]]) -> None:
    """A disk was formatted as often as that of its logical volumes which was formatted most."""
    for block, volume_id in zip(blocks, sorted(disk.id for disk in volume.disks()), strict=True):
        formats = block.setdefault('formats', {})
        formats[volume.name] = formats.get(volume.name, 0) + 1
        made = {name: one.get('fileSystem') for name, one in sorted(block['group']['volumes'].items())}
        block['uuid'] = ' '.join(f'{name}={one["uuid"]}' for name, one in made.items() if one)
        count = max(formats.values())
        if count > block.get('formatCount', 0):
            block['formatCount'] = count
            if volume_id.startswith('vol-'):
                host.record('format', volume_id, None, volume.group)


def _mounted_elsewhere(block: dict[str, Any]) -> str:
    """The running host that has anything on this disk mounted."""
    other = block.get('mountedBy')
    return str(other) if other and other != host.INSTANCE and host.alive(other) else ''


def _violation(ids: list[str], before: str, after: str) -> None:
    if ids:
        host.record('violation', ids[0], before, after)


def mount(source: str, directory: str, kind: str, options: str) -> int:
    volume = LogicalVolume(source)
    if any(line[:2] == [volume.mapped, directory] for line in host.mounts()):
        raise Failed(32, f'mount: {directory}: {volume.mapped} already mounted on {directory}.')
    ids = volume.ids()
    with volume.open() as (facts, blocks):
        made = facts.get('fileSystem')
        if not made or kind not in ('', 'auto', made['type']):
            raise Failed(32, f'mount: {directory}: {WRONG.format(volume.mapped)}')
        other = _mounted_elsewhere(blocks[0])
        if other and made['protected'] and volume.name in blocks[0]['mounted']:
            _violation(ids, other, 'second mount refused')
            # Before Linux 6.5 the kernel answers EINVAL, whatever the reason.
            raise Failed(32, f'mount: {directory}: {WRONG.format(volume.mapped)}')
        if other:
            _violation(ids, other, f'{volume.name} mounted without protection')
        first = blocks[0].get('mountedBy') != host.INSTANCE
        for block in blocks:
            names = {*(() if first else block.get('mounted', [])), volume.name}
            block.update(mountedBy=host.INSTANCE, mounted=sorted(names))
        made['used'] = True
    for volume_id in ids if first else ():
        host.record('mount', volume_id, None, host.INSTANCE, target=volume.group, options=options)
    host.write_mounts([*host.mounts(), [volume.mapped, directory, made['type'], f'rw,{options}', '0', '0']])
    return 0


def unmounted(source: str) -> None:
    """A file system was unmounted on this host."""
    volume = LogicalVolume(source)
    if any(line[0] == volume.mapped for line in host.mounts()) or not volume.disks():
        return
    ids = volume.ids()
    with volume.open() as (_, blocks):
        for block in blocks:
            block['mounted'] = [name for name in block['mounted'] if name != volume.name]
            if not block['mounted']:
                block['mountedBy'] = None
        last = not blocks[0]['mounted']
    for volume_id in ids if last else ():
        host.record('mount', volume_id, host.INSTANCE, None, target=volume.group)


class Ext4:
    """An ext4: on a logical volume, or on a disk of its own as a Lustre target of ldiskfs."""

    def __init__(self, path: str) -> None:
        self.target = Device(path) if '/dev/disk/by-id/' in path else None
        self.volume = None if self.target else LogicalVolume(path)
        shown = self.volume.mapped if self.volume else path
        self.mounted = any(line[0] == shown for line in host.mounts())
        # The running host that has it mounted under protection.
        self.other = ''
        if self.target:
            with self.target.superblock() as block:
                made = block if block.get('backend') == 'ldiskfs' else None
                self.other, self.protected = _mounted_elsewhere(block), True
        elif self.volume:
            with self.volume.open() as (facts, blocks):
                made = facts.get('fileSystem')
                self.protected = bool(made and made['protected'])
                if self.protected and self.volume.name in blocks[0].get('mounted', []):
                    self.other = _mounted_elsewhere(blocks[0])
        if not made or made.get('type', 'ext4') != 'ext4':
            raise Failed(8, f'Bad magic number in super-block while trying to open {path}')
        self.uuid, self.errors = made['uuid'], made.get('errors', '')

    def mend(self) -> None:
        if self.target:
            with self.target.superblock() as block:
                block['errors'] = ''
        elif self.volume:
            with self.volume.open() as (facts, _):
                facts['fileSystem']['errors'] = ''


def dumpe2fs(arguments: Sequence[str]) -> int:
    try:
        ext4 = Ext4(arguments[-1])
    except Failed as failed:
        raise Failed(1, f'dumpe2fs: {failed}') from failed
    state = 'clean with errors' if ext4.errors else 'clean'
    print(f'Filesystem UUID:          {ext4.uuid}\nFilesystem state:         {state}')
    return 0


def e2mmpstatus(arguments: Sequence[str]) -> int:
    try:
        ext4 = Ext4(arguments[-1])
    except Failed as failed:
        raise Failed(2, f'e2mmpstatus: {failed}') from failed
    if not ext4.protected:
        raise Failed(2, f'e2mmpstatus: {arguments[-1]}: MMP feature not enabled.')
    if ext4.other:
        raise Failed(1, f'e2mmpstatus: MMP: device currently active while trying to open {arguments[-1]}')
    print(f"e2mmpstatus: it is safe to mount '{arguments[-1]}', MMP is clean")
    return 0


def e2fsck(arguments: Sequence[str]) -> int:
    """What -p repairs by itself; errors that are called 'bad' are beyond that, and need -y. So are 'orphans', unless a
    configuration allows -p to take them off their list. With -n nothing is changed."""
    path = arguments[-1]
    ext4 = Ext4(path)
    if ext4.other:
        raise Failed(8, f'e2fsck: MMP: device currently active while trying to open {path}')
    if ext4.mounted:
        raise Failed(8, f'{path} is mounted.\ne2fsck: Cannot continue, aborting.')
    if '-fn' in arguments:
        return _would(ext4)
    allowed = ext4.errors == 'orphans' and _allows(ORPHANS)
    if ext4.errors in ('bad', 'orphans') and '-y' not in arguments and not allowed:
        raise Failed(4, f'{path}: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.')
    if not ext4.errors:
        return 0
    ext4.mend()
    print(f'{path}: recovering journal')
    return 1


ORPHANS = '0x010037'
"""e2fsck/problem.h, PR_1_ORPHAN_LIST_REFUGEES"""

WORDS = {
    'some': 'Free blocks count wrong (7, counted=8).\nFix? no\n',
    'orphans': 'Inodes that were part of a corrupted orphan linked list found.  Fix? no\n',
    'bad': "Entry 'data' in / (2) has deleted/unused inode 12.  Clear? no\n",
}


def _would(ext4: Ext4) -> int:
    if not ext4.errors:
        return 0
    print(f'Pass 1: Checking inodes, blocks, and sizes\n{WORDS[ext4.errors]}')
    return 4


def _allows(code: str) -> bool:
    """Whether a configuration lets -p repair this problem (e2fsck.conf(5))."""
    try:
        with open(os.environ['E2FSCK_CONFIG'], encoding='utf-8') as file:
            return f'{code} = {{\npreen_ok = true\n}}' in file.read()
    except (KeyError, OSError):
        return False


def resize2fs(arguments: Sequence[str]) -> int:
    path = arguments[-1]
    ext4 = Ext4(path)
    volume = ext4.volume
    if volume is None or not ext4.mounted:
        raise Failed(1, f"Please run 'e2fsck -f {path}' first.")
    with volume.open() as (facts, _):
        blocks = facts['extents'] * EXTENT_MIB * 256
        if facts['fileSystem']['extents'] == facts['extents']:
            print(f'The filesystem is already {blocks} (4k) blocks long.  Nothing to do!', file=sys.stderr)
        else:
            facts['fileSystem']['extents'] = facts['extents']
            print(f'The filesystem on {path} is now {blocks} (4k) blocks long.')
    return 0


TOOLS = {'dumpe2fs': dumpe2fs, 'e2mmpstatus': e2mmpstatus, 'e2fsck': e2fsck, 'resize2fs': resize2fs}
