"""Disks, arrays, local file systems and mounts."""

from __future__ import annotations

import sys

import filesystems
import gfs2
import host
import logical
import lustre
import managed
import nfs
from host import Device, Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCKS = host.ROOT / 'sys/block'


def wipefs(arguments: Sequence[str]) -> int:
    """Shows what is on a disk, or with -a takes it away, also under the feet of another host."""
    for name in (a for a in arguments if a.startswith('/')):
        device = Device(name)
        if '-a' in arguments:
            _wipe(device)
        elif not device.blank():
            print(f'0x438,{device.id},,{device.signature()}')
    return 0


def _wipe(device: Device) -> None:
    if any((kernel / 'slaves' / device.node.name).exists() for kernel in BLOCKS.children()):
        raise Failed(1, f'wipefs: error: {device.path}: probing initialization failed: Device or resource busy')
    with device.superblock() as block:
        group = block.get('group') or {'volumes': {}}
        used = any(one.get('fileSystem', {}).get('used') for one in group['volumes'].values()) or block.get('mountedBy')
        target = block.get('target')
    if used:
        host.record('violation', device.id, target, 'wiped')
    device.wipe()


def blkid(arguments: Sequence[str]) -> int:
    path = arguments[-1]
    if logical.is_logical(path):
        with logical.LogicalVolume(path).open() as (facts, _):
            made = facts.get('fileSystem') or {}
        kind, label = made.get('type', ''), made.get('label', '')
    else:
        device = Device(path)
        kind, _, label = ('', '', '') if device.blank() else device.signature().partition(' ')
    if not kind:
        return 2
    if 'export' in arguments:
        print(f'DEVNAME={path}\nLABEL={label}\nTYPE={kind}')
    elif 'value' in arguments:
        print(label if 'LABEL' in arguments else kind)
    else:
        print(f'{path}: TYPE="{kind}"')
    return 0


def mkfs_ext4(arguments: Sequence[str]) -> int:
    return filesystems.mkfs('ext4', arguments) if logical.is_logical(arguments[-1]) else mkfs_local(arguments)


def mkfs_xfs(arguments: Sequence[str]) -> int:
    return filesystems.mkfs('xfs', arguments) if logical.is_logical(arguments[-1]) else mkfs_local(arguments)


def mkfs_local(arguments: Sequence[str]) -> int:
    device = Device(arguments[-1])
    if not device.blank():
        raise Failed(1, f'{device.path} appears to contain data; use -f to force overwrite')
    label = arguments[arguments.index('-L') + 1] if '-L' in arguments else ''
    device.write_signature(f'xfs {label}')
    host.record('scratch-format', Path(device.path).name, None, 'formatted')
    return 0


def mount(arguments: Sequence[str]) -> int:
    kind, options, names = '', '', []
    rest = iter(arguments)
    for argument in rest:
        if argument == '-t':
            kind = next(rest)
        elif argument == '-o':
            options = next(rest)
        else:
            names.append(argument)
    source, directory = names
    if not Path(directory).is_dir():
        raise Failed(2, f'warning: {directory}: cannot resolve: No such file or directory')
    if kind == 'lustre':
        return lustre.mount(source, directory, options)
    if kind == 'nfs':
        return nfs.mount(source, directory, options)
    if kind == 'gfs2':
        return gfs2.mount(source, directory, options)
    if logical.is_logical(source):
        return filesystems.mount(source, directory, kind, options)
    if kind in _of_modules():
        host.write_mounts([*host.mounts(), [source, directory, kind, options or 'rw', '0', '0']])
        return 0
    if 'bind' not in options and Device(source).blank():
        raise Failed(32, f'mount: {directory}: wrong fs type, bad option, bad superblock on {source}')
    host.write_mounts([*host.mounts(), [source, directory, kind or 'auto', options or 'rw', '0', '0']])
    return 0


def _of_modules() -> list[str]:
    """Types of network file systems that a module of somebody else has brought (filesystems(5))."""
    file = host.ROOT / 'proc/filesystems'
    lines = file.read_text().splitlines() if file.exists() else []
    return [line.split()[1] for line in lines if line.startswith('nodev')]


