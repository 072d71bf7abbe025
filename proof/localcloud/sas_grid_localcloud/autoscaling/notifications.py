"""Notifications of a group: topics that are told of launches and terminations.

EC2 Auto Scaling user guide, "Amazon SNS notification options".
"""

import json
import logging
import queue
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import sns

from ..ec2.state import Record
from ..query import Refused
from ..scope import own_scope

_log = logging.getLogger(__name__)
_pending: queue.SimpleQueue[tuple[str, str, str]] = queue.SimpleQueue()
_start = threading.Lock()
_thread: threading.Thread | None = None

TYPES = {
    'EC2 Instance Launch Successful': 'autoscaling:EC2_INSTANCE_LAUNCH',
    'EC2 Instance Launch Unsuccessful': 'autoscaling:EC2_INSTANCE_LAUNCH_ERROR',
    'EC2 Instance Terminate Successful': 'autoscaling:EC2_INSTANCE_TERMINATE',
    'EC2 Instance Terminate Unsuccessful': 'autoscaling:EC2_INSTANCE_TERMINATE_ERROR',
}
_TEST = 'autoscaling:TEST_NOTIFICATION'


def put(group: Record, configurations: Iterable[Mapping[str, Any]]) -> None:
    """What the group's template says of notifications; a topic that is new is told that it works."""
    wanted: dict[str, list[str]] = {}
    for one in configurations:
        topics = one.get('TopicARN')
        for topic in topics if isinstance(topics, list) else [topics]:
            if topic not in sns._topics:
                raise Refused('ValidationError', f'topic {topic} does not exist')
            kinds = [str(kind) for kind in one.get('NotificationTypes') or TYPES.values()]
            unknown = set(kinds) - {*TYPES.values(), _TEST}
            if unknown:
                raise Refused('ValidationError', f'{", ".join(sorted(unknown))} is no type of a notification')
            wanted[str(topic)] = kinds
    before = group.get('_notifications') or {}
    group['_notifications'] = wanted
    for topic in wanted:
        if topic not in before:
            _publish(
                topic, f'Auto Scaling: test notification for group "{group["AutoScalingGroupName"]}"', {}, _TEST, group
            )


def tell(group: Record, detail_type: str, detail: Mapping[str, Any]) -> None:
    """An activity of the group has ended."""
    kind = TYPES.get(detail_type)
    for topic, kinds in (group.get('_notifications') or {}).items():
        if kind in kinds:
            subject = f'Auto Scaling: {detail_type[13:].lower()} for group "{group["AutoScalingGroupName"]}"'
            _publish(topic, subject, detail, str(kind), group)


def _publish(topic: str, subject: str, detail: Mapping[str, Any], kind: str, group: Record) -> None:
    global _thread
    message = {
        **detail,
        'Event': kind,
        'Service': 'AWS Auto Scaling',
        'AccountId': get_account_id(),
        'AutoScalingGroupName': group['AutoScalingGroupName'],
        'AutoScalingGroupARN': group['AutoScalingGroupARN'],
    }
    _pending.put((topic, json.dumps(message), subject[:100]))
    with _start:
        if _thread is None:
            _thread = threading.Thread(target=_deliver, name='localcloud-group-notifications', daemon=True)
            _thread.start()


def _deliver() -> None:
    while True:
        topic, message, subject = _pending.get()
        try:
            with own_scope():
                sns.publish_internal(topic, message, subject)
        except Exception:
            _log.exception('a notification of Auto Scaling to %s was not delivered', topic)
