"""Elastic network interfaces: fixed addresses that move between instances."""

import uuid
from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from .. import clock, settings
from ..query import Refused, flag, integer
from ..scope import in_scope
from . import addresses
from .describing import Fields, choose, page
from .idempotency import once
from .interface_view import shown
from .lagging import Look, as_it_is, as_seen, note_interface
from .room import require_room_for_interface
from .state import (
    LOCK,
    Record,
    born,
    dict_of,
    instance_record,
    interface_record,
    new_id,
    now,
    requested_tags,
    set_tags,
    subnet_record,
)
from .transitions import set_interface_attachment_state


def _of_attachment(name: str) -> Any:
    return lambda i: [str(i['Attachment'][name])] if i.get('Attachment') else []


FILTERS: Fields = {
    'network-interface-id': lambda i: [i['NetworkInterfaceId']],
    'subnet-id': lambda i: [i['SubnetId']],
    'vpc-id': lambda i: [i['VpcId']],
    'availability-zone': lambda i: [i['AvailabilityZone']],
    'status': lambda i: [i['Status']],
    'description': lambda i: [i['Description']],
    'group-id': lambda i: [group['GroupId'] for group in i['Groups']],
    'private-ip-address': lambda i: [i['PrivateIpAddress']],
    'addresses.private-ip-address': lambda i: [i['PrivateIpAddress']],
    'mac-address': lambda i: [i['MacAddress']],
    'interface-type': lambda i: [i['InterfaceType']],
    'attachment.instance-id': _of_attachment('InstanceId'),
    'attachment.attachment-id': _of_attachment('AttachmentId'),
    'attachment.device-index': _of_attachment('DeviceIndex'),
    'attachment.status': _of_attachment('Status'),
    'attachment.delete-on-termination': lambda i: [
        str(bool(a['DeleteOnTermination'])).lower() for a in [i.get('Attachment')] if a
    ],
}


def new_interface(
    subnet_id: str,
    *,
    address: str | None = None,
    groups: list[str] | None = None,
    description: str = '',
    kind: str = 'interface',
) -> Record:
    """Create and store an interface. The lock is held."""
    subnet = subnet_record(subnet_id)
    vpc = dict_of(ec2._vpcs[subnet['VpcId']])
    identity = new_id('eni')
    record = born(
        {
            'NetworkInterfaceId': identity,
            'SubnetId': subnet_id,
            'VpcId': subnet['VpcId'],
            'AvailabilityZone': subnet['AvailabilityZone'],
            'Description': description,
            'OwnerId': get_account_id(),
            'Status': 'available',
            'PrivateIpAddress': addresses.take(subnet_id, address),
            'InterfaceType': kind,
            'SourceDestCheck': True,
            'MacAddress': '0e:' + ':'.join(uuid.uuid4().hex[n : n + 2] for n in range(0, 10, 2)),
            'Groups': security_groups(groups or [vpc['DefaultSecurityGroupId']], subnet['VpcId']),
            'Attachment': None,
        }
    )
    ec2._network_interfaces[identity] = record
    return record


def security_groups(ids: list[str], vpc_id: str) -> list[dict[str, str]]:
    """The groups, all of which must exist and be of this VPC."""
    found = []
    for one in ids:
        group = ec2._security_groups.get(one)
        if group is None:
            raise Refused('InvalidGroup.NotFound', f"The security group '{one}' does not exist")
        if group['VpcId'] != vpc_id:
            raise Refused('InvalidParameter', f'Security group {one} and subnet belong to different networks.')
        found.append({'GroupId': one, 'GroupName': group['GroupName']})
    return found


