"""Lifecycle hooks: actions that hold an instance until they are completed or their time is up."""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from ministack.services import autoscaling

from .. import events, history
from ..ec2.state import LOCK, Record, dict_of
from ..query import Refused

LAUNCHING = 'autoscaling:EC2_INSTANCE_LAUNCHING'
TERMINATING = 'autoscaling:EC2_INSTANCE_TERMINATING'
_LONGEST = 48 * 3600
"""an instance waits so long at most, or 100 heartbeats (model of LifecycleHook, GlobalTimeout)"""

waiting: dict[tuple[str, str, str], Record] = {}
"""Open lifecycle actions by instance, transition and hook name."""


def put_specified(group_name: str, specifications: list[Mapping[str, Any]]) -> None:
    """The hooks of the group's own definition (LifecycleHookSpecificationList) replace those of before."""
    for key, hook in list(autoscaling._hooks.items()):
        if hook['AutoScalingGroupName'] == group_name and hook.get('_from_group'):
            autoscaling._hooks.pop(key, None)
    for one in specifications:
        heartbeat = int(one.get('HeartbeatTimeout') or 3600)
        if not 30 <= heartbeat <= 7200:
            raise Refused('ValidationError', f'HeartbeatTimeout is {heartbeat}; allowed: 30 to 7200 seconds')
        record = autoscaling._hook_record(group_name, one['LifecycleHookName'], one)
        record['_from_group'] = True
        autoscaling._hooks[f'{group_name}/{one["LifecycleHookName"]}'] = record


def begin(group: Record, member: Record, transition: str) -> bool:
    """Open an action for every hook of this transition and send the events; False when there is none."""
    found = [
        dict_of(hook)
        for hook in autoscaling._hooks.values()
        if hook['AutoScalingGroupName'] == group['AutoScalingGroupName'] and hook['LifecycleTransition'] == transition
    ]
    for hook in found:
        now = time.time()
        token = str(uuid.uuid4())
        name = hook['LifecycleHookName']
        waiting[(member['InstanceId'], transition, name)] = {
            'group': group['AutoScalingGroupName'],
            'token': token,
            'heartbeat': float(hook['HeartbeatTimeout']),
            'deadline': now + float(hook['HeartbeatTimeout']),
            'last': now + min(_LONGEST, 100 * float(hook['HeartbeatTimeout'])),
            'default': hook['DefaultResult'],
            'result': None,
        }
        history.record('lifecycle-action', token, None, 'waiting', instance=member['InstanceId'], hook=name)
        _announce(group, member, hook, token)
    return bool(found)


def outcome(member: Record, transition: str) -> str | None:
    """CONTINUE or ABANDON when every action of the transition has ended, else None. Closes them then."""
    mine = {key: one for key, one in waiting.items() if key[0] == member['InstanceId'] and key[1] == transition}
    results = []
    for one in mine.values():
        if one['result'] is None and time.time() > min(one['deadline'], one['last']):
            one['result'] = one['default']
            one['timed_out'] = True
        results.append(one['result'])
    abandoned = 'ABANDON' in results
    if None in results and not abandoned:
        return None
    for key, one in mine.items():
        ended = 'timed-out' if one.get('timed_out') else 'completed'
        history.record('lifecycle-action', one['token'], 'waiting', ended, instance=key[0], result=one['result'])
        waiting.pop(key, None)
    return 'ABANDON' if abandoned else 'CONTINUE'


def forget(instance_id: str) -> None:
    """The instance is gone: its open actions mean nothing any more."""
    for key in [key for key in waiting if key[0] == instance_id]:
        one = waiting.pop(key)
        history.record('lifecycle-action', one['token'], 'waiting', 'gone', instance=instance_id)


def complete(request: Mapping[str, Any]) -> dict[str, Any]:
    """CompleteLifecycleAction."""
    result = request.get('LifecycleActionResult')
    if result not in ('CONTINUE', 'ABANDON'):
        raise Refused('ValidationError', f'LifecycleActionResult is {result}; allowed: CONTINUE, ABANDON')
    with LOCK:
        _open_action(request)['result'] = result
    return {}


def heartbeat(request: Mapping[str, Any]) -> dict[str, Any]:
    """RecordLifecycleActionHeartbeat."""
    with LOCK:
        action = _open_action(request)
        action['deadline'] = time.time() + action['heartbeat']
    return {}


def _open_action(request: Mapping[str, Any]) -> Record:
    token, instance_id = request.get('LifecycleActionToken'), request.get('InstanceId')
    for key, action in waiting.items():
        same_group = action['group'] == request.get('AutoScalingGroupName')
        same_hook = key[2] == request.get('LifecycleHookName')
        named = action['token'] == token if token else key[0] == instance_id
        if same_group and same_hook and named and action['result'] is None:
            return action
    about = f'token {token}' if token else f'instance ID {instance_id}'
    raise Refused('ValidationError', f'No active Lifecycle Action found with {about}')


def _announce(group: Record, member: Record, hook: Record, token: str) -> None:
    launching = hook['LifecycleTransition'] == LAUNCHING
    detail = {
        'LifecycleActionToken': token,
        'AutoScalingGroupName': group['AutoScalingGroupName'],
        'LifecycleHookName': hook['LifecycleHookName'],
        'EC2InstanceId': member['InstanceId'],
        'LifecycleTransition': hook['LifecycleTransition'],
        'Origin': 'EC2' if launching else 'AutoScalingGroup',
        'Destination': 'AutoScalingGroup' if launching else 'EC2',
    }
    if hook.get('NotificationMetadata'):
        detail['NotificationMetadata'] = hook['NotificationMetadata']
    what = 'launch' if launching else 'terminate'
    events.emit('aws.autoscaling', f'EC2 Instance-{what} Lifecycle Action', detail, [group['AutoScalingGroupARN']])
