"""EC2 instances: run, describe, stop, start, reboot, terminate."""

from collections.abc import Mapping
from typing import Any

from ministack.services import ec2

from .. import clock, history, settings, signals
from ..faults import hangs
from ..query import Refused, flag, integer
from ..scope import in_scope
from . import impairment, interfaces, spot
from .describing import Fields, choose, page
from .idempotency import once
from .instance_view import metadata_options, reservation, shown, status, volumes_of
from .lagging import as_seen
from .launch import booted, launch
from .launch_templates import merge
from .state import LOCK, Record, dict_of, instance_record
from .transitions import CODES, set_instance_state
from .volume_attachments import outlive_or_not


def _monitoring_on(instance: Record) -> str:
    return str(instance['Monitoring']['State'])


FILTERS: Fields = {
    'instance-id': lambda i: [i['InstanceId']],
    'instance-state-name': lambda i: [i['State']['Name']],
    'instance-state-code': lambda i: [str(i['State']['Code'])],
    'instance-type': lambda i: [i['InstanceType']],
    'image-id': lambda i: [i['ImageId']],
    'vpc-id': lambda i: [i['VpcId']],
    'subnet-id': lambda i: [i['SubnetId']],
    'availability-zone': lambda i: [i['Placement']['AvailabilityZone']],
    'placement-group-name': lambda i: [i['Placement']['GroupName']],
    'private-ip-address': lambda i: [i['PrivateIpAddress']],
    'private-dns-name': lambda i: [i['PrivateDnsName']],
    'instance.group-id': lambda i: [group['GroupId'] for group in i['SecurityGroups']],
    'iam-instance-profile.arn': lambda i: [i['IamInstanceProfile']['Arn']] if i['IamInstanceProfile'] else [],
    'monitoring-state': lambda i: [_monitoring_on(i)],
    'network-interface.network-interface-id': lambda i: [
        one['NetworkInterfaceId'] for one in interfaces.attached_to(i['InstanceId'], as_seen)
    ],
    'network-interface.addresses.private-ip-address': lambda i: [
        one['PrivateIpAddress'] for one in interfaces.attached_to(i['InstanceId'], as_seen)
    ],
    'block-device-mapping.volume-id': lambda i: [volume['VolumeId'] for volume, _ in volumes_of(i, as_seen)],
}

STATUS_FILTERS: Fields = {
    **FILTERS,
    'instance-status.status': lambda i: [status(i)['instanceStatus']['status']],
    'system-status.status': lambda i: [status(i)['systemStatus']['status']],
}

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


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeInstances."""
    with LOCK:
        found = _choose(request, request.get('InstanceId') or [])
        chosen, token = page(found, request)
        answer = [{**reservation(one), 'instancesSet': [shown(one, as_seen)]} for one in chosen]
    return {'reservationSet': answer, 'nextToken': token}


def describe_status(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeInstanceStatus."""
    with LOCK:
        found = _choose(request, request.get('InstanceId') or [], STATUS_FILTERS)
        if not flag(request.get('IncludeAllInstances')):
            found = [one for one in found if one['State']['Name'] == 'running']
        chosen, token = page(found, request)
        return {'instanceStatusSet': [status(one) for one in chosen], 'nextToken': token}


def terminate(request: Mapping[str, Any]) -> dict[str, Any]:
    """TerminateInstances. Volumes stay attached until the instance is terminated."""
    with LOCK:
        found = [instance_record(one) for one in request.get('InstanceId') or []]
        for one in found:
            if one['DisableApiTermination']:
                raise Refused(
                    'OperationNotPermitted',
                    f"The instance '{one['InstanceId']}' may not be terminated. "
                    "Modify its 'disableApiTermination' instance attribute and try again.",
                )
        return {'instancesSet': [_change(one, start_terminating) for one in found]}


