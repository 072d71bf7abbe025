"""Schedules that are due: what fires when, and what becomes of it. The history file has each, kind ``schedule``."""

import json
import logging
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ministack.core.responses import get_account_id, get_region, new_uuid
from ministack.services import scheduler

from .. import clock, history
from ..automation import calls
from ..cloudwatch import points
from ..scope import in_scope, own_scope
from . import expressions, targets

_log = logging.getLogger(__name__)
_LONGEST = 86_400.0
"""The wall clock may be set meanwhile: what is far away is looked at again each day."""

Record = dict[str, Any]


def plan(key: str) -> None:
    """Wait for the next time that a schedule is due. One that was changed or deleted meanwhile does nothing."""
    record: Record | None = scheduler._schedules.get(key)
    if record is not None:
        _wait(key, record, clock.wall())


def _wait(key: str, record: Record, after: float) -> None:
    if record['State'] != 'ENABLED':
        return
    start, end = (_seconds(record.get(name)) for name in ('StartDate', 'EndDate'))
    expression, zone = str(record['ScheduleExpression']), str(record['ScheduleExpressionTimezone'])
    once = expressions.is_once(expression)
    begin = record['LastModificationDate'] if start is None else start
    # A rate with a start is due for the first time then.
    later = after if once or start is None else max(after, start - 0.001)
    rate_from_start = start is not None and not once and later < start and expression.startswith('rate(')
    due = start if rate_from_start else expressions.next_time(expression, zone, later, begin)
    if due is None or (end is not None and not once and due > end):
        _complete(key, record)
        return
    seconds = due - clock.wall()
    if seconds > _LONGEST:
        clock.after(_LONGEST, in_scope(lambda: _again(key, record, after)))
    else:
        clock.after(max(0.0, seconds), in_scope(lambda: _fire(key, record, due)))


def _again(key: str, record: Record, after: float) -> None:
    if scheduler._schedules.get(key) is record:
        _wait(key, record, after)


def _fire(key: str, record: Record, due: float) -> None:
    if scheduler._schedules.get(key) is not record:
        return
    threading.Thread(target=_deliver, args=(record, due), name='localcloud-schedule', daemon=True).start()
    # What fell due while the clock was held happens once.
    _wait(key, record, max(due, clock.wall() if clock.wall() > due + 1 else due))


def _complete(key: str, record: Record) -> None:
    if record.get('ActionAfterCompletion') == 'DELETE' and scheduler._schedules.get(key) is record:
        scheduler._schedules.pop(key, None)
        scheduler._tags.pop(record['Arn'], None)


def _deliver(record: Record, due: float) -> None:
    with own_scope():
        target, identity = record['Target'], new_uuid()
        text = _input(record, due, identity)
        about = {'ScheduleGroup': str(record['GroupName'])}
        points.put('AWS/Scheduler', 'InvocationAttemptCount', [1], about, 'Count')
        try:
            targets.call(target, text)
            history.record('schedule', record['Arn'], None, 'fired', target=target['Arn'], due=due)
        except Exception as problem:
            history.record('schedule', record['Arn'], None, 'failed', target=target['Arn'], due=due, why=str(problem))
            points.put('AWS/Scheduler', 'TargetErrorCount', [1], about, 'Count')
            _bury(record, due, identity, text, problem)


def _bury(record: Record, due: float, identity: str, text: str, problem: Exception) -> None:
    about = {'ScheduleGroup': str(record['GroupName'])}
    if not (record['Target'].get('DeadLetterConfig') or {}).get('Arn'):
        points.put('AWS/Scheduler', 'InvocationDroppedCount', [1], about, 'Count')
        return
    told = {
        'ERROR_CODE': _code(str(problem)),
        'ERROR_MESSAGE': str(problem)[:1000],
        'EXECUTION_ID': identity,
        'SCHEDULE_ARN': str(record['Arn']),
        'SCHEDULED_TIME': _iso(due),
        'TARGET_ARN': str(record['Target']['Arn']),
    }
    try:
        targets.bury(record['Target'], text, told)
        points.put('AWS/Scheduler', 'InvocationsSentToDeadLetterCount', [1], about, 'Count')
    except calls.Failed as failed:
        _log.warning('the dead-letter queue of %s cannot be told: %s', record['Arn'], failed)


def _code(problem: str) -> str:
    return problem.split('(', 1)[1].split(')', 1)[0] if problem.startswith('An error occurred (') else 'INTERNAL_ERROR'


def _input(record: Mapping[str, Any], due: float, identity: str) -> str:
    """What the target gets: its input with context attributes, or what Scheduler tells by default."""
    text = record['Target'].get('Input')
    if not text:
        default = {
            'version': '0',
            'id': identity,
            'detail-type': 'Scheduled Event',
            'source': 'aws.scheduler',
            'account': get_account_id(),
            'time': _iso(due),
            'region': get_region(),
            'resources': [record['Arn']],
            'detail': '{}',
        }
        return json.dumps(default)
    attributes = {
        'schedule-arn': str(record['Arn']),
        'scheduled-time': _iso(due),
        'execution-id': identity,
        'attempt-number': '1',
    }
    for name, value in attributes.items():
        text = text.replace(f'<aws.scheduler.{name}>', value)
    return str(text)


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime('%Y-%m-%dT%H:%M:%SZ')


def _seconds(value: Any) -> float | None:
    found = scheduler._to_epoch(value)
    return None if found is None else float(found)
