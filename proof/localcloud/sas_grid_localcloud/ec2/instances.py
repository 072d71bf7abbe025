"""EC2 instances: describe, stop, start, reboot, terminate."""

from collections.abc import Mapping
from typing import Any

from ministack.services import ec2

from .. import clock, history, settings, signals
from ..faults import hangs
from ..query import Refused, flag
from ..scope import in_scope
from . import impairment, interfaces, spot
from .describing import Fields, choose, page
from .instance_view import reservation, shown, status, volumes_of
from .lagging import as_seen
from .launch import booted
from .state import LOCK, Record, instance_record
from .transitions import CODES, set_instance_state


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