def start_terminating(instance: Record) -> None:
    """Begin to shut the instance down for good. The lock is held."""
    if instance['State']['Name'] in ('shutting-down', 'terminated'):
        return
    set_instance_state(instance, 'shutting-down')
    seconds = settings.delays().shutdown + _late(instance)
    clock.after(seconds, in_scope(lambda: _end(instance, 'shutting-down', 'terminated')))


def stop(request: Mapping[str, Any]) -> dict[str, Any]:
    """StopInstances."""
    with LOCK:
        found = [instance_record(one) for one in request.get('InstanceId') or []]
        for one in found:
            if one['State']['Name'] not in ('pending', 'running', 'stopping', 'stopped'):
                raise _not_in(one, 'stopped')
            if one['DisableApiStop']:
                raise Refused('OperationNotPermitted', f"The instance '{one['InstanceId']}' may not be stopped.")
            spot.refuse_stop(one)
        return {'instancesSet': [_change(one, _start_stopping) for one in found]}


def start(request: Mapping[str, Any]) -> dict[str, Any]:
    """StartInstances."""
    with LOCK:
        found = [instance_record(one) for one in request.get('InstanceId') or []]
        for one in found:
            if one['State']['Name'] not in ('stopped', 'pending', 'running'):
                raise _not_in(one, 'started')
        return {'instancesSet': [_change(one, _start_starting) for one in found]}


def reboot(request: Mapping[str, Any]) -> dict[str, Any]:
    """RebootInstances: the state stays running, the host starts again with the disks that it has."""
    with LOCK:
        found = [instance_record(one) for one in request.get('InstanceId') or []]
        for one in found:
            if one['State']['Name'] != 'running':
                raise _not_in(one, 'rebooted')
        for one in found:
            history.record('instance', one['InstanceId'], 'running', 'running', reason='reboot')
            signals.publish('instance-rebooted', instance_id=one['InstanceId'])
    return {'return': True}


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


def _choose(request: Mapping[str, Any], ids: list[str], fields: Fields = FILTERS) -> list[Record]:
    records = [as_seen(one) for one in ec2._instances.values()]
    for one in ids:
        instance_record(one)
    return choose(
        records,
        request,
        key='InstanceId',
        ids=ids,
        fields=fields,
        missing=lambda one: Refused('InvalidInstanceID.NotFound', f"The instance ID '{one}' does not exist"),
    )


def _change(instance: Record, begin: Any) -> dict[str, Any]:
    before = dict(instance['State'])
    begin(instance)
    after = instance['State']
    return {
        'instanceId': instance['InstanceId'],
        'currentState': {'code': after['Code'], 'name': after['Name']},
        'previousState': {'code': CODES[before['Name']], 'name': before['Name']},
    }


def _start_stopping(instance: Record) -> None:
    if instance['State']['Name'] in ('pending', 'running'):
        set_instance_state(instance, 'stopping')
        seconds = settings.delays().stop + _late(instance)
        clock.after(seconds, in_scope(lambda: _end(instance, 'stopping', 'stopped')))


def _start_starting(instance: Record) -> None:
    if instance['State']['Name'] == 'stopped':
        set_instance_state(instance, 'pending')
        clock.after(settings.delays().boot, in_scope(lambda: booted(instance)))


def _late(instance: Record) -> float:
    """How much longer a shutdown takes: on request, or because nobody in the machine hears of it."""
    hard = settings.delays().hard_shutdown if impairment.stands_still(instance['InstanceId']) else 0.0
    return hard + hangs.extra_seconds(instance['InstanceId'])


def _end(instance: Record, during: str, name: str) -> None:
    with LOCK:
        if instance['State']['Name'] == during:
            set_instance_state(instance, name)


def _not_in(instance: Record, what: str) -> Refused:
    identity, state = instance['InstanceId'], instance['State']['Name']
    return Refused(
        'IncorrectInstanceState',
        f"The instance '{identity}' is not in a state from which it can be {what} ({state}).",
    )
