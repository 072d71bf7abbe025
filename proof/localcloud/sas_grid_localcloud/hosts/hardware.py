"""What a host sees of its hardware: disks and network interfaces that come and go."""

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from .. import history, signals
from . import file_systems, folders, sandbox

BLANK_BYTES = 1 << 20
EBS_LINK = 'nvme-Amazon_Elastic_Block_Store_'


def subscribe() -> None:
    """Follow attachments."""
    signals.subscribe('volume-attached', _volume_attached)
    signals.subscribe('volume-detached', _volume_detached)
    signals.subscribe('volume-resized', _volume_resized)
    signals.subscribe('interface-attached', _interface_attached)
    signals.subscribe('interface-detached', _interface_detached)


def volume_folder(volume_id: str) -> Path:
    """What lies on a volume: ``disk``, its first MiB; ``size`` in GiB; ``superblock.json`` once it is formatted."""
    folder = folders.state() / 'volumes' / volume_id
    folder.mkdir(parents=True, exist_ok=True)
    disk = folder / 'disk'
    if not disk.exists():
        with disk.open('wb') as file:
            file.truncate(BLANK_BYTES)
    return folder


def unmount_all(instance_id: str) -> None:
    """A host that lost its power has nothing mounted, and the kernel knows no device."""
    for path in (folders.state() / 'volumes').glob('*/superblock.json'):
        _clear_mount(path.parent, instance_id)
    file_systems.forget_mounts(instance_id)
    mounts = folders.root_of(instance_id) / 'proc/mounts'
    if mounts.exists():
        mounts.write_text('')
    root = folders.root_of(instance_id)
    for node in [*_logical_links(root), *(root / 'dev').glob('dm-*'), *(root / 'dev').glob('nvme*')]:
        node.unlink()
    for name in ('run', 'sys/net-state', 'sys/block', 'sys/class/bdi', 'sys/kernel/dlm'):
        _empty(root / name)


def _logical_links(root: Path) -> list[Path]:
    """The links to logical volumes, in a folder for each group and in one for all."""
    return [link for link in (root / 'dev').glob('*/*') if link.is_symlink() and '/dm-' in os.readlink(link)]


def add_interface(instance_id: str, interface_id: str, address: str, index: int) -> None:
    """A network interface appears: to the kernel and to the metadata service."""
    root = folders.root_of(instance_id)
    if not root.exists():
        sandbox.create(instance_id)
    mac = mac_of(interface_id)
    cidr, network = _network_of(interface_id, address)
    folder = root / 'metadata/macs' / mac
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'interface-id').write_text(interface_id)
    (folder / 'local-ipv4s').write_text(address)
    (folder / 'subnet-ipv4-cidr-block').write_text(cidr)
    (folder / 'vpc-id').write_text(network)
    if index == 0:
        (root / 'metadata/local-ipv4').write_text(address)
    kernel = root / 'sys/class/net' / f'eth{index}'
    kernel.mkdir(parents=True, exist_ok=True)
    (kernel / 'address').write_text(f'{mac}\n')
    (kernel / 'ifindex').write_text(f'{index + 2}\n')


def add_instance_store(instance_id: str, count: int) -> None:
    """The disks of the machine itself, blank unless they were there before."""
    root = folders.root_of(instance_id)
    for number in range(count):
        folder = root / 'instance-store' / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        disk = next(folder.glob('nvme*n1'), None)
        if disk is None:
            disk = folder / _free_name(root)
            with disk.open('wb') as file:
                file.truncate(BLANK_BYTES)
        link = root / f'dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_AWS{number:016X}E'
        link.unlink(missing_ok=True)
        link.symlink_to(disk)


def lose_instance_store(instance_id: str) -> None:
    """A machine that stops gives its own disks away, with all that was on them."""
    root = folders.root_of(instance_id)
    for folder in ('instance-store', 'dev/md', 'var/lib/md'):
        _empty(root / folder)


def mac_of(interface_id: str) -> str:
    """The interface's hardware address, always the same for the same interface."""
    digest = hashlib.sha256(interface_id.encode()).hexdigest()
    return '02:' + ':'.join(digest[at : at + 2] for at in range(0, 10, 2))


def plug_volumes(instance_id: str) -> None:
    """The kernel finds the attached volumes at boot, in an order that nobody may rely on."""
    links = (folders.root_of(instance_id) / 'dev/disk/by-id').glob(f'{EBS_LINK}*')
    for link in sorted((link for link in links if not link.exists()), reverse=True):
        _plug(instance_id, link.name.removeprefix(EBS_LINK).replace('vol', 'vol-', 1))


