"""LVM's commands, with the options that the host's programs use. Failures are exit code 5, as LVM's are."""

from __future__ import annotations

import os
import sys

import cluster
import host
import logical
from host import Device, Failed
from logical import EXTENT_MIB, Group
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VALUED = ' --config --separator --units -o -i -I -L -l -n -W -k -a --activate --addtag --deltag '
SHORT = {'--activate': '-a', '--yes': '-y'}


class Call:
    """Options and names of a command."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.options: dict[str, str] = {}
        self.names: list[str] = []
        rest = iter(arguments)
        for argument in rest:
            if f' {argument} ' in VALUED:
                self.options[SHORT.get(argument, argument)] = next(rest)
            elif argument.startswith('-'):
                self.options[SHORT.get(argument, argument)] = ''
            else:
                self.names.append(argument)
        self.disks = logical.visible(self.options.get('--config', ''))
        self.groups = logical.groups(self.disks)

    def group(self, name: str) -> Group:
        if name not in self.groups:
            raise Failed(5, f'Volume group "{name}" not found\n  Cannot process volume group {name}')
        return self.groups[name]

    def disk(self, path: str) -> Device:
        node = str(Path(path).resolve())
        for disk in self.disks:
            if str(disk.node) == node:
                return disk
        reason = 'device is rejected by filter config' if Path(path).exists() else 'No device found'
        raise Failed(5, f'Cannot use {path}: {reason}')

    def group_of(self, disk: Device) -> tuple[Group, str]:
        for group in self.groups.values():
            for identity, member in group.disks.items():
                if str(member.node) == str(disk.node):
                    return group, identity
        raise Failed(5, f'Failed to find physical volume "{disk.node}".')


def pvs(arguments: Sequence[str]) -> int:
    call = Call(arguments)
    chosen = [str(call.disk(name).node) for name in call.names]
    rows = []
    for group in call.groups.values():
        for identity, facts in group.facts['disks'].items():
            disk = group.disks.get(identity)
            if disk is None:
                print(f"  WARNING: Couldn't find device with uuid {identity}.", file=sys.stderr)
            name = str(disk.node) if disk else '[unknown]'
            if chosen and name not in chosen:
                continue
            rows.append(
                {
                    'pv_name': name,
                    'vg_name': group.name,
                    'vg_tags': ','.join(sorted(group.facts['tags'])),
                    'pv_pe_count': str(facts['extents']),
                    'pv_pe_alloc_count': str(group.allocated(identity)),
                    'dev_size': f'{disk.mib() if disk else 0}.00',
                    'pv_size': f'{facts["extents"] * EXTENT_MIB}.00',
                }
            )
    _report(call, sorted(rows, key=lambda row: row['pv_name']))
    return 0


def _report(call: Call, rows: list[dict[str, str]]) -> None:
    if '--noheadings' not in call.options:
        raise Failed(3, 'reports are emulated with --noheadings only')
    columns = call.options['-o'].split(',')
    if '_size' in call.options['-o'] and (call.options.get('--units') != 'm' or '--nosuffix' not in call.options):
        raise Failed(3, 'sizes are emulated with --units m --nosuffix only')
    for row in rows:
        print('  ' + call.options.get('--separator', ' ').join(row[name] for name in columns))


def vgcreate(arguments: Sequence[str]) -> int:
    if '--shared' not in arguments:
        return _vgcreate(Call(arguments))
    # Of two nodes that begin at once one finds the other's group.
    with cluster.alone():
        return _vgcreate(Call(arguments))


def _vgcreate(call: Call) -> int:
    name, *paths = call.names
    if name in call.groups:
        raise Failed(5, f'A volume group called {name} already exists.')
    disks = {_identity(): call.disk(path) for path in paths}
    for disk in disks.values():
        for group in call.groups.values():
            if str(disk.node) in [str(member.node) for member in group.disks.values()]:
                raise Failed(5, f"Physical volume '{disk.node}' is already in volume group '{group.name}'")
        _wipe_what_is_there(disk, '-y' in call.options)
    facts = {
        'name': name,
        'id': _identity(),
        'seqno': 0,
        'tags': [call.options['--addtag']] if '--addtag' in call.options else [],
        'lock': 'dlm' if '--shared' in call.options else 'none',
        'disks': {identity: {'extents': logical.extents_of(disk)} for identity, disk in disks.items()},
        'volumes': {},
    }
    Group(facts, disks).write()
    print(f'  Volume group "{name}" successfully created')
    return 0


def _wipe_what_is_there(disk: Device, without_asking: bool) -> None:
    """LVM overwrites what it finds when it is told not to ask."""
    if disk.blank():
        return
    if not without_asking:
        raise Failed(5, f'WARNING: {disk.signature()} signature detected on {disk.node}. Wipe it? [y/n]: [n]')
    host.record('violation', disk.id, disk.signature(), 'overwritten')
    disk.wipe()


def lvcreate(arguments: Sequence[str]) -> int:
    call = Call(arguments)
    group, name = call.group(call.names[-1]), call.options['-n']
    if name in group.volumes:
        raise Failed(5, f'Logical Volume "{name}" already exists in volume group "{group.name}"')
    stripes = int(call.options.get('-i', '1'))
    if stripes > len(group.facts['disks']):
        raise Failed(5, f'Number of stripes ({stripes}) must not exceed number of physical volumes')
    on = sorted(group.facts['disks'], key=lambda disk: -group.free(disk))[:stripes]
    extents = _extents(call, group, on)
    if extents <= 0:
        raise Failed(5, 'Unable to create new logical volume with no extents.')
    extents += -extents % stripes
    _require_room(group, on, extents)
    group.volumes[name] = {
        'id': _identity(),
        'on': on,
        'stripeKib': int(call.options.get('-I', '64').rstrip('k')),
        'extents': extents,
        'skip': call.options.get('-k') == 'y',
    }
    if group.facts['lock'] == 'dlm':
        cluster.take(f'{group.name}/{name}', 'ex' if call.options.get('-a') == 'ey' else 'sh')
    group.write()
    # A new volume is active, unless it is to be skipped and that is not ignored: then it cannot be wiped either.
    if '-K' in call.options or not group.volumes[name]['skip']:
        logical.activate(group, name)
    print(f'  Logical volume "{name}" created.')
    return 0


def _extents(call: Call, group: Group, on: list[str]) -> int:
    if call.options.get('-l') == '100%FREE':
        return min(group.free(disk) for disk in on) * len(on)
    if '-L' in call.options:
        size = call.options['-L']
        if size[-1] != 'm':
            raise Failed(3, 'sizes are emulated in MiB only')
        return -(-int(size[:-1]) // EXTENT_MIB)
    return int(call.options['-l'].lstrip('+'))


def _require_room(group: Group, on: list[str], extents: int) -> None:
    if any(group.free(disk) * len(on) < extents for disk in on):
        free = sum(group.free(disk) for disk in on)
        raise Failed(
            5,
            f'Volume group "{group.name}" has insufficient free space ({free} extents): {extents} required.',
        )


def lvextend(arguments: Sequence[str]) -> int:
    call = Call(arguments)
    name, _, volume = call.names[-1].partition('/')
    group = call.group(name)
    facts = group.volumes[volume]
    more = _extents(call, group, facts['on'])
    _require_room(group, facts['on'], more)
    facts['extents'] += more
    group.write()
    print(f'  Logical volume {name}/{volume} successfully resized.')
    return 0


def pvresize(arguments: Sequence[str]) -> int:
    call = Call(arguments)
    for path in call.names:
        disk = call.disk(path)
        group, identity = call.group_of(disk)
        group.facts['disks'][identity]['extents'] = logical.extents_of(disk)
        group.write()
        print(f'  Physical volume "{path}" changed')
    return 0


def vgchange(arguments: Sequence[str]) -> int:
    call = Call(arguments)
    for name in call.names or list(call.groups):
        group = call.group(name)
        if '--lock-start' in call.options and not cluster.LOCKD.exists():
            raise Failed(5, f'VG {name} start failed: lvmlockd is not running')
        for option, change in (('--addtag', set.union), ('--deltag', set.difference)):
            if option in call.options:
                group.facts['tags'] = sorted(change(set(group.facts['tags']), {call.options[option]}))
                group.write()
        if call.options.get('-a') == 'n':
            for volume in group.volumes:
                logical.deactivate(group, volume)
        elif call.options.get('-a') == 'y':
            for volume, facts in group.volumes.items():
                if '-K' in call.options or not facts['skip']:
                    logical.activate(group, volume)
    return 0


def lvchange(arguments: Sequence[str]) -> int:
    """Activation of a shared group's volume takes the lock first: ey for this host alone, sy beside others."""
    call = Call(arguments)
    name, _, volume = call.names[-1].partition('/')
    group = call.group(name)
    mode = call.options.get('-a', '')
    if mode == 'n':
        logical.deactivate(group, volume)
        if cluster.LOCKD.exists():
            cluster.take(f'{name}/{volume}', 'un')
    elif mode:
        cluster.take(f'{name}/{volume}', {'ey': 'ex', 'sy': 'sh'}[mode])
        logical.activate(group, volume)
    return 0


def lvs(arguments: Sequence[str]) -> int:
    call = Call(arguments)
    name, _, volume = call.names[-1].partition('/')
    found = sorted(one for one in call.group(name).volumes if volume in ('', one))
    _report(call, [{'lv_name': one} for one in found])
    return 0


def vgs(arguments: Sequence[str]) -> int:
    call = Call(arguments)
    groups = [call.group(name) for name in call.names] or list(call.groups.values())
    _report(
        call,
        [
            {
                'vg_lock_type': group.facts['lock'],
                'vg_tags': ','.join(group.facts['tags']),
                'pv_count': str(len(group.facts['disks'])),
            }
            for group in groups
        ],
    )
    return 0


def _identity() -> str:
    return os.urandom(8).hex()


TOOLS = {
    'pvs': pvs,
    'vgs': vgs,
    'lvs': lvs,
    'lvchange': lvchange,
    'vgcreate': vgcreate,
    'vgchange': vgchange,
    'lvcreate': lvcreate,
    'lvextend': lvextend,
    'pvresize': pvresize,
}
