"""What becomes of an alarm's new state: the history file, EventBridge, and e-mail of its topics."""

from typing import Any

from ministack.services import cloudwatch, sns

from .. import events, history
from ..scope import arn


def install() -> None:
    """Tell of every transition, whoever made it: an evaluation, SetAlarmState, or a child of a composite alarm."""
    own = cloudwatch._record_history

    def record(name: str, old: str, new: str, reason: str, *more: Any, **named: Any) -> None:
        own(name, old, new, reason, *more, **named)
        if old == new:
            return
        history.record('alarm', name, old, new, reason=reason)
        detail = {'alarmName': name, 'state': {'value': new, 'reason': reason}, 'previousState': {'value': old}}
        events.emit('aws.cloudwatch', 'CloudWatch Alarm State Change', detail, [arn('cloudwatch', f'alarm:{name}')])

    cloudwatch._record_history = record
    _record_mail()


def _record_mail() -> None:
    """No mail leaves this machine. The history says what would, and who has not confirmed an address yet."""
    own = sns._fanout

    def fanout(topic_arn: str, message_id: str, message: str, subject: str, *more: Any, **named: Any) -> Any:
        topic = sns._topic_by_arn_any_scope(topic_arn) or {}
        for one in topic.get('subscriptions', []):
            if one.get('protocol') in ('email', 'email-json'):
                became = 'sent' if one.get('confirmed') else 'not confirmed'
                history.record('mail', str(one.get('endpoint')), None, became, topic=topic_arn, subject=subject)
        return own(topic_arn, message_id, message, subject, *more, **named)

    sns._fanout = fanout
