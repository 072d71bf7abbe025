"""EFS takes time and says no: ministack's file systems and mount targets are available at once and accept anything.

Values: EFS API reference, "CreateFileSystem", "CreateMountTarget".
"""

import json
from collections.abc import Callable
from typing import Any

from ministack.services import ec2 as ministack_ec2
from ministack.services import efs

from . import clock, history, settings, signals
from .ec2 import interfaces
from .ec2.interfaces import drop_interfaces
from .ec2.state import LOCK
from .query import Answer, Refused
from .scope import in_scope

MOST_PROVISIONED = 3414
"""MiB/s"""
_CONFLICTS = {'InvalidIPAddress.InUse': 'IpAddressInUse', 'InvalidSubnetID.NotFound': 'SubnetNotFound'}
_own: dict[str, Callable[..., Answer]] = {}


def install() -> None:
    """Put the states and refusals in front of ministack's functions."""
    for name, ours in (
        ('_create_file_system', _create_file_system),
        ('_delete_file_system', _delete_file_system),
        ('_create_mount_target', _create_mount_target),
        ('_delete_mount_target', _delete_mount_target),
        ('_create_access_point', _create_access_point),
    ):
        _own[name] = getattr(efs, name)
        setattr(efs, name, ours)


def _refusal(body: dict[str, Any]) -> str | None:
    mode, throughput = body.get('PerformanceMode', 'generalPurpose'), body.get('ThroughputMode', 'bursting')
    provisioned = body.get('ProvisionedThroughputInMibps')
    if mode not in ('generalPurpose', 'maxIO') or throughput not in ('bursting', 'provisioned', 'elastic'):
        return f'PerformanceMode {mode} or ThroughputMode {throughput} is not valid'
    if mode == 'maxIO' and (throughput == 'elastic' or body.get('AvailabilityZoneName')):
        return 'maxIO is not available with elastic throughput, nor for One Zone file systems'
    if (throughput == 'provisioned') != (provisioned is not None):
        return 'ProvisionedThroughputInMibps is for ThroughputMode provisioned, which needs it'
    if provisioned is not None and not 1 <= float(provisioned) <= MOST_PROVISIONED:
        return f'ProvisionedThroughputInMibps is {provisioned}; valid values: 1 to {MOST_PROVISIONED}'
    if body.get('KmsKeyId') and not body.get('Encrypted'):
        return 'KmsKeyId needs Encrypted'
    return None


def _create_file_system(body: dict[str, Any]) -> Answer:
    problem = _refusal(body)
    if problem:
        return _error(400, 'BadRequest', problem)
    before = set(efs._file_systems)
    answer = _own['_create_file_system'](body)
    return _creating(answer, efs._file_systems, 'FileSystemId', 'efs-file-system', before)


def _delete_file_system(identity: str) -> Answer:
    answer = _own['_delete_file_system'](identity)
    if answer[0] < 400:
        signals.publish('file-system-gone', file_system=identity)
    return answer


def _create_mount_target(body: dict[str, Any]) -> Answer:
    """The mount target's interface is a real one: it takes an address, and its subnet cannot be deleted."""
    if len(body.get('SecurityGroups') or []) > 5:
        return _error(400, 'SecurityGroupLimitExceeded', 'a mount target has at most 5 security groups')
    with LOCK:
        try:
            made = interfaces.new_interface(
                str(body.get('SubnetId')),
                address=body.get('IpAddress'),
                groups=list(body.get('SecurityGroups') or []),
                description=f'EFS mount target for {body.get("FileSystemId")}',
                kind='efs',
            )
        except Refused as refused:
            code = _CONFLICTS.get(refused.code, 'SecurityGroupNotFound' if 'Group' in refused.code else 'BadRequest')
            return _error(409 if code == 'IpAddressInUse' else 400, code, refused.message)
        identity = made['NetworkInterfaceId']
        before = set(efs._mount_targets)
        answer = _own['_create_mount_target']({**body, 'IpAddress': made['PrivateIpAddress']})
        if answer[0] >= 400:
            drop_interfaces([identity])
            return answer
        made['Status'] = 'in-use'
        target = next(one for key, one in efs._mount_targets.items() if key not in before)
        target['NetworkInterfaceId'] = identity
    told = (answer[0], answer[1], json.dumps({**json.loads(answer[2]), 'NetworkInterfaceId': identity}).encode())
    return _creating(told, efs._mount_targets, 'MountTargetId', 'efs-mount-target', before)


def _delete_mount_target(identity: str) -> Answer:
    target = efs._mount_targets.get(identity)
    if target is None:
        return _own['_delete_mount_target'](identity)
    if target['LifeCycleState'] == 'deleting':
        return 204, {}, b''
    _move('efs-mount-target', identity, target, 'deleting')

    def gone() -> None:
        _own['_delete_mount_target'](identity)
        history.record('efs-mount-target', identity, 'deleting', 'deleted')
        with LOCK:
            if target['NetworkInterfaceId'] in ministack_ec2._network_interfaces:
                drop_interfaces([target['NetworkInterfaceId']])

    clock.after(settings.delays().efs, in_scope(gone))
    return 204, {}, b''


def _create_access_point(body: dict[str, Any]) -> Answer:
    system = efs._file_systems.get(efs._fs_id_from(body.get('FileSystemId')))
    if system is not None and system['LifeCycleState'] != 'available':
        message = f"File system '{system['FileSystemId']}' is in the {system['LifeCycleState']} state."
        return _error(409, 'IncorrectFileSystemLifeCycleState', message)
    before = set(efs._access_points)
    answer = _own['_create_access_point'](body)
    return _creating(answer, efs._access_points, 'AccessPointId', 'efs-access-point', before)


def _creating(answer: Answer, store: Any, key: str, kind: str, before: set[str]) -> Answer:
    """What was just made is not there yet. A repetition (CreationToken) made nothing."""
    if answer[0] >= 400:
        return answer
    data = json.loads(answer[2])
    identity = data[key]
    if identity in before:
        return answer
    record = store[identity]
    record['LifeCycleState'] = None
    _move(kind, identity, record, 'creating')
    clock.after(settings.delays().efs, in_scope(lambda: _finish(kind, identity, record)))
    return answer[0], answer[1], json.dumps({**data, 'LifeCycleState': 'creating'}).encode()


def _finish(kind: str, identity: str, record: dict[str, Any]) -> None:
    if record['LifeCycleState'] == 'creating':
        _move(kind, identity, record, 'available')


def _move(kind: str, identity: str, record: dict[str, Any], state: str) -> None:
    history.record(kind, identity, record['LifeCycleState'], state)
    record['LifeCycleState'] = state


def _error(status: int, code: str, message: str) -> Answer:
    found: Answer = efs._error(status, code, message)
    return found
