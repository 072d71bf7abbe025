"""Instance refreshes: all members of a group are replaced, as many at a time as its percentages allow.

EC2 Auto Scaling API reference, "RefreshPreferences", and user guide, "How an instance refresh works in an Auto Scaling
group" (read 2026-11): with a minimum healthy percentage of 100, or where the percentages leave no room and a maximum
was named, a replacement is launched before a member is terminated; without a maximum both begin at the same time, for
one member at least. A refresh that gets nowhere fails after an hour.
"""

import math
import time
import uuid
from collections.abc import Mapping
from typing import Any

from .. import events, history, settings
from ..ec2.describing import page
from ..ec2.launch_templates import resolve_template
from ..ec2.state import LOCK, Record
from ..query import Refused, flag, integer
from .state import GONE, group_record, policy_order, timestamp

_ACTIVE = ('Pending', 'InProgress', 'Cancelling')
_KNOWN = {
    'MinHealthyPercentage',
    'MaxHealthyPercentage',
    'InstanceWarmup',
    'ScaleInProtectedInstances',
    'StandbyInstances',
    'SkipMatching',
    'AutoRollback',
}
_PROTECTED = ('Refresh', 'Ignore', 'Wait')


def start(request: Mapping[str, Any]) -> dict[str, Any]:
    """StartInstanceRefresh."""
    with LOCK:
        group = group_record(request.get('AutoScalingGroupName'))
        if _active(group) is not None:
            raise Refused(
                'InstanceRefreshInProgress', 'An Instance Refresh is already in progress and blocks the execution.'
            )
        if request.get('Strategy') not in (None, 'Rolling'):
            raise Refused('ValidationError', f'Strategy {request["Strategy"]} is not implemented by the embedded AWS')
        preferences = _preferences(request.get('Preferences') or {}, group)
        members = [one['InstanceId'] for one in group['Instances'] if one['LifecycleState'] not in GONE]
        refresh = {
            'id': str(uuid.uuid4()),
            'status': 'Pending',
            'reason': None,
            'started': timestamp(),
            'ended': None,
            'preferences': preferences,
            'template': _template(request.get('DesiredConfiguration') or {}),
            'old': members,
            'left': list(members),
            'updated': 0,
            'progress_at': time.monotonic(),
            'wait': True,
        }
        group.setdefault('_refreshes', []).insert(0, refresh)
        _tell(group, refresh, 'Started')
    return {'InstanceRefreshId': refresh['id']}


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeInstanceRefreshes, the newest first."""
    with LOCK:
        group = group_record(request.get('AutoScalingGroupName'))
        wanted = request.get('InstanceRefreshIds') or []
        found = [one for one in group.get('_refreshes', []) if not wanted or one['id'] in wanted]
        chosen, token = page(found, {'MaxResults': request.get('MaxRecords'), 'NextToken': request.get('NextToken')})
        return {'InstanceRefreshes': [_shown(group, one) for one in chosen], 'NextToken': token}


def cancel(request: Mapping[str, Any]) -> dict[str, Any]:
    """CancelInstanceRefresh: what was replaced stays replaced."""
    with LOCK:
        group = group_record(request.get('AutoScalingGroupName'))
        refresh = _active(group)
        if refresh is None or refresh['status'] == 'Cancelling':
            raise Refused(
                'ActiveInstanceRefreshNotFound', 'No in progress or pending Instance Refresh found for this group.'
            )
        refresh['wait'] = flag(request.get('WaitForTransitioningInstances'), True)
        _move(group, refresh, 'Cancelling')
    return {'InstanceRefreshId': refresh['id']}


def launch_template(group: Record) -> Record:
    """What the group launches from now: during a refresh with a desired configuration that one."""
    refresh = _active(group)
    found: Record = (refresh and refresh['template']) or group['LaunchTemplate']
    return found


def due(group: Record) -> list[Record]:
    """Brings the group's refresh forward. The members that are to be terminated now. The lock is held."""
    refresh = _active(group)
    if refresh is None:
        return []
    if refresh['status'] == 'Pending':
        _move(group, refresh, 'InProgress')
        return []
    live = [one for one in group['Instances'] if one['LifecycleState'] not in GONE]
    ready = [one for one in live if _ready(one, refresh)]
    _note_progress(refresh, live, ready)
    if refresh['status'] == 'Cancelling':
        if not refresh['wait'] or len(ready) == len(group['Instances']):
            _end(group, refresh, 'Cancelled', 'Cancelled by user request')
        return []
    if not refresh['left'] and len(ready) >= group['DesiredCapacity']:
        if refresh['template']:
            group['LaunchTemplate'] = refresh['template']
        _end(group, refresh, 'Successful', None)
        return []
    if time.monotonic() - refresh['progress_at'] > settings.delays().refresh_stuck:
        _end(group, refresh, 'Failed', refresh['reason'] or 'The replacements do not come into service in time.')
        return []
    return _chosen(group, refresh, live, ready)


