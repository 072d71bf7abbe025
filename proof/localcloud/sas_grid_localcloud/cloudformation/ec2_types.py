"""EC2 resource types that ministack lacks: volumes, interfaces, their attachments, reserved addresses."""

from typing import Any

from ministack.services import ec2 as ministack_ec2

from .. import ec2
from ..ec2.state import instance_record, set_tags, volume_record
from ..query import Refused, flag
from .registry import Made, Properties, ResourceType, register
from .waiting import gone, tag_specification, until

# --- AWS::EC2::Volume

_FIXED = ('AvailabilityZone', 'Encrypted', 'KmsKeyId', 'SnapshotId')


def _create_volume(logical_id: str, properties: Properties, stack: str) -> Made:
    request = {key: value for key, value in properties.items() if key not in ('Tags', 'AutoEnableIO')}
    made = ec2.call('CreateVolume', {**request, 'TagSpecification': tag_specification('volume', properties)})
    volume_id = str(made['volumeId'])
    until(lambda: volume_record(volume_id)['State'] == 'available', f'{volume_id} becoming available')
    return volume_id, {'VolumeId': volume_id}


def _update_volume(volume_id: str, old: Properties, new: Properties, stack: str) -> Made:
    for name in _FIXED:
        if old.get(name) != new.get(name):
            # The schema has no createOnlyProperties: nothing is replaced. The words are CloudFormation's, as told in
            # awsdocs/aws-cloudformation-user-guide#556 (2019-12-31) and go-to-k/cdkd#1356 (2026-08-03).
            raise Refused(
                'InvalidRequest',
                'Volume properties other than AutoEnableIO, type, size, and IOPS cannot be updated. '
                f'Change the properties back to previous values and update the stack again. ({name})',
            )
    names = ('Size', 'VolumeType', 'Iops', 'Throughput')
    changed = {key: new.get(key) for key in names if str(old.get(key)) != str(new.get(key))}
    shared = flag(old.get('MultiAttachEnabled'))
    # CloudFormation template reference, "AWS::EC2::Volume", MultiAttachEnabled: what updates do not support.
    if flag(new.get('MultiAttachEnabled')) != shared or (shared and changed):
        fixed = ', '.join(changed) or 'MultiAttachEnabled'
        raise Refused(
            'UnsupportedOperation',
            f'{fixed} of {volume_id}: CloudFormation cannot change MultiAttachEnabled of a volume, '
            'nor the size or IOPS of one that has it',
        )
    if changed:
        # CloudFormation asks for all of these: a property removed from the template goes back to the default.
        ec2.call('ModifyVolume', {'VolumeId': volume_id, **{key: new[key] for key in names if key in new}})
    set_tags(volume_id, list(new.get('Tags') or []))
    return volume_id, {'VolumeId': volume_id}


def _delete_volume(volume_id: str, properties: Properties) -> None:
    gone('DeleteVolume', {'VolumeId': volume_id})


# --- AWS::EC2::VolumeAttachment


def _create_attachment(logical_id: str, properties: Properties, stack: str) -> Made:
    volume_id, instance_id = properties['VolumeId'], properties['InstanceId']
    until(lambda: instance_record(instance_id)['State']['Name'] == 'running', f'{instance_id} running')
    ec2.call('AttachVolume', properties)
    until(lambda: _attachment_state(volume_id, instance_id) == 'attached', f'{volume_id} being attached')
    return f'{volume_id}|{instance_id}', {}


def _delete_attachment(physical_id: str, properties: Properties) -> None:
    volume_id, instance_id = properties['VolumeId'], properties['InstanceId']
    try:
        ec2.call('DetachVolume', {'VolumeId': volume_id, 'InstanceId': instance_id})
    except Refused as refused:
        if refused.code not in ('IncorrectState', 'InvalidAttachment.NotFound', 'InvalidVolume.NotFound'):
            raise
    until(lambda: _attachment_state(volume_id, instance_id) is None, f'{volume_id} being detached')


def _attachment_state(volume_id: str, instance_id: str) -> str | None:
    volume = ministack_ec2._volumes.get(volume_id) or {'Attachments': []}
    found = [one['State'] for one in volume['Attachments'] if one['InstanceId'] == instance_id]
    return found[0] if found else None


# --- AWS::EC2::NetworkInterface


def _create_interface(logical_id: str, properties: Properties, stack: str) -> Made:
    request = {
        'SubnetId': properties['SubnetId'],
        'PrivateIpAddress': properties.get('PrivateIpAddress'),
        'Description': properties.get('Description'),
        'SecurityGroupId': list(properties.get('GroupSet') or []),
        'InterfaceType': properties.get('InterfaceType'),
        'TagSpecification': tag_specification('network-interface', properties),
    }
    made = ec2.call('CreateNetworkInterface', request)['networkInterface']
    interface_id = str(made['networkInterfaceId'])
    if not flag(properties.get('SourceDestCheck'), default=True):
        _set_source_check(interface_id, False)
    return interface_id, _interface_attributes(interface_id)


