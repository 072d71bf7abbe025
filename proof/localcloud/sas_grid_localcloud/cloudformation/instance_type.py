"""AWS::EC2::Instance, which ministack's CloudFormation lacks."""

from typing import Any

from ministack.services import ec2 as ministack_ec2

from .. import ec2
from ..ec2 import interfaces
from ..ec2.launch import launch, profile_of
from ..ec2.launch_templates import merge
from ..ec2.state import LOCK, instance_record, set_tags
from ..query import Refused, flag
from .registry import Made, Properties, ResourceType, register
from .waiting import until

_STOP_SECONDS = 600.0
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


_WITH_INTERRUPTION = frozenset({'UserData', 'InstanceType', 'EbsOptimized'})
"""Template reference, AWS::EC2::Instance: "Some interruptions" where the root device is an EBS volume, as with all
images of the embedded AWS; its schema has them among conditionalCreateOnlyProperties. The instance is stopped, changed
and started: another boot of the same machine, on which cloud-init does not run user data again."""
_WITHOUT_INTERRUPTION = {
    'DisableApiTermination': False,
    'SourceDestCheck': True,
    'InstanceInitiatedShutdownBehavior': 'stop',
}
_ELSEWHERE = frozenset(
    {'BlockDeviceMappings', 'IamInstanceProfile', 'MetadataOptions', 'Monitoring', 'SecurityGroupIds', 'Tags'}
)
_AT_LAUNCH = frozenset({'PropagateTagsToVolumeOnCreation'})
"""Not among createOnlyProperties of the schema, and about the launch only: an instance that is there stays as it is."""


def _update_instance(instance_id: str, old: Properties, new: Properties, stack: str) -> Made:
    changed = {key for key in set(old) | set(new) if old.get(key) != new.get(key)}
    unknown = sorted(changed - _WITH_INTERRUPTION - set(_WITHOUT_INTERRUPTION) - _ELSEWHERE - _AT_LAUNCH)
    if unknown:
        raise Refused('UnsupportedOperation', f'updating {", ".join(unknown)} in place is not implemented')
    request: dict[str, Any] = {'InstanceId': instance_id}
    for key in changed & set(_WITHOUT_INTERRUPTION):
        request[key] = {'Value': new.get(key, _WITHOUT_INTERRUPTION[key])}
    if 'SecurityGroupIds' in changed:
        request['GroupId'] = list(new.get('SecurityGroupIds') or [])
    if 'BlockDeviceMappings' in changed:
        request['BlockDeviceMapping'] = _outliving(new)
    ec2.call('ModifyInstanceAttribute', request)
    if 'MetadataOptions' in changed:
        ec2.call('ModifyInstanceMetadataOptions', {'InstanceId': instance_id, **(new.get('MetadataOptions') or {})})
    record = instance_record(instance_id)
    if 'Monitoring' in changed:
        record['Monitoring'] = {'State': 'enabled' if flag(new.get('Monitoring')) else 'disabled'}
    if 'IamInstanceProfile' in changed:
        _change_profile(instance_id, new.get('IamInstanceProfile'))
    set_tags(instance_id, list(new.get('Tags') or []))
    if changed & _WITH_INTERRUPTION:
        _change_while_stopped(instance_id, {key: new.get(key) for key in changed & _WITH_INTERRUPTION})
    return instance_id, _instance_attributes(instance_id)


def _change_while_stopped(instance_id: str, values: dict[str, Any]) -> None:
    ran = _state(instance_id) in ('pending', 'running')
    # A machine that stands still, or whose shutdown hangs, takes as long as it does.
    ec2.call('StopInstances', {'InstanceId': [instance_id]})
    until(lambda: _state(instance_id) == 'stopped', f'{instance_id} stopped', _STOP_SECONDS)
    for key, value in values.items():
        ec2.call('ModifyInstanceAttribute', {'InstanceId': instance_id, key: {'Value': value}})
    if ran:
        ec2.call('StartInstances', {'InstanceId': [instance_id]})
        until(lambda: _state(instance_id) == 'running', f'{instance_id} running')


def _outliving(properties: Properties) -> list[dict[str, Any]]:
    return [
        {'DeviceName': one['DeviceName'], 'Ebs': {'DeleteOnTermination': one['Ebs'].get('DeleteOnTermination', True)}}
        for one in properties.get('BlockDeviceMappings') or []
        if one.get('Ebs')
    ]


def _change_profile(instance_id: str, name: Any) -> None:
    with LOCK:
        former = ministack_ec2._find_active_iam_instance_profile_association(instance_id)
        if former:
            ministack_ec2._mark_iam_instance_profile_association_disassociated(former)
        profile = profile_of({'Name': name} if name else None)
        if profile:
            ministack_ec2._upsert_iam_instance_profile_association(instance_id, profile)


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
        )
    )
