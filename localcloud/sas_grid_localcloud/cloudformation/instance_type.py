"""AWS::EC2::Instance, which ministack's CloudFormation lacks."""

from typing import Any

from ministack.services import ec2 as ministack_ec2

from .. import ec2
from ..ec2 import interfaces
from ..ec2.launch import launch
from ..ec2.launch_templates import merge
from ..ec2.state import instance_record, set_tags
from ..query import Refused, flag
from .registry import Made, Properties, ResourceType, register
from .waiting import until

_INSTANCE_AS_IS = frozenset(
    {
        'BlockDeviceMappings',
        'CreditSpecification',
        'DisableApiTermination',
        'EbsOptimized',
        'ImageId',
        'InstanceInitiatedShutdownBehavior',
        'InstanceType',
        'KeyName',
        'LaunchTemplate',
        'MetadataOptions',
        'UserData',
    }
)
_INSTANCE_MORE = frozenset(
    {
        'AvailabilityZone',
        'IamInstanceProfile',
        'Monitoring',
        'NetworkInterfaces',
        'PlacementGroupName',
        'PrivateIpAddress',
        'PropagateTagsToVolumeOnCreation',
        'SecurityGroupIds',
        'SourceDestCheck',
        'SubnetId',
        'Tags',
        'Tenancy',
        'Volumes',
    }
)


def _create_instance(logical_id: str, properties: Properties, stack: str) -> Made:
    data = {key: value for key, value in properties.items() if key in _INSTANCE_AS_IS}
    if properties.get('IamInstanceProfile'):
        data['IamInstanceProfile'] = {'Name': properties['IamInstanceProfile']}
    if 'Monitoring' in properties:
        data['Monitoring'] = {'Enabled': flag(properties['Monitoring'])}
    merged = merge(data)
    placement = dict(merged.get('Placement') or {})
    if properties.get('PlacementGroupName'):
        placement['GroupName'] = properties['PlacementGroupName']
    if properties.get('Tenancy'):
        placement['Tenancy'] = properties['Tenancy']
    merged['Placement'] = placement
    _place_in_network(merged, properties)
    specifications = list(merged.get('TagSpecifications') or [])
    tags = list(properties.get('Tags') or [])
    if flag(properties.get('PropagateTagsToVolumeOnCreation')):
        specifications.append({'ResourceType': 'volume', 'Tags': tags})
    merged['TagSpecifications'] = specifications
    instance = launch(merged, properties.get('SubnetId'), tags)
    instance_id = str(instance['InstanceId'])
    until(lambda: instance['State']['Name'] == 'running', f'{instance_id} running')
    instance['SourceDestCheck'] = flag(properties.get('SourceDestCheck'), default=True)
    for volume in properties.get('Volumes') or []:
        ec2.call('AttachVolume', {**volume, 'InstanceId': instance_id})
    return instance_id, _instance_attributes(instance_id)


def _place_in_network(merged: dict[str, Any], properties: Properties) -> None:
    listed = [dict(one) for one in properties.get('NetworkInterfaces') or merged.get('NetworkInterfaces') or []]
    for one in listed:
        if 'GroupSet' in one:
            one['Groups'] = one.pop('GroupSet')
    groups = properties.get('SecurityGroupIds')
    if properties.get('PrivateIpAddress'):
        listed = [{'PrivateIpAddress': properties['PrivateIpAddress'], 'Groups': groups}]
        groups = None
    if listed:
        merged['NetworkInterfaces'] = listed
    if groups:
        merged['SecurityGroupIds'] = list(groups)


def _update_instance(instance_id: str, old: Properties, new: Properties, stack: str) -> Made:
    changed = {key for key in set(old) | set(new) if old.get(key) != new.get(key)}
    simple = {'DisableApiTermination', 'SourceDestCheck', 'Tags', 'SecurityGroupIds', 'Monitoring'}
    if changed - simple:
        raise Refused(
            'UnsupportedOperation',
            f'updating {", ".join(sorted(changed - simple))} in place is not implemented',
        )
    request: dict[str, Any] = {'InstanceId': instance_id}
    for key in changed & {'DisableApiTermination', 'SourceDestCheck'}:
        request[key] = {'Value': new.get(key, key == 'SourceDestCheck')}
    if 'SecurityGroupIds' in changed:
        request['GroupId'] = list(new.get('SecurityGroupIds') or [])
    ec2.call('ModifyInstanceAttribute', request)
    set_tags(instance_id, list(new.get('Tags') or []))
    return instance_id, _instance_attributes(instance_id)


def _instance_attributes(instance_id: str) -> dict[str, Any]:
    record = instance_record(instance_id)
    return {
        'InstanceId': instance_id,
        'PrivateIp': record['PrivateIpAddress'],
        'PrivateDnsName': record['PrivateDnsName'],
        'PublicIp': record['PublicIpAddress'],
        'PublicDnsName': record['PublicDnsName'],
        'AvailabilityZone': record['Placement']['AvailabilityZone'],
        'VpcId': record['VpcId'],
    }


def _delete_instance(instance_id: str, properties: Properties) -> None:
    try:
        ec2.call('TerminateInstances', {'InstanceId': [instance_id]})
    except Refused as refused:
        if refused.code == 'InvalidInstanceID.NotFound':
            return
        raise
    # An instance that EC2 knows no more was terminated long ago.
    until(lambda: _state(instance_id) in (None, 'terminated'), f'{instance_id} terminated')
    until(lambda: not interfaces.attached_to(instance_id), f'{instance_id} letting go of its interfaces')


def _state(instance_id: str) -> str | None:
    instance = ministack_ec2._instances.get(instance_id)
    return str(instance['State']['Name']) if instance else None


def install() -> None:
    """Register the type."""
    register(
        ResourceType(
            'AWS::EC2::Instance',
            _create_instance,
            _delete_instance,
            _INSTANCE_AS_IS | _INSTANCE_MORE,
            _update_instance,
            replacing=frozenset(
                [
                    'AvailabilityZone',
                    'ImageId',
                    'KeyName',
                    'LaunchTemplate',
                    'NetworkInterfaces',
                    'PrivateIpAddress',
                    'SubnetId',
                    'BlockDeviceMappings',
                ]
            ),
        )
    )
