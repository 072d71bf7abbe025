"""Whether a topic lets an alarm tell it: its policy, and that of its key. The alarm's history says what became of it.

SNS developer guide, "Example cases for Amazon SNS access control" and "Key management" (read 2026-11).
"""

import json
from typing import Any

from ministack.core.iam_evaluator import EvalContext, evaluate_resource_policy
from ministack.core.responses import get_account_id, get_region
from ministack.services import cloudwatch, kms, sns

from .. import history

SERVICE = 'cloudwatch.amazonaws.com'
_LISTS = {'ALARM': 'AlarmActions', 'OK': 'OKActions', 'INSUFFICIENT_DATA': 'InsufficientDataActions'}
_KEY_USES = ('kms:Decrypt', 'kms:GenerateDataKey')


def install() -> None:
    """Look at each action before it is carried out."""
    own = cloudwatch._dispatch_alarm_actions

    def dispatch(alarm: dict[str, Any], old: str, new: str, reason: str) -> None:
        name = _LISTS.get(new, '')
        if not alarm.get('ActionsEnabled', True) or not alarm.get(name):
            return
        carried_out = []
        for action in alarm[name]:
            problem = refusal_of(str(action), str(alarm['AlarmArn']))
            _note(alarm, str(action), problem)
            if not problem:
                carried_out.append(action)
        own({**alarm, name: carried_out}, old, new, reason)

    cloudwatch._dispatch_alarm_actions = dispatch


def refusal_of(action: str, alarm_arn: str) -> str:
    """Why CloudWatch cannot carry it out; '' when it can."""
    if not cloudwatch._is_sns_action_arn(action):
        return '' if not action.startswith('arn:aws:sns:') else f'{action} is a topic of another region or account'
    topic = sns._topics.get(action)
    if topic is None:
        return f'Resource: {action} does not exist'
    attributes = topic.get('attributes') or {}
    if not _allows(attributes.get('Policy'), 'sns:Publish', action, alarm_arn):
        return f'Resource: {alarm_arn} is not authorized to perform: SNS:Publish on resource: {action}'
    key = str(attributes.get('KmsMasterKeyId') or '')
    if not key:
        return ''
    record = None if 'alias/aws/' in key else kms._resolve_key(key)
    allowed = record is not None and all(_allows(record.get('Policy'), use, '*', alarm_arn) for use in _KEY_USES)
    return '' if allowed else f'CloudWatch Alarms does not have authorization to access the key {key} of {action}'


def _allows(policy: Any, action: str, resource: str, alarm_arn: str) -> bool:
    context = EvalContext(
        principal_arn='*',
        principal_type='Service',
        principal_account='',
        action=action,
        resource_arn=resource,
        region=get_region(),
        secure_transport=True,
        service_context={
            'aws:sourcearn': alarm_arn,
            'aws:sourceaccount': get_account_id(),
            'aws:sourceowner': get_account_id(),
        },
    )
    return bool(evaluate_resource_policy(policy or '', context, service=SERVICE).decision == 'Allow')


def _note(alarm: dict[str, Any], action: str, problem: str) -> None:
    became = 'Failed' if problem else 'Succeeded'
    words = f'Failed to execute action {action}. Received error: "{problem}"' if problem else ''
    cloudwatch._history_entries().append(
        {
            'AlarmName': alarm['AlarmName'],
            'AlarmType': 'CompositeAlarm' if 'AlarmRule' in alarm else 'MetricAlarm',
            'Timestamp': cloudwatch._ts_iso(cloudwatch.time.time()),
            'HistoryItemType': 'Action',
            'HistorySummary': words or f'Successfully executed action {action}',
            'HistoryData': json.dumps(
                {'actionState': became, 'notificationResource': action, 'error': problem or None}
            ),
        }
    )
    if problem:
        history.record('alarm-action', alarm['AlarmName'], None, 'failed', action=action, why=problem)
