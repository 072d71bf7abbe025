"""Groups and their members, as ministack stores them, and what they remember of activities."""

import time
import uuid
from collections.abc import Iterator
from typing import Any

from ministack.services import autoscaling

from .. import events, history
from ..ec2.state import Record, dict_of
from ..query import Refused
from ..scope import arn
from . import notifications

GONE = ('Terminating', 'Terminating:Wait', 'Terminating:Proceed', 'Terminated')


def groups() -> list[Record]:
    """All groups."""
    return [dict_of(group) for group in autoscaling._asgs.values()]


def group_record(name: Any) -> Record:
    """The group, or Auto Scaling's refusal."""
    group = autoscaling._asgs.get(str(name))
    if group is None:
        raise Refused('ValidationError', f"AutoScalingGroup name not found - AutoScalingGroup '{name}' not found")
    return dict_of(group)


def member_record(instance_id: Any) -> tuple[Record, Record]:
    """The group and the member, or Auto Scaling's refusal."""
    for group, member in members():
        if member['InstanceId'] == instance_id:
            return group, member
    raise Refused(
        'ValidationError', f'Instance Id not found - No managed instance found for instance ID: {instance_id}'
    )


def members() -> Iterator[tuple[Record, Record]]:
    """Every member of every group."""
    for group in groups():
        for member in list(group['Instances']):
            yield group, member


def policy_order(group: Record, found: list[Record]) -> list[Record]:
    """Members in the order in which the group's termination policy gives them up; they are stored as launched.

    EC2 Auto Scaling user guide, "Configure termination policies": it counts in a scale-in and in an instance refresh.
    """
    policy = (group.get('TerminationPolicies') or ['Default'])[0]
    return list(reversed(found)) if policy == 'NewestInstance' else list(found)


def move(group: Record, member: Record, state: str) -> None:
    """The member is in this lifecycle state from now on."""
    before = member.get('LifecycleState')
    member['LifecycleState'] = state
    if state == 'InService':
        member['_in_service_at'] = time.monotonic()
    history.record('lifecycle', member['InstanceId'], before, state, group=group['AutoScalingGroupName'])


def note_activity(
    group: Record,
    detail_type: str,
    description: str,
    status: str,
    member: Record | None = None,
    cause: str = '',
    message: str | None = None,
) -> dict[str, Any]:
    """Remember an activity of the group and send its event."""
    activity = {
        'ActivityId': str(uuid.uuid4()),
        'AutoScalingGroupName': group['AutoScalingGroupName'],
        'Description': description,
        'Cause': cause or f'At {timestamp()} the difference between desired and actual capacity was removed.',
        'StartTime': timestamp(),
        'EndTime': timestamp(),
        'StatusCode': status,
        'StatusMessage': message,
        'Progress': 100,
    }
    group.setdefault('_activities', []).insert(0, activity)
    instance_id = member['InstanceId'] if member else ''
    resources = [group['AutoScalingGroupARN']]
    if member:
        resources.append(arn('ec2', f'instance/{instance_id}'))
    detail = {
        'StatusCode': 'InProgress' if status == 'Successful' else status,
        'AutoScalingGroupName': group['AutoScalingGroupName'],
        'ActivityId': activity['ActivityId'],
        'Details': {'Availability Zone': member['AvailabilityZone'] if member else ''},
        'RequestId': activity['ActivityId'],
        'StatusMessage': activity['StatusMessage'] or '',
        'EndTime': activity['EndTime'],
        'EC2InstanceId': instance_id,
        'StartTime': activity['StartTime'],
        'Cause': activity['Cause'],
        'Description': description,
        'Origin': 'EC2',
        'Destination': 'AutoScalingGroup',
    }
    events.emit('aws.autoscaling', detail_type, detail, resources)
    notifications.tell(group, detail_type, detail)
    return activity


def timestamp() -> str:
    """The time as Auto Scaling writes it."""
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
