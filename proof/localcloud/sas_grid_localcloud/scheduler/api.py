"""Schedules that are made or changed, by API and by templates, are looked at first and then wait for their time."""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.services import scheduler

from ..cloudformation.registry import Made, Properties, ResourceType, physical_name, register
from ..query import Refused
from . import expressions, firing, targets

_DEFAULT_GROUP = 'default'
_PROPERTIES = frozenset(
    [
        'Description',
        'EndDate',
        'FlexibleTimeWindow',
        'GroupName',
        'Name',
        'ScheduleExpression',
        'ScheduleExpressionTimezone',
        'StartDate',
        'State',
        'Target',
    ]
)

Body = Mapping[str, Any]
Answer = tuple[int, dict[str, str], bytes]


def install() -> None:
    """Guard what ministack does with schedules, and leave their time to firing.py."""
    scheduler._create_schedule = _guarded(scheduler._create_schedule)
    scheduler._update_schedule = _guarded(scheduler._update_schedule)
    scheduler._tick_schedules = lambda: None
    kind, key = 'AWS::Scheduler::Schedule', frozenset({'KmsKeyArn'})
    register(ResourceType(kind, _create, _delete, _PROPERTIES, _update, accepted=key))


def _guarded(own: Callable[[str, Body], Answer]) -> Callable[[str, Body], Answer]:
    def guarded(name: str, body: Body) -> Answer:
        group = str(body.get('GroupName') or _DEFAULT_GROUP)
        try:
            _check(body, group)
        except Refused as refused:
            answer: Answer = scheduler._error(refused.status, refused.code, refused.message)
            return answer
        answer = own(name, body)
        if answer[0] < 400:
            firing.plan(f'{group}/{name}')
        return answer

    return guarded


def _check(body: Body, group: str) -> None:
    if body.get('ScheduleExpression'):
        zone = str(body.get('ScheduleExpressionTimezone') or 'UTC')
        expressions.check(str(body['ScheduleExpression']), zone)
    window = body.get('FlexibleTimeWindow') or {}
    if (window.get('Mode') == 'FLEXIBLE') != bool(window.get('MaximumWindowInMinutes')):
        raise Refused('ValidationException', 'MaximumWindowInMinutes is required for, and only for, the mode FLEXIBLE')
    if body.get('Target'):
        targets.check(body['Target'], group)


def _create(logical_id: str, properties: Properties, stack: str) -> Made:
    return _put(
        str(properties.get('Name') or physical_name(stack, logical_id, 64)), properties, scheduler._create_schedule
    )


def _update(name: str, old: Properties, new: Properties, stack: str) -> Made:
    if _group(old) == _group(new):
        return _put(name, new, scheduler._update_schedule)
    made = _put(name, new, scheduler._create_schedule)
    _delete(name, old)
    return made


def _put(name: str, properties: Properties, put: Callable[[str, Body], Answer]) -> Made:
    status, _, content = put(name, {key: value for key, value in properties.items() if key != 'Name'})
    if status >= 400:
        raise ValueError(f'{content.decode()} (Service: Scheduler, Status Code: {status})')
    return name, {'Arn': scheduler._schedule_arn(_group(properties), name)}


def _delete(name: str, properties: Properties) -> None:
    scheduler._delete_schedule(name, {'groupName': _group(properties)})


def _group(properties: Properties) -> str:
    return str(properties.get('GroupName') or _DEFAULT_GROUP)
