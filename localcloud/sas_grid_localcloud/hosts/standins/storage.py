"""Disks, arrays, local file systems and mounts."""

import sys
from collections.abc import Sequence

import host
import lustre
from host import Device, Failed
from paths import Path

ARRAYS = host.ROOT / 'dev/md'


def wipefs(arguments: Sequence[str]) -> int:
    device = Device(arguments[-1])
    if not device.blank():
        print(f'0x438,{device.id},,{device.signature()}')
    return 0


def blkid(arguments: Sequence[str]) -> int:
    device = Device(arguments[-1])
    if device.blank():
        return 2
    print(device.signature() if 'value' in arguments else f'{device.path}: TYPE="{device.signature()}"')
    return 0


def mkfs_local(arguments: Sequence[str]) -> int:
    device = Device(arguments[-1])
    if not device.blank():
        raise Failed(1, f'{device.path} appears to contain data; use -f to force overwrite')
    device.write_signature('xfs')
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
    if 'bind' not in options and Device(source).blank():
        raise Failed(32, f'mount: {directory}: wrong fs type, bad option, bad superblock on {source}')
    host.write_mounts([*host.mounts(), [source, directory, kind or 'auto', options or 'rw', '0', '0']])
    return 0


def umount(arguments: Sequence[str]) -> int:
    target = arguments[-1]
    found = [line for line in host.mounts() if target in line[:2]]
    if not found:
        raise Failed(32, f'umount: {target}: not mounted.')
    host.write_mounts([line for line in host.mounts() if target not in line[:2]])
    for line in found:
        if line[2] == 'lustre' and '@' not in line[0]:
            lustre.unmounted(line[0])
    return 0


def mdadm(arguments: Sequence[str]) -> int:
    """--create and --assemble of an array, --examine of a member, --detail of an array."""
    names = [a for a in arguments if a.startswith('/')]
    if '--examine' in arguments:
        device = Device(names[-1])
        if not device.signature().startswith('md:'):
            raise Failed(1, f'mdadm: No md superblock detected on {device.path}.')
        print(f'MD_NAME=any:{device.signature()[3:]}')
        return 0
    array = Path(names[0])
    if '--detail' in arguments:
        return 0 if array.exists() else 1
    folder = host.ROOT / 'var/lib/md' / array.name
    if '--create' in arguments:
        for name in names[1:]:
            Device(name).write_signature(f'md:{array.name}')
        (folder / 'disk').remove()
    folder.make_folder()
    disk = folder / 'disk'
    if not disk.exists():
        with open(str(disk), 'wb') as file:
            file.truncate(1 << 20)
    (folder / 'members').write_text('\n'.join(names[1:]) + '\n')
    ARRAYS.make_folder()
    array.remove()
    array.symlink_to(disk)
    return 0


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
    'mkfs.xfs': mkfs_local,
    'mkfs.ext4': mkfs_local,
    'mount': mount,
    'umount': umount,
    'mdadm': mdadm,
    'zpool': zpool,
}