def extra(group: Record) -> int:
    """How many members the group may have beyond what is desired, now."""
    refresh = _active(group)
    if refresh is None or refresh['status'] != 'InProgress':
        return 0
    return min(_launched_first(group, refresh), len(refresh['left']))


def _chosen(group: Record, refresh: Record, live: list[Record], ready: list[Record]) -> list[Record]:
    candidates = [one for one in policy_order(group, live) if one['InstanceId'] in refresh['left']]
    protected = [one for one in candidates if one['ProtectedFromScaleIn']]
    how = refresh['preferences']['ScaleInProtectedInstances']
    refresh['reason'] = None
    if protected and how != 'Refresh':
        candidates = [one for one in candidates if one not in protected]
        if how == 'Ignore':
            refresh['left'] = [one['InstanceId'] for one in candidates]
        elif not candidates:
            refresh['reason'] = 'Instances that are protected from scale in have to be replaced.'
    least = math.ceil(group['DesiredCapacity'] * refresh['preferences']['MinHealthyPercentage'] / 100)
    if not _launched_first(group, refresh):
        # One at least: the percentages alone would allow none in a small group.
        least = min(least, group['DesiredCapacity'] - 1)
    room = len(ready) - least
    chosen = []
    for one in candidates:
        if one in ready and room <= 0:
            continue
        room -= one in ready
        chosen.append(one)
        refresh['left'].remove(one['InstanceId'])
    return chosen