def _create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateNetworkInterface."""
    with LOCK:
        record = new_interface(
            str(request.get('SubnetId')),
            address=request.get('PrivateIpAddress'),
            groups=request.get('SecurityGroupId'),
            description=str(request.get('Description') or ''),
            kind=str(request.get('InterfaceType') or 'interface'),
        )
        set_tags(record['NetworkInterfaceId'], requested_tags(request, 'network-interface'))
        note_interface(record)
        return {'networkInterface': shown(record)}


def _show_again(answer: Mapping[str, Any]) -> dict[str, Any]:
    record = ec2._network_interfaces.get(answer['networkInterface']['networkInterfaceId'])
    return dict(answer) if record is None else {'networkInterface': shown(record)}


create = once(_create, _show_again)


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteNetworkInterface."""
    with LOCK:
        record = interface_record(str(request.get('NetworkInterfaceId')))
        identity = record['NetworkInterfaceId']
        if record['Attachment']:
            raise Refused('InvalidNetworkInterface.InUse', f'Interface: [{identity}] in use.')
        ec2._network_interfaces.pop(identity, None)
        ec2._tags.pop(identity, None)
    return {'return': True}


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeNetworkInterfaces."""
    with LOCK:
        found = choose(
            [as_seen(one) for one in ec2._network_interfaces.values()],
            request,
            key='NetworkInterfaceId',
            ids=request.get('NetworkInterfaceId') or [],
            fields=FILTERS,
            missing=lambda one: Refused(
                'InvalidNetworkInterfaceID.NotFound', f"The networkInterface ID '{one}' does not exist"
            ),
        )
        chosen, token = page(found, request)
        return {'networkInterfaceSet': [shown(one) for one in chosen], 'nextToken': token}


def attach(request: Mapping[str, Any]) -> dict[str, Any]:
    """AttachNetworkInterface."""
    index = integer(request.get('DeviceIndex'), 'deviceIndex')
    if index is None:
        raise Refused('MissingParameter', 'The request must contain the parameter deviceIndex')
    with LOCK:
        record = interface_record(str(request.get('NetworkInterfaceId')))
        instance = instance_record(str(request.get('InstanceId')))
        return {'attachmentId': start_attaching(record, instance, index)}


def start_attaching(
    record: Record, instance: Record, index: int, *, at_launch: bool = False, delete_with_instance: bool = False
) -> str:
    """Begin the attachment, or refuse it as EC2 does; the attachment's id. The lock is held."""
    identity, instance_id = record['NetworkInterfaceId'], instance['InstanceId']
    if record['Attachment']:
        raise Refused('InvalidNetworkInterface.InUse', f'Interface: [{identity}] in use.')
    # EC2 attaches when the instance runs (hot), is stopped (warm) or is launched (cold), at no other time.
    if not at_launch and instance['State']['Name'] not in ('running', 'stopped'):
        raise Refused('IncorrectState', f"Instance '{instance_id}' is not 'running' or 'stopped'.")
    if record['AvailabilityZone'] != instance['Placement']['AvailabilityZone']:
        raise Refused(
            'InvalidParameterCombination',
            'You may not attach a network interface to an instance if they are not in the same availability zone',
        )
    others = attached_to(instance_id)
    if any(one['Attachment']['DeviceIndex'] == index for one in others):
        raise Refused(
            'InvalidParameterValue',
            f"Instance '{instance_id}' already has an interface attached at device index '{index}'.",
        )
    require_room_for_interface(instance)
    record['Attachment'] = {
        'AttachmentId': new_id('eni-attach'),
        'InstanceId': instance_id,
        'DeviceIndex': index,
        'AttachTime': now(),
        'DeleteOnTermination': delete_with_instance,
    }
    record['Status'] = 'in-use'
    set_interface_attachment_state(record, 'attaching')
    identity = record['Attachment']['AttachmentId']
    clock.after(settings.delays().attach, in_scope(lambda: _attached(record, identity)))
    return str(identity)


def detach(request: Mapping[str, Any]) -> dict[str, Any]:
    """DetachNetworkInterface."""
    wanted, force = request.get('AttachmentId'), flag(request.get('Force'))
    with LOCK:
        for record in ec2._network_interfaces.values():
            attachment = record.get('Attachment')
            if attachment and attachment['AttachmentId'] == wanted:
                break
        else:
            raise Refused('InvalidAttachmentID.NotFound', f"The interface attachment '{wanted}' does not exist.")
        if attachment['DeviceIndex'] == 0:
            raise Refused('OperationNotPermitted', 'The network interface at device index 0 cannot be detached.')
        if attachment['Status'] == 'detaching' and not force:
            raise Refused('IncorrectState', f"The attachment '{wanted}' is detaching.")
        set_interface_attachment_state(record, 'detaching')
    wait = 0.0 if force else settings.delays().detach
    clock.after(wait, in_scope(lambda: _detached(record, str(wanted))))
    return {'return': True}


def modify_attribute(request: Mapping[str, Any]) -> dict[str, Any]:
    """ModifyNetworkInterfaceAttribute: description, source/destination check, groups, delete on termination."""
    with LOCK:
        record = interface_record(str(request.get('NetworkInterfaceId')))
        if 'Description' in request:
            record['Description'] = request['Description']['Value']
        if 'SourceDestCheck' in request:
            record['SourceDestCheck'] = flag(request['SourceDestCheck']['Value'])
        if request.get('SecurityGroupId'):
            record['Groups'] = security_groups(request['SecurityGroupId'], record['VpcId'])
        change = request.get('Attachment')
        if change:
            held = record['Attachment']
            if not held or held['AttachmentId'] != change.get('AttachmentId'):
                missing = change.get('AttachmentId')
                raise Refused('InvalidAttachmentID.NotFound', f"The interface attachment '{missing}' does not exist.")
            held['DeleteOnTermination'] = flag(change.get('DeleteOnTermination'))
            note_interface(record)
    return {'return': True}


def drop_interfaces(ids: list[str]) -> None:
    """Interfaces of a managed service go with it. The lock is held."""
    for one in ids:
        ec2._network_interfaces.pop(one, None)
        ec2._tags.pop(one, None)


def attached_to(instance_id: str, look: Look = as_it_is) -> list[Record]:
    """All interfaces of an instance, primary first."""
    found = [look(dict_of(one)) for one in ec2._network_interfaces.values()]
    held = [one for one in found if one.get('Attachment') and one['Attachment']['InstanceId'] == instance_id]
    return sorted(held, key=lambda one: int(one['Attachment']['DeviceIndex']))


def _attached(record: Record, attachment_id: str) -> None:
    with LOCK:
        held = record['Attachment']
        if held and held['AttachmentId'] == attachment_id and held['Status'] == 'attaching':
            set_interface_attachment_state(record, 'attached')


def _detached(record: Record, attachment_id: str) -> None:
    with LOCK:
        held = record['Attachment']
        if held and held['AttachmentId'] == attachment_id:
            set_interface_attachment_state(record, 'detached')
