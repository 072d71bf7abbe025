"""GFS2: one file system that several hosts of a cluster have mounted at once."""

from __future__ import annotations

import itertools

import cluster
import filesystems
import host
from host import Failed
from logical import LogicalVolume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def mkfs(arguments: Sequence[str]) -> int:
    given = dict(itertools.pairwise(arguments))
    if given.get('-p') != 'lock_dlm' or '-O' not in arguments:
        raise Failed(255, 'mkfs.gfs2 is emulated with -O and -p lock_dlm only')
    filesystems.mkfs('gfs2', arguments)
    with LogicalVolume(arguments[-1]).open() as (facts, _):
        facts['fileSystem'].update(label=given['-t'], journals=int(given['-j']))
    return 0


def mount(source: str, directory: str, options: str) -> int:
    """Each node has a journal of its own, and locks from the cluster that the file system names."""
    volume = LogicalVolume(source)
    ids = volume.ids()
    failed = f'mount: {directory}: mount(2) system call failed: '
    with volume.open() as (facts, blocks):
        made = facts.get('fileSystem')
        if not made or made['type'] != 'gfs2':
            raise Failed(32, f'mount: {directory}: {filesystems.WRONG.format(volume.mapped)}')
        if not cluster.LOCKD.exists() or made['label'].partition(':')[0] != cluster.configuration()[0]:
            raise Failed(32, f'{failed}No such process.')
        # A journal is used again when its node is off and was fenced.
        on = [one for one in blocks[0].get('mountedOn', []) if host.alive(one)]
        if len(on) >= made['journals']:
            raise Failed(32, f'{failed}Device or resource busy.')
        for block in blocks:
            block['mountedOn'] = sorted({*on, host.INSTANCE})
            # Of a copy: whoever held the one that it was made of holds nothing here.
            if block.get('frozenBy') not in on:
                block.pop('frozenBy', None)
            replayed = block.pop('unclean', False)
        made['used'] = True
    for volume_id in ids:
        host.record('shared-mount', volume_id, None, host.INSTANCE, target=volume.group, options=options)
        if replayed:
            host.record('journal-replay', volume_id, None, host.INSTANCE, target=volume.group)
    host.write_mounts([*host.mounts(), [volume.mapped, directory, 'gfs2', f'rw,{options}', '0', '0']])
    return 0


def freeze(source: str, place: str) -> int:
    """One node takes the freeze lock of the cluster, and holds for all; a second one would wait in the kernel."""
    with LogicalVolume(source).open() as (_, blocks):
        holder = blocks[0].get('frozenBy')
        if holder == host.INSTANCE:
            raise Failed(1, f'fsfreeze: {place}: freeze failed: Device or resource busy')
        if holder and host.alive(holder):
            raise Failed(1, f'fsfreeze: {place}: waits for {holder}, which holds it')
        for block in blocks:
            block['frozenBy'] = host.INSTANCE
    return 0


def thaw(source: str, place: str) -> int:
    """Only the node that holds has the lock to give back."""
    with LogicalVolume(source).open() as (_, blocks):
        if blocks[0].get('frozenBy') != host.INSTANCE:
            raise Failed(1, f'fsfreeze: {place}: unfreeze failed: Invalid argument')
        for block in blocks:
            del block['frozenBy']
    return 0


def unmounted(source: str) -> None:
    """It was unmounted on this host."""
    volume = LogicalVolume(source)
    ids = volume.ids()
    with volume.open() as (_, blocks):
        for block in blocks:
            block['mountedOn'] = [one for one in block['mountedOn'] if one != host.INSTANCE]
    for volume_id in ids:
        host.record('shared-mount', volume_id, host.INSTANCE, None, target=volume.group)


TOOLS = {'mkfs.gfs2': mkfs}
