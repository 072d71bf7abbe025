"""Attributes of EC2 instances that are changed while they are there."""

from collections.abc import Mapping
from typing import Any

from ..query import Refused, flag
from . import interfaces
from .instance_view import metadata_options
from .state import LOCK, instance_record
from .volume_attachments import outlive_or_not

_WHILE_STOPPED = ('UserData', 'InstanceType', 'EbsOptimized')
"""EC2 API reference, ModifyInstanceAttribute: the instance has to be stopped for these."""


def modify_attribute(request: Mapping[str, Any]) -> dict[str, Any]:
    """ModifyInstanceAttribute: protections, source/destination check, groups, volumes that go with the instance, and of
    a stopped one its user data and type."""
    with LOCK:
        instance = instance_record(str(request.get('InstanceId')))
        if request.get('Attribute'):
            request = {
                **request,
                request['Attribute'][0].upper() + request['Attribute'][1:]: request.get('Value'),
            }
        for name in ('DisableApiTermination', 'DisableApiStop', 'SourceDestCheck'):
            if name in request:
                value = request[name]
                instance[name] = flag(value['Value'] if isinstance(value, Mapping) else value)
        for name in _WHILE_STOPPED:
            if name in request:
                if instance['State']['Name'] != 'stopped':
                    raise Refused(
                        'IncorrectInstanceState',
                        f"The instance '{instance['InstanceId']}' is not in the 'stopped' state.",
                    )
                value = request[name]
                value = value['Value'] if isinstance(value, Mapping) else value
                instance[name] = flag(value) if name == 'EbsOptimized' else str(value or '')
        if request.get('InstanceInitiatedShutdownBehavior'):
            value = request['InstanceInitiatedShutdownBehavior']
            instance['InstanceInitiatedShutdownBehavior'] = value['Value'] if isinstance(value, Mapping) else value
        if request.get('GroupId'):
            primary = interfaces.attached_to(instance['InstanceId'])[0]
            primary['Groups'] = interfaces.security_groups(request['GroupId'], instance['VpcId'])
            instance['SecurityGroups'] = primary['Groups']
        outlive_or_not(instance, request.get('BlockDeviceMapping') or [])
    return {'return': True}


def modify_metadata_options(request: Mapping[str, Any]) -> dict[str, Any]:
    """ModifyInstanceMetadataOptions."""
    with LOCK:
        instance = instance_record(str(request.get('InstanceId')))
        for name in ('HttpTokens', 'HttpPutResponseHopLimit', 'HttpEndpoint'):
            if name in request:
                instance['MetadataOptions'][name] = request[name]
        options = metadata_options(instance)
    return {'instanceId': instance['InstanceId'], 'instanceMetadataOptions': options}
