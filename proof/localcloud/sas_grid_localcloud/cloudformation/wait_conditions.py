"""Wait conditions wait beside the other resources, as CloudFormation's do.

ministack makes one resource after another: a condition that comes first would wait for hosts that come after it.
"""

import threading
from collections.abc import Mapping
from typing import Any

from ministack.services import cloudformation
from ministack.services.cloudformation import engine, provisioners, stacks
from ministack.services.cloudformation import wait_conditions as own

_KIND = 'AWS::CloudFormation::WaitCondition'
_early: dict[tuple[str, str], list[tuple[str, str]]] = {}
_begun: dict[tuple[str, str], str] = {}
_lock = threading.Lock()


def install() -> None:
    """Make them last, and keep the signals that come until then."""
    sort, signal, wait = stacks._topological_sort, own.signal_resource, own.wait_for

    def topological_sort(resources: Mapping[str, Any], conditions: Mapping[str, Any]) -> list[str]:
        return waiting_last(sort(resources, conditions), resources)

    def signal_resource(stack_id: str, logical_id: str, unique_id: str, status: str) -> bool:
        with _lock:
            if signal(stack_id, logical_id, unique_id, status):
                return True
            token = _begun.get((stack_id, logical_id))
            if token:
                return bool(own.deliver_signal(token, {'Status': status, 'UniqueId': unique_id}))
            if not _not_made_yet(stack_id, logical_id):
                return False
            _early.setdefault((stack_id, logical_id), []).append((unique_id, status))
            return True

    def wait_for(token: str, stack_id: str, stack_name: str, logical_id: str, *rest: Any) -> Any:
        with _lock:
            _begun[stack_id, logical_id] = token
            for unique_id, status in _early.pop((stack_id, logical_id), []):
                own.deliver_signal(token, {'Status': status, 'UniqueId': unique_id})
        return wait(token, stack_id, stack_name, logical_id, *rest)

    stacks._topological_sort = topological_sort
    own.signal_resource = signal_resource
    own.wait_for = wait_for


def waiting_last(ordered: list[str], resources: Mapping[str, Any]) -> list[str]:
    """The same order, but wait conditions, and what depends on them, after all that does not."""
    late: set[str] = set()
    for one in ordered:
        needed = engine._extract_deps(resources[one], set(ordered))
        if resources[one].get('Type') == _KIND or late & set(needed):
            late.add(one)
    return [one for one in ordered if one not in late] + [one for one in ordered if one in late]


def _not_made_yet(stack_id: str, logical_id: str) -> bool:
    """Whether it is a condition of a stack that is being made, for whose turn CloudFormation would not have waited."""
    for stack in list(cloudformation._stacks.values()):
        if stack.get('StackId') != stack_id:
            continue
        made = logical_id in stack.get('_resources', {})
        definition = provisioners._cfn_wait_condition_definition(stack['StackName'], logical_id)
        return not made and definition.get('Type') == _KIND and 'CreationPolicy' in definition
    return False
