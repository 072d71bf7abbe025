"""Whether an instance has room for one more volume or interface."""

from ministack.services import ec2

from ..query import Refused
from .limits import of_instance_type
from .state import Record


def require_room_for_volume(instance: Record) -> None:
    """Refuse the attachment when the type takes no more. The lock is held."""
    limits = of_instance_type(instance['InstanceType'])
    used = _volumes(instance)
    if limits.shared:
        used += len(_interfaces(instance)) + limits.nvme_disks
    if used >= limits.limit:
        raise _full(instance, f'{used} attachments', limits.limit)


def require_room_for_interface(instance: Record) -> None:
    """Refuse the attachment when the type takes no more. The lock is held."""
    limits = of_instance_type(instance['InstanceType'])
    interfaces = len(_interfaces(instance))
    if interfaces >= limits.interfaces:
        raise _full(instance, f'{interfaces} network interfaces', limits.interfaces)
    used = _volumes(instance) + interfaces + limits.nvme_disks
    if limits.shared and used >= limits.limit:
        raise _full(instance, f'{used} attachments', limits.limit)


def _volumes(instance: Record) -> int:
    volumes = ec2._volumes.values()
    return sum(one['InstanceId'] == instance['InstanceId'] for volume in volumes for one in volume['Attachments'])


def _interfaces(instance: Record) -> list[Record]:
    held = [one['Attachment'] for one in ec2._network_interfaces.values() if one.get('Attachment')]
    return [one for one in held if one['InstanceId'] == instance['InstanceId']]


def _full(instance: Record, what: str, limit: int) -> Refused:
    identity, kind = instance['InstanceId'], instance['InstanceType']
    return Refused('AttachmentLimitExceeded', f'Instance {identity} ({kind}) has {what}; its limit is {limit}')