def _volume_attached(*, volume_id: str, instance_id: str, **_: Any) -> None:
    (volume_folder(volume_id) / 'size').write_text(str(_size_of(volume_id)))
    if _disk_link(instance_id, volume_id).is_symlink():
        _unplug(instance_id, volume_id)
    _plug(instance_id, volume_id)


def _volume_resized(*, volume_id: str, size: int, **_: Any) -> None:
    (volume_folder(volume_id) / 'size').write_text(str(size))


def _plug(instance_id: str, volume_id: str) -> None:
    """The device has the kernel's own name; the link to it tells which volume it is, as its serial number does."""
    root = folders.root_of(instance_id)
    name = _free_name(root)
    serial = root / 'sys/block' / name / 'serial'
    serial.parent.mkdir(parents=True)
    serial.write_text(volume_id.replace('-', '', 1) + '\n')
    link = _disk_link(instance_id, volume_id)
    link.parent.mkdir(parents=True, exist_ok=True)
    (root / 'dev' / name).hardlink_to(volume_folder(volume_id) / 'disk')
    link.unlink(missing_ok=True)
    link.symlink_to(root / 'dev' / name)


def _free_name(root: Path) -> str:
    """A name that the kernel has given to no other disk."""
    # What was built on a device that is gone still has its name.
    used = {
        path.name for place in ('dev', 'instance-store/*', 'sys/block/*/slaves') for path in root.glob(f'{place}/*')
    }
    return next(f'nvme{number}n1' for number in range(1, 256) if f'nvme{number}n1' not in used)


def _unplug(instance_id: str, volume_id: str) -> None:
    link = _disk_link(instance_id, volume_id)
    if not link.is_symlink():
        return
    node = link.readlink()
    link.unlink()
    node.unlink(missing_ok=True)
    _remove(folders.root_of(instance_id) / 'sys/block' / node.name)


def _volume_detached(*, volume_id: str, instance_id: str, **_: Any) -> None:
    _unplug(instance_id, volume_id)
    if _clear_mount(volume_folder(volume_id), instance_id) and folders.powered(instance_id):
        history.record('violation', volume_id, 'mounted', 'detached', instance=instance_id)


def _size_of(volume_id: str) -> int:
    """GiB, from EC2's own books; 10 when they have no such volume."""
    from ministack.services import ec2

    from ..scope import own_scope

    with own_scope():
        return int((ec2._volumes.get(volume_id) or {}).get('Size') or 10)


def _interface_attached(*, interface_id: str, instance_id: str, address: str, device_index: int, **_: Any) -> None:
    add_interface(instance_id, interface_id, address, int(device_index))


def _interface_detached(*, interface_id: str, instance_id: str, **_: Any) -> None:
    root = folders.root_of(instance_id)
    mac = mac_of(interface_id)
    _remove(root / 'metadata/macs' / mac)
    for kernel in (root / 'sys/class/net').glob('*'):
        address = kernel / 'address'
        if address.exists() and address.read_text().strip() == mac:
            _remove(kernel)


def _disk_link(instance_id: str, volume_id: str) -> Path:
    name = f'{EBS_LINK}{volume_id.replace("-", "", 1)}'
    return folders.root_of(instance_id) / 'dev/disk/by-id' / name


def _clear_mount(volume: Path, instance_id: str) -> bool:
    path = volume / 'superblock.json'
    if not path.exists():
        return False
    with (volume / 'lock').open('a') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        superblock = json.loads(path.read_text())
        shared = instance_id in superblock.get('mountedOn', [])
        if shared:
            superblock['mountedOn'].remove(instance_id)
            if superblock.get('frozenBy') == instance_id:
                # Whoever is left recovers its locks.
                del superblock['frozenBy']
        elif superblock.get('mountedBy') == instance_id:
            superblock.update(mountedBy=None, mounted=[])
        else:
            return False
        partial = volume / 'superblock.partial'
        partial.write_text(json.dumps(superblock))
        partial.replace(path)
    kind = 'shared-mount' if shared else 'mount'
    history.record(kind, volume.name, instance_id, None, instance=instance_id, target=superblock['target'])
    return True


def _network_of(interface_id: str, address: str) -> tuple[str, str]:
    """The range of an interface's subnet, and its VPC, from EC2's own books; a /24 when they have no such interface."""
    from ministack.services import ec2

    from ..scope import own_scope

    with own_scope():
        record = ec2._network_interfaces.get(interface_id) or {}
        subnet = ec2._subnets.get(record.get('SubnetId', ''), {})
    return str(subnet.get('CidrBlock') or f'{address.rsplit(".", 1)[0]}.0/24'), str(subnet.get('VpcId') or '')


def _remove(folder: Path) -> None:
    _empty(folder)
    if folder.is_dir():
        folder.rmdir()


def _empty(folder: Path) -> None:
    for path in folder.glob('*') if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            _remove(path)
        else:
            path.unlink()
