"""RunInstances: what a request asks for, as a launch template would say it."""

from collections.abc import Mapping
from typing import Any

from ministack.services import ec2

from ..query import Refused, integer
from .idempotency import once
from .instance_view import reservation, shown
from .launch import launch
from .launch_templates import merge
from .state import dict_of

_FROM_REQUEST = (
    'ImageId',
    'InstanceType',
    'KeyName',
    'UserData',
    'IamInstanceProfile',
    'Placement',
    'MetadataOptions',
    'Monitoring',
    'EbsOptimized',
    'DisableApiTermination',
    'DisableApiStop',
    'InstanceInitiatedShutdownBehavior',
    'InstanceMarketOptions',
    'LaunchTemplate',
    'MaintenanceOptions',
    'CreditSpecification',
)
_READ_ELSEWHERE = {
    'Action',
    'Version',
    'MinCount',
    'MaxCount',
    'ClientToken',
    'DryRun',
    'SubnetId',
    'PrivateIpAddress',
    'SecurityGroupId',
    'NetworkInterface',
    'BlockDeviceMapping',
    'TagSpecification',
}


def _run(request: Mapping[str, Any]) -> dict[str, Any]:
    """RunInstances."""
    unknown = sorted(set(request) - set(_FROM_REQUEST) - _READ_ELSEWHERE)
    if unknown:
        raise Refused('UnsupportedOperation', f'{", ".join(unknown)} is not implemented by the embedded AWS')
    least = integer(request.get('MinCount'), 'minCount', 1) or 1
    most = integer(request.get('MaxCount'), 'maxCount', 1) or 1
    if least > most:
        raise Refused('InvalidParameterCombination', 'MinCount must not exceed MaxCount.')
    data = {name: request[name] for name in _FROM_REQUEST if request.get(name)}
    if request.get('SecurityGroupId'):
        data['SecurityGroupIds'] = request['SecurityGroupId']
    if request.get('BlockDeviceMapping'):
        data['BlockDeviceMappings'] = request['BlockDeviceMapping']
    if request.get('TagSpecification'):
        data['TagSpecifications'] = [
            {'ResourceType': one.get('ResourceType'), 'Tags': one.get('Tag') or []}
            for one in request['TagSpecification']
        ]
    listed = [
        {**one, **({'Groups': one['SecurityGroupId']} if 'SecurityGroupId' in one else {})}
        for one in request.get('NetworkInterface') or []
    ]
    if request.get('PrivateIpAddress'):
        listed = [{'PrivateIpAddress': request['PrivateIpAddress'], 'Groups': data.pop('SecurityGroupIds', None)}]
    if listed:
        data['NetworkInterfaces'] = listed
    merged = merge(data)
    started = [launch(merged, request.get('SubnetId')) for _ in range(most)]
    return {**reservation(started[0]), 'instancesSet': [shown(one) for one in started]}


def _show_again(answer: Mapping[str, Any]) -> dict[str, Any]:
    now = [ec2._instances.get(one['instanceId']) for one in answer['instancesSet']]
    shown_now = [
        before if one is None else shown(dict_of(one)) for before, one in zip(answer['instancesSet'], now, strict=True)
    ]
    return {**answer, 'instancesSet': shown_now}


run = once(_run, _show_again)
