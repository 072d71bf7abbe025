"""What a host sees of its hardware: disks and network interfaces that come and go."""

import fcntl
import hashlib
import json
from pathlib import Path
from typing import Any

from .. import history, signals
from . import sandbox

BLANK_BYTES = 1 << 20


def subscribe() -> None:
    """Follow attachments."""
    signals.subscribe('volume-attached', _volume_attached)
    signals.subscribe('volume-detached', _volume_detached)
    signals.subscribe('interface-attached', _interface_attached)
    signals.subscribe('interface-detached', _interface_detached)


def volume_folder(volume_id: str) -> Path:
    """What lies on a volume: ``disk``, its first MiB, and ``superblock.json`` once it is formatted."""
    folder = sandbox.state() / 'volumes' / volume_id
    folder.mkdir(parents=True, exist_ok=True)
    disk = folder / 'disk'
    if not disk.exists():
        with disk.open('wb') as file:
            file.truncate(BLANK_BYTES)
    return folder


def unmount_all(instance_id: str) -> None:
    """A host that lost its power has nothing mounted."""
    for path in (sandbox.state() / 'volumes').glob('*/superblock.json'):
        _clear_mount(path.parent, instance_id)
    mounts = sandbox.root_of(instance_id) / 'proc/mounts'
    if mounts.exists():
        mounts.write_text('')
    for name in ('run', 'sys/net-state'):
        _empty(sandbox.root_of(instance_id) / name)


def add_interface(instance_id: str, interface_id: str, address: str, index: int) -> None:
    """A network interface appears: to the kernel and to the metadata service."""
    root = sandbox.root_of(instance_id)
    if not root.exists():
        sandbox.create(instance_id)
    mac = mac_of(interface_id)
    facts = {'interface-id': interface_id, 'address': address, 'cidr': _subnet_cidr(interface_id, address)}
    folder = root / 'metadata/macs' / mac
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'interface-id').write_text(facts['interface-id'])
    (folder / 'local-ipv4s').write_text(facts['address'])
    (folder / 'subnet-ipv4-cidr-block').write_text(facts['cidr'])
    kernel = root / 'sys/class/net' / f'eth{index}'
    kernel.mkdir(parents=True, exist_ok=True)
    (kernel / 'address').write_text(f'{mac}\n')
    (kernel / 'ifindex').write_text(f'{index + 2}\n')


def add_instance_store(instance_id: str, count: int) -> None:
    """The disks of the machine itself, blank unless they were there before."""
    root = sandbox.root_of(instance_id)
    for number in range(count):
        disk = root / 'instance-store' / str(number) / f'nvme{number + 1}n1'
        disk.parent.mkdir(parents=True, exist_ok=True)
        if not disk.exists():
            with disk.open('wb') as file:
                file.truncate(BLANK_BYTES)
        link = root / f'dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_AWS{number:016X}E'
        link.unlink(missing_ok=True)
        link.symlink_to(disk)


def lose_instance_store(instance_id: str) -> None:
    """A machine that stops gives its own disks away, with all that was on them."""
    root = sandbox.root_of(instance_id)
    for folder in ('instance-store', 'dev/md', 'sys/block', 'var/lib/md'):
        _empty(root / folder)


def mac_of(interface_id: str) -> str:
    """The interface's hardware address, always the same for the same interface."""
    digest = hashlib.sha256(interface_id.encode()).hexdigest()
    return '02:' + ':'.join(digest[at : at + 2] for at in range(0, 10, 2))


def _volume_attached(*, volume_id: str, instance_id: str, **_: Any) -> None:
    link = _disk_link(instance_id, volume_id)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(volume_folder(volume_id) / 'disk')


def _volume_detached(*, volume_id: str, instance_id: str, **_: Any) -> None:
    _disk_link(instance_id, volume_id).unlink(missing_ok=True)
    if _clear_mount(volume_folder(volume_id), instance_id) and sandbox.alive(instance_id):
        history.record('violation', volume_id, 'mounted', 'detached', instance=instance_id)


def _interface_attached(*, interface_id: str, instance_id: str, address: str, device_index: int, **_: Any) -> None:
    add_interface(instance_id, interface_id, address, int(device_index))


def _interface_detached(*, interface_id: str, instance_id: str, **_: Any) -> None:
    root = sandbox.root_of(instance_id)
    mac = mac_of(interface_id)
    _remove(root / 'metadata/macs' / mac)
    for kernel in (root / 'sys/class/net').glob('*'):
        address = kernel / 'address'
        if address.exists() and address.read_text().strip() == mac:
            _remove(kernel)


def _disk_link(instance_id: str, volume_id: str) -> Path:
    name = f'nvme-Amazon_Elastic_Block_Store_{volume_id.replace("-", "", 1)}'
    return sandbox.root_of(instance_id) / 'dev/disk/by-id' / name


def _clear_mount(volume: Path, instance_id: str) -> bool:
    path = volume / 'superblock.json'
    if not path.exists():
        return False
    with (volume / 'lock').open('a') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        superblock = json.loads(path.read_text())
        if superblock.get('mountedBy') != instance_id:
            return False
        superblock['mountedBy'] = None
        partial = volume / 'superblock.partial'
        partial.write_text(json.dumps(superblock))
        partial.replace(path)
    history.record('mount', volume.name, instance_id, None, instance=instance_id, target=superblock['target'])
    return True


def _subnet_cidr(interface_id: str, address: str) -> str:
    """The subnet of an interface, from EC2's own books; a /24 when they have no such interface."""
    from ministack.services import ec2

    from ..scope import own_scope

    with own_scope():
        record = ec2._network_interfaces.get(interface_id) or {}
        subnet = ec2._subnets.get(record.get('SubnetId', ''), {})
    return str(subnet.get('CidrBlock') or f'{address.rsplit(".", 1)[0]}.0/24')


def _remove(folder: Path) -> None:
    _empty(folder)
    if folder.is_dir():
        folder.rmdir()


def _empty(folder: Path) -> None:
    for path in folder.glob('*') if folder.is_dir() else ():
        if path.is_dir():
            _remove(path)
        else:
            path.unlink()