def umount(arguments: Sequence[str]) -> int:
    target = arguments[-1]
    found = [line for line in host.mounts() if target in line[:2]]
    if not found:
        raise Failed(32, f'umount: {target}: not mounted.')
    host.write_mounts([line for line in host.mounts() if target not in line[:2]])
    for line in found:
        managed.unmounted(line[1])
        if line[2] == 'lustre':
            lustre.unmounted(line[0])
        elif line[2] == 'gfs2':
            gfs2.unmounted(line[0])
        elif logical.is_logical(line[0]):
            filesystems.unmounted(line[0])
    return 0


def mdadm(arguments: Sequence[str]) -> int:
    """--create and --assemble of an array, --stop, and --examine of a member."""
    names = [a for a in arguments if a.startswith('/')]
    if '--examine' in arguments:
        device = Device(names[-1])
        if not device.signature().startswith('md:'):
            raise Failed(1, f'mdadm: No md superblock detected on {device.path}.')
        print(f'MD_NAME=any:{device.signature()[3:]}')
        return 0
    if '--stop' in arguments:
        _forget_array(Path(names[0]).name)
        return 0
    array, members = Path(names[0]), names[1:]
    folder = host.ROOT / 'var/lib/md' / array.name
    if '--create' in arguments:
        for name in members:
            Device(name).write_signature(f'md:{array.name}')
        (folder / 'disk').remove()
    folder.make_folder()
    disk = folder / 'disk'
    if not disk.exists():
        with open(str(disk), 'wb') as file:
            file.truncate(1 << 20)
    kernel = next(f'md{number}' for number in range(127, 0, -1) if not (BLOCKS / f'md{number}').exists())
    _remember_array(kernel, members)
    for link in (array, host.ROOT / 'dev' / kernel):
        link.parent.make_folder()
        link.remove()
        link.symlink_to(disk)
    return 0


def _remember_array(kernel: str, members: Sequence[str]) -> None:
    state = BLOCKS / kernel / 'md'
    state.make_folder()
    (state / 'raid_disks').write_text(f'{len(members)}\n')
    (state / 'array_state').write_text('clean\n')
    for name in members:
        holders = BLOCKS / Path(name).resolve().name / 'holders'
        holders.make_folder()
        (holders / kernel).touch()


def _forget_array(kernel: str) -> None:
    for disk in BLOCKS.children():
        (disk / 'holders' / kernel).remove()
    for name in ('raid_disks', 'array_state'):
        (BLOCKS / kernel / 'md' / name).remove()


def zpool(arguments: Sequence[str]) -> int:
    imported = host.ROOT / 'run/pools' / arguments[-1]
    if arguments[0] == 'list':
        return 0 if imported.exists() else 1
    if arguments[0] == 'get':
        print('on')
        return 0
    if arguments[0] == 'import':
        return _import_pool(arguments[-1], '-f' in arguments)
    return 0


def _import_pool(name: str, force: bool) -> int:
    for link in (host.ROOT / 'dev/disk/by-id').children():
        with Device(str(link)).superblock() as block:
            if not block.get('dataset', '').startswith(f'{name}/'):
                continue
            other = block.get('mountedBy')
            if other and other != host.INSTANCE and host.alive(other):
                host.record('violation', block['target'], other, 'second import refused')
                raise Failed(1, f"cannot import '{name}': pool is imported on another host")
            if block.get('importedBy', host.INSTANCE) != host.INSTANCE and not force:
                raise Failed(1, f"cannot import '{name}': pool was previously in use from another system.")
            block['importedBy'] = host.INSTANCE
            (host.ROOT / 'run/pools').make_folder()
            (host.ROOT / 'run/pools' / name).touch()
            return 0
    print(f"cannot import '{name}': no such pool available", file=sys.stderr)
    return 1


TOOLS = {
    'wipefs': wipefs,
    'blkid': blkid,
    'mkfs.xfs': mkfs_xfs,
    'mkfs.ext4': mkfs_ext4,
    'mount': mount,
    'umount': umount,
    'mdadm': mdadm,
    'zpool': zpool,
}
