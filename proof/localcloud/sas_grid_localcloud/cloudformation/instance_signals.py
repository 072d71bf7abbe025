"""Instances with a creation policy are waited for, as CloudFormation does: all of them at once.

ministack makes one resource after another. So the instances come first, in a row, and the last of them waits for the
signals of all; what depends on one comes after that. "CreationPolicy attribute", CloudFormation User Guide (read
2026-11-25): the policy counts when the resource is made and never after, each signal is told in the stack's events,
a failure ends it at once.
"""

import contextlib
import threading
import time
from collections.abc import Mapping
from typing import Any

from ministack.services import cloudformation
from ministack.services.cloudformation import engine, provisioners, stacks
from ministack.services.cloudformation import wait_conditions as own

from ..query import Refused
from . import registry

_KIND = 'AWS::EC2::Instance'
_Key = tuple[str, str]
_signals: dict[_Key, dict[str, str]] = {}
"""By stack and logical id, while a stack is at work: the statuses by their ids."""
_changed = threading.Condition()


def install() -> None:
    """Make them wait, and keep the signals that come until then."""
    sort, signal = stacks._topological_sort, own.signal_resource
    handler = provisioners._RESOURCE_HANDLERS[_KIND]
    make = handler['create']

    def topological_sort(resources: Mapping[str, Any], conditions: Mapping[str, Any]) -> list[str]:
        return in_a_row(sort(resources, conditions), resources)

    def signal_resource(stack_id: str, logical_id: str, unique_id: str, status: str) -> bool:
        return _tell(stack_id, logical_id, unique_id, status) or bool(signal(stack_id, logical_id, unique_id, status))

    def create(logical_id: str, properties: registry.Properties, stack: str) -> registry.Made:
        expected = _expected(logical_id, stack)
        made: registry.Made = make(logical_id, properties, stack)
        try:
            _await(expected, logical_id, stack)
        except (RuntimeError, TimeoutError):
            # CloudFormation deletes what failed, with the stack or before it tries again. A protected one refuses.
            with contextlib.suppress(Refused):
                handler['delete'](made[0], properties)
            raise
        return made

    stacks._topological_sort = topological_sort
    own.signal_resource = signal_resource
    provisioners._RESOURCE_HANDLERS[_KIND] = {**handler, 'create': create}


def in_a_row(ordered: list[str], resources: Mapping[str, Any]) -> list[str]:
    """The same order, but the waiting instances one after the other, after all that does not need one of them."""
    waiting = [one for one in ordered if _waits(resources[one])]
    needing: set[str] = set()
    for one in ordered:
        if set(engine._extract_deps(resources[one], set(ordered))) & (needing | set(waiting)):
            needing.add(one)
    if needing & set(waiting):
        return ordered
    free = [one for one in ordered if one not in needing and one not in waiting]
    return free + waiting + [one for one in ordered if one in needing]


def _waits(resource: Mapping[str, Any]) -> bool:
    return resource.get('Type') == _KIND and bool((resource.get('CreationPolicy') or {}).get('ResourceSignal'))


def _tell(stack_id: str, logical_id: str, unique_id: str, status: str) -> bool:
    """Keep a signal for an instance that is being made; whether there is one."""
    stack = next((one for one in list(cloudformation._stacks.values()) if one.get('StackId') == stack_id), None)
    with _changed:
        signals = _signals.get((stack_id, logical_id))
        if stack is None or signals is None:
            return False
        if unique_id in signals:
            return True
        signals[unique_id] = status
        _changed.notify_all()
    told = f'Received {status} signal with UniqueId {unique_id}'
    stacks._add_event(stack_id, stack['StackName'], logical_id, _KIND, 'CREATE_IN_PROGRESS', told)
    return True


def _expected(logical_id: str, stack_name: str) -> dict[str, tuple[int, float]]:
    """Counts and seconds of all that are waited for, when this is the last of them; of nothing otherwise."""
    stack = cloudformation._stacks[stack_name]
    template = engine._parse_template(stack['_template_body'])
    conditions = engine._evaluate_conditions(template, stack.get('_resolved_params') or {})
    waiting = {
        one: resource['CreationPolicy']['ResourceSignal']
        for one, resource in template['Resources'].items()
        if _waits(resource) and conditions.get(resource.get('Condition'), True)
    }
    if logical_id not in waiting:
        return {}
    key = stack['StackId']
    with _changed:
        _signals.setdefault((key, logical_id), {})
        begun = {one for one in waiting if (key, one) in _signals}
    if set(waiting) - begun - set(stack.get('_resources') or {}):
        return {}
    return {
        one: (own.validate_count(p.get('Count'), one), _seconds(p, one)) for one, p in waiting.items() if one in begun
    }


def _seconds(policy: Mapping[str, Any], logical_id: str) -> float:
    return float(own.validate_resource_signal_timeout(policy.get('Timeout'), logical_id))


def _await(expected: Mapping[str, tuple[int, float]], last: str, stack_name: str) -> None:
    """Wait until each has its signals, or one of them fails."""
    stack_id = cloudformation._stacks[stack_name]['StackId']
    begun = time.monotonic()
    left = dict(expected)
    try:
        while left:
            with _changed:
                for one, (count, seconds) in list(left.items()):
                    statuses = list(_signals[stack_id, one].items())
                    failure = next((name for name, status in statuses if status == 'FAILURE'), None)
                    if failure is not None:
                        _fail(stack_id, stack_name, one, last, f'Received FAILURE signal with UniqueId {failure}')
                    if len(statuses) >= count:
                        del left[one]
                    elif time.monotonic() - begun > seconds:
                        missing = count - len(statuses)
                        why = f'Failed to receive {missing} resource signal(s) within the specified duration'
                        _fail(stack_id, stack_name, one, last, why)
                _changed.wait(0.2 if left else 0)
    finally:
        with _changed:
            for one in expected:
                _signals.pop((stack_id, one), None)


def _fail(stack_id: str, stack_name: str, logical_id: str, last: str, why: str) -> None:
    """The one that failed says why; the last one, which waits for it, is cancelled."""
    if logical_id == last:
        raise RuntimeError(why)
    stacks._add_event(stack_id, stack_name, logical_id, _KIND, 'CREATE_FAILED', why)
    raise RuntimeError('Resource creation cancelled')