def _launched_first(group: Record, refresh: Record) -> int:
    """How many replacements come before a member goes; 0 when both begin at once."""
    desired, least = group['DesiredCapacity'], refresh['preferences']['MinHealthyPercentage']
    most = refresh['preferences']['MaxHealthyPercentage']
    more = max(0, desired * most // 100 - desired) if most is not None else 0
    no_room = most is not None and math.ceil(desired * least / 100) >= desired
    return max(more, 1) if least == 100 or no_room else more


def _ready(member: Record, refresh: Record) -> bool:
    if member['LifecycleState'] != 'InService' or member['HealthStatus'] != 'Healthy':
        return False
    return time.monotonic() - float(member.get('_in_service_at', 0)) >= refresh['preferences']['InstanceWarmup']


def _note_progress(refresh: Record, live: list[Record], ready: list[Record]) -> None:
    there = [one['InstanceId'] for one in live]
    left = [one for one in refresh['left'] if one in there]
    updated = sum(one['InstanceId'] not in refresh['old'] for one in ready)
    if updated > refresh['updated']:
        refresh['progress_at'] = time.monotonic()
    refresh['left'], refresh['updated'] = left, max(updated, refresh['updated'])


def _active(group: Record) -> Record | None:
    newest: list[Record] = group.get('_refreshes', [])[:1]
    return newest[0] if newest and newest[0]['status'] in _ACTIVE else None


def _preferences(given: Mapping[str, Any], group: Record) -> dict[str, Any]:
    unknown = sorted(set(given) - _KNOWN)
    unknown += [name for name in ('SkipMatching', 'AutoRollback') if flag(given.get(name))]
    if unknown:
        raise Refused('ValidationError', f'{", ".join(unknown)} is not implemented by the embedded AWS')
    least = _within(given, 'MinHealthyPercentage', 0, 100)
    most = _within(given, 'MaxHealthyPercentage', 100, 200)
    if most is not None and least is None:
        raise Refused('ValidationError', 'MaxHealthyPercentage requires MinHealthyPercentage')
    if most is not None and least is not None and most - least > 100:
        raise Refused(
            'ValidationError', 'The difference between MaxHealthyPercentage and MinHealthyPercentage is more than 100'
        )
    warmup = integer(given.get('InstanceWarmup'), 'InstanceWarmup')
    if warmup is None:
        warmup = int(group.get('_default_warmup') or group['HealthCheckGracePeriod'])
    protected = str(given.get('ScaleInProtectedInstances') or 'Wait')
    if protected not in _PROTECTED:
        raise Refused('ValidationError', f'ScaleInProtectedInstances: {protected}; allowed: {", ".join(_PROTECTED)}')
    return {
        'MinHealthyPercentage': 90 if least is None else least,
        'MaxHealthyPercentage': most,
        'InstanceWarmup': warmup,
        'ScaleInProtectedInstances': protected,
        'StandbyInstances': str(given.get('StandbyInstances') or 'Wait'),
        'SkipMatching': False,
        'AutoRollback': False,
    }


def _within(given: Mapping[str, Any], name: str, least: int, most: int) -> int | None:
    found = integer(given.get(name), name)
    if found is not None and not least <= found <= most:
        raise Refused('ValidationError', f'{name} is {found}; allowed: {least} to {most}')
    return found


def _template(configuration: Mapping[str, Any]) -> Record | None:
    other = sorted(set(configuration) - {'LaunchTemplate'})
    if other:
        raise Refused('ValidationError', f'{", ".join(other)} is not implemented by the embedded AWS')
    if not configuration:
        return None
    resolve_template(configuration['LaunchTemplate'])
    return {'Version': '$Default', **configuration['LaunchTemplate']}


def _shown(group: Record, refresh: Record) -> dict[str, Any]:
    total = len(refresh['old'])
    done = total if refresh['status'] == 'Successful' else min(refresh['updated'], total)
    return {
        'InstanceRefreshId': refresh['id'],
        'AutoScalingGroupName': group['AutoScalingGroupName'],
        'Status': refresh['status'],
        'StatusReason': refresh['reason'],
        'StartTime': refresh['started'],
        'EndTime': refresh['ended'],
        'PercentageComplete': 100 * done // total if total else 100,
        'InstancesToUpdate': total - done,
        'Preferences': refresh['preferences'],
        'DesiredConfiguration': {'LaunchTemplate': refresh['template']} if refresh['template'] else None,
        'Strategy': 'Rolling',
    }


def _end(group: Record, refresh: Record, status: str, reason: str | None) -> None:
    refresh['ended'], refresh['reason'] = timestamp(), reason
    _move(group, refresh, status)
    _tell(group, refresh, {'Successful': 'Succeeded'}.get(status, status))


def _move(group: Record, refresh: Record, status: str) -> None:
    name = group['AutoScalingGroupName']
    history.record('instance-refresh', refresh['id'], refresh['status'], status, group=name)
    refresh['status'] = status


def _tell(group: Record, refresh: Record, what: str) -> None:
    detail = {'InstanceRefreshId': refresh['id'], 'AutoScalingGroupName': group['AutoScalingGroupName']}
    title = f'EC2 Auto Scaling Instance Refresh {what}'
    events.emit('aws.autoscaling', title, detail, [group['AutoScalingGroupARN']])