def _update_interface(interface_id: str, old: Properties, new: Properties, stack: str) -> Made:
    request: dict[str, Any] = {'NetworkInterfaceId': interface_id}
    if new.get('GroupSet'):
        request['SecurityGroupId'] = list(new['GroupSet'])
    if 'Description' in new:
        request['Description'] = {'Value': new['Description']}
    ec2.call('ModifyNetworkInterfaceAttribute', request)
    _set_source_check(interface_id, flag(new.get('SourceDestCheck'), default=True))
    set_tags(interface_id, list(new.get('Tags') or []))
    return interface_id, _interface_attributes(interface_id)


def _set_source_check(interface_id: str, on: bool) -> None:
    check = {'Value': on}
    ec2.call('ModifyNetworkInterfaceAttribute', {'NetworkInterfaceId': interface_id, 'SourceDestCheck': check})


def _interface_attributes(interface_id: str) -> dict[str, Any]:
    record = ministack_ec2._network_interfaces[interface_id]
    return {
        'Id': interface_id,
        'PrimaryPrivateIpAddress': record['PrivateIpAddress'],
        'VpcId': record['VpcId'],
    }


def _delete_interface(interface_id: str, properties: Properties) -> None:
    gone('DeleteNetworkInterface', {'NetworkInterfaceId': interface_id})


# --- AWS::EC2::NetworkInterfaceAttachment


def _attach_interface(logical_id: str, properties: Properties, stack: str) -> Made:
    instance_id, interface_id = properties['InstanceId'], properties['NetworkInterfaceId']
    until(lambda: instance_record(instance_id)['State']['Name'] == 'running', f'{instance_id} running')
    attachment = str(ec2.call('AttachNetworkInterface', properties)['attachmentId'])
    if 'DeleteOnTermination' in properties:
        _outlive_or_not(attachment, interface_id, flag(properties['DeleteOnTermination']))
    return attachment, {'AttachmentId': attachment}


def _update_interface_attachment(attachment: str, old: Properties, new: Properties, stack: str) -> Made:
    _outlive_or_not(attachment, new['NetworkInterfaceId'], flag(new.get('DeleteOnTermination'), default=True))
    return attachment, {'AttachmentId': attachment}


def _outlive_or_not(attachment: str, interface_id: str, goes: bool) -> None:
    change = {'AttachmentId': attachment, 'DeleteOnTermination': goes}
    ec2.call('ModifyNetworkInterfaceAttribute', {'NetworkInterfaceId': interface_id, 'Attachment': change})


def _detach_interface(attachment: str, properties: Properties) -> None:
    gone('DetachNetworkInterface', {'AttachmentId': attachment, 'Force': True})


# --- AWS::EC2::SubnetCidrReservation


def _create_reservation(logical_id: str, properties: Properties, stack: str) -> Made:
    tags = tag_specification('subnet-cidr-reservation', properties)
    made = ec2.call('CreateSubnetCidrReservation', {**properties, 'TagSpecification': tags})['subnetCidrReservation']
    return str(made['subnetCidrReservationId']), {'SubnetCidrReservationId': made['subnetCidrReservationId']}


def _delete_reservation(physical_id: str, properties: Properties) -> None:
    gone('DeleteSubnetCidrReservation', {'SubnetCidrReservationId': physical_id})


TYPES = (
    ResourceType(
        'AWS::EC2::Volume',
        _create_volume,
        _delete_volume,
        frozenset(
            [
                'AvailabilityZone',
                'Encrypted',
                'Iops',
                'KmsKeyId',
                'MultiAttachEnabled',
                'Size',
                'SnapshotId',
                'Tags',
                'Throughput',
                'VolumeType',
            ]
        ),
        _update_volume,
        accepted=frozenset({'AutoEnableIO'}),
    ),
    ResourceType(
        'AWS::EC2::VolumeAttachment',
        _create_attachment,
        _delete_attachment,
        frozenset({'Device', 'InstanceId', 'VolumeId'}),
    ),
    ResourceType(
        'AWS::EC2::NetworkInterface',
        _create_interface,
        _delete_interface,
        frozenset(
            ['Description', 'GroupSet', 'InterfaceType', 'PrivateIpAddress', 'SourceDestCheck', 'SubnetId', 'Tags']
        ),
        _update_interface,
    ),
    ResourceType(
        'AWS::EC2::NetworkInterfaceAttachment',
        _attach_interface,
        _detach_interface,
        frozenset({'DeleteOnTermination', 'DeviceIndex', 'InstanceId', 'NetworkInterfaceId'}),
        _update_interface_attachment,
    ),
    ResourceType(
        'AWS::EC2::SubnetCidrReservation',
        _create_reservation,
        _delete_reservation,
        frozenset({'Cidr', 'Description', 'ReservationType', 'SubnetId', 'Tags'}),
    ),
)


def install() -> None:
    """Register the types."""
    for each in TYPES:
        register(each)
