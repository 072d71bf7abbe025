"""Attaching volumes to instances and detaching them, with EC2's refusals."""

import re
from collections.abc import Mapping
from typing import Any

from ministack.services import ec2

from .. import clock, settings
from ..query import Refused, flag
from ..scope import in_scope
from .lagging import note_volume
from .multi_attach import require_nitro, require_room
from .room import require_room_for_volume
from .state import LOCK, Record, instance_record, now, volume_record
from .transitions import set_attachment_state, set_volume_state
from .volumes import shown_attachment

_DEVICE = re.compile(r'^(/dev/(sd|xvd)[a-z][a-z]?\d*|/dev/sd[a-z]\d?|xvd[a-z][a-z]?)$')


def attach(request: Mapping[str, Any]) -> dict[str, Any]:
    """AttachVolume."""
    device = str(request.get('Device') or '')
    with LOCK:
        volume = volume_record(str(request.get('VolumeId')))
        instance = instance_record(str(request.get('InstanceId')))
        attachment = start_attaching(volume, instance, device)
    return shown_attachment(volume, attachment)


def start_attaching(volume: Record, instance: Record, device: str) -> Record:
    """Begin the attachment, or refuse it as EC2 does. The lock is held."""
    volume_id, instance_id = volume['VolumeId'], instance['InstanceId']
    if instance['State']['Name'] not in ('running', 'stopped', 'stopping'):
        raise Refused('IncorrectState', f"Instance '{instance_id}' is not 'running'.")
    zone = instance['Placement']['AvailabilityZone']
    if zone != volume['AvailabilityZone']:
        raise Refused(
            'InvalidVolume.ZoneMismatch',
            f"The volume '{volume_id}' is not in the same availability zone as instance '{instance_id}'",
        )
    current = volume['Attachments']
    same = any(one['InstanceId'] == instance_id for one in current)
    if same or (current and not volume['MultiAttachEnabled']):
        raise Refused('VolumeInUse', f'{volume_id} is already attached to an instance')
    require_nitro(volume, instance)
    require_room(volume)
    if volume['State'] not in ('available', 'in-use'):
        raise Refused('IncorrectState', f"Volume '{volume_id}' is in the '{volume['State']}' state.")
    if not _DEVICE.match(device):
        raise Refused(
            'InvalidParameterValue',
            f'Value ({device}) for parameter device is invalid. {device} is not a valid EBS device name.',
        )
    held = [(one, other) for one in ec2._volumes.values() for other in one['Attachments']]
    mine = [other for _, other in held if other['InstanceId'] == instance_id]
    if any(one['Device'] == device for one in mine):
        raise Refused(
            'InvalidParameterValue',
            f"Invalid value '{device}' for unixDevice. Attachment point {device} is already in use",
        )
    require_room_for_volume(instance)
    attachment: Record = {
        'VolumeId': volume_id,
        'InstanceId': instance_id,
        'Device': device,
        'AttachTime': now(),
        'DeleteOnTermination': False,
    }
    current.append(attachment)
    set_volume_state(volume, 'in-use')
    set_attachment_state(volume, attachment, 'attaching')
    clock.after(settings.delays().attach, in_scope(lambda: _attached(volume, attachment)))
    return attachment


def outlive_or_not(instance: Record, mappings: list[Mapping[str, Any]]) -> None:
    """Whether volumes are deleted with their instance: without a word they are. All or none. The lock is held."""
    if mappings and instance['State']['Name'] in ('shutting-down', 'terminated'):
        about = f"The instance '{instance['InstanceId']}' is not in a valid state for this operation."
        raise Refused('IncorrectInstanceState', about)
    held = {
        one['Device']: (volume, one)
        for volume in ec2._volumes.values()
        for one in volume['Attachments']
        if one['InstanceId'] == instance['InstanceId']
    }
    for mapping in mappings:
        if mapping.get('DeviceName') not in held:
            about = f"No device is currently mapped at '{mapping.get('DeviceName')}'"
            raise Refused('InvalidInstanceAttributeValue', about)
    for mapping in mappings:
        volume, attachment = held[str(mapping['DeviceName'])]
        attachment['DeleteOnTermination'] = flag((mapping.get('Ebs') or {}).get('DeleteOnTermination'), default=True)
        note_volume(volume)


def detach(request: Mapping[str, Any]) -> dict[str, Any]:
    """DetachVolume."""
    instance_id, force = request.get('InstanceId'), flag(request.get('Force'))
    with LOCK:
        volume = volume_record(str(request.get('VolumeId')))
        volume_id = volume['VolumeId']
        if not volume['Attachments']:
            raise Refused('IncorrectState', f"Volume '{volume_id}' is in the 'available' state.")
        found = [one for one in volume['Attachments'] if instance_id in (None, '', one['InstanceId'])]
        device = request.get('Device')
        if device:
            found = [one for one in found if one['Device'] == device]
        if not found:
            where = f"instance '{instance_id}'" if instance_id else f"device '{device}'"
            raise Refused('InvalidAttachment.NotFound', f"The volume '{volume_id}' is not attached to {where}")
        if len(found) > 1:
            raise Refused(
                'InvalidParameterCombination',
                f"The volume '{volume_id}' has multiple attachments; name the instance",
            )
        attachment = found[0]
        holder = ec2._instances.get(attachment['InstanceId'])
        if holder and holder['RootDeviceName'] == attachment['Device'] and holder['State']['Name'] == 'running':
            raise Refused(
                'OperationNotPermitted', f"Unable to detach root volume '{volume_id}' from a running instance"
            )
        # The volumes of an instance that comes up or goes down cannot be taken from it.
        if holder and holder['State']['Name'] not in ('running', 'stopping', 'stopped'):
            raise Refused(
                'IncorrectInstanceState',
                f"Unable to detach volume '{volume_id}' from instance '{attachment['InstanceId']}'. "
                'The instance is not in a state in which volumes can be detached.',
            )
        if attachment['State'] == 'detaching' and not force:
            raise Refused('IncorrectState', f"Volume '{volume_id}' is in the 'detaching' state.")
        set_attachment_state(volume, attachment, 'detaching')
        answer = shown_attachment(volume, attachment)
    wait = 0.0 if force else settings.delays().detach
    clock.after(wait, in_scope(lambda: _detached(volume, attachment)))
    return answer


def _attached(volume: Record, attachment: Record) -> None:
    with LOCK:
        if attachment in volume['Attachments'] and attachment['State'] == 'attaching':
            set_attachment_state(volume, attachment, 'attached')


def _detached(volume: Record, attachment: Record) -> None:
    with LOCK:
        if attachment in volume['Attachments']:
            set_attachment_state(volume, attachment, 'detached')
