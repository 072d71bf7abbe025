"""Changes of emulated hardware: each is written to the history, signalled to the hosts and, where EC2 does
so, sent to EventBridge. Call with the lock held."""

import time

from ministack.services import ec2

from .. import clock, events, history, settings, signals
from ..scope import arn, in_scope
from .lagging import note_instance, note_interface, note_volume
from .state import LOCK, Record, set_tags

CODES = {'pending': 0, 'running': 16, 'shutting-down': 32, 'terminated': 48, 'stopping': 64, 'stopped': 80}


def set_instance_state(instance: Record, name: str) -> None:
    """The instance is in this state from now on. Terminated is final."""
    before = instance['State']['Name'] if instance.get('_announced') else None
    if before in (name, 'terminated'):
        return
    instance['_announced'] = True
    instance['State'] = {'Code': CODES[name], 'Name': name}
    if name in ('shutting-down', 'stopping'):
        instance['StateTransitionReason'] = time.strftime('User initiated (%Y-%m-%d %H:%M:%S GMT)', time.gmtime())
    elif name in ('pending', 'running'):
        instance['StateTransitionReason'] = ''
    note_instance(instance)
    identity = instance['InstanceId']
    history.record('instance', identity, before, name)
    detail = {'instance-id': identity, 'state': name}
    events.emit('aws.ec2', 'EC2 Instance State-change Notification', detail, [arn('ec2', f'instance/{identity}')])
    signals.publish('instance-state', instance_id=identity, state=name)
    if name == 'terminated':
        clock.after(settings.delays().release, in_scope(lambda: _release(identity)))
        clock.after(settings.delays().terminated_tagged, in_scope(lambda: _untag(identity)))
        clock.after(settings.delays().terminated_shown, in_scope(lambda: _forget(identity)))


def set_volume_state(volume: Record, name: str) -> None:
    """The volume itself: creating, available, in-use, deleting."""
    before = volume.get('State')
    if before != name:
        volume['State'] = name
        note_volume(volume)
        history.record('volume', volume['VolumeId'], before, name)


def set_attachment_state(volume: Record, attachment: Record, name: str) -> None:
    """One attachment of a volume: attaching, attached, detaching, detached (then it is gone)."""
    before = attachment.get('State')
    if before == name:
        return
    attachment['State'] = name
    identity, instance_id, device = volume['VolumeId'], attachment['InstanceId'], attachment['Device']
    history.record('volume-attachment', identity, before, name, instance=instance_id, device=device)
    if name == 'attached':
        signals.publish('volume-attached', volume_id=identity, instance_id=instance_id, device=device)
    if name == 'detached':
        volume['Attachments'].remove(attachment)
        signals.publish('volume-detached', volume_id=identity, instance_id=instance_id, device=device)
        if not volume['Attachments']:
            set_volume_state(volume, 'available')
    note_volume(volume)


def set_interface_attachment_state(interface: Record, name: str) -> None:
    """The attachment of a network interface: attaching, attached, detaching, detached (then it is gone)."""
    attachment = interface['Attachment']
    before = attachment.get('Status')
    if before == name:
        return
    attachment['Status'] = name
    identity, instance_id, index = (
        interface['NetworkInterfaceId'],
        attachment['InstanceId'],
        attachment['DeviceIndex'],
    )
    about = {'instance_id': instance_id, 'address': interface['PrivateIpAddress'], 'device_index': index}
    history.record(
        'interface-attachment',
        identity,
        before,
        name,
        instance=instance_id,
        address=interface['PrivateIpAddress'],
        device_index=index,
    )
    if name == 'attached':
        interface['Status'] = 'in-use'
        signals.publish('interface-attached', interface_id=identity, **about)
    if name == 'detached':
        interface['Attachment'] = None
        interface['Status'] = 'available'
        signals.publish('interface-detached', interface_id=identity, **about)
    note_interface(interface)


def _release(instance_id: str) -> None:
    """What a terminated instance held is free again, or gone with it."""
    with LOCK:
        for volume in list(ec2._volumes.values()):
            for attachment in [one for one in volume['Attachments'] if one['InstanceId'] == instance_id]:
                set_attachment_state(volume, attachment, 'detached')
                if attachment.get('DeleteOnTermination'):
                    history.record('volume', volume['VolumeId'], volume['State'], 'deleted')
                    ec2._volumes.pop(volume['VolumeId'], None)
                    ec2._tags.pop(volume['VolumeId'], None)
        for interface in list(ec2._network_interfaces.values()):
            held = interface.get('Attachment')
            if held and held['InstanceId'] == instance_id:
                set_interface_attachment_state(interface, 'detached')
                if held.get('DeleteOnTermination'):
                    ec2._network_interfaces.pop(interface['NetworkInterfaceId'], None)
                    ec2._tags.pop(interface['NetworkInterfaceId'], None)


def _untag(instance_id: str) -> None:
    """A terminated instance loses its tags while it is still shown (EC2 user guide, "Terminate your instance")."""
    with LOCK:
        set_tags(instance_id, [])


def _forget(instance_id: str) -> None:
    """A terminated instance disappears some time later: EC2 knows its id no more."""
    with LOCK:
        ec2._instances.pop(instance_id, None)
        ec2._tags.pop(instance_id, None)
