"""NotificationARNs of stacks: topics that are told every event of a stack, in the order they happened.

CloudFormation user guide, "Receive notifications": the message is lines of key='value'.
"""

import logging
import queue
import threading
from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import sns
from ministack.services.cloudformation import changesets, handlers, stacks

from ..scope import own_scope

_log = logging.getLogger(__name__)
_topics: dict[str, list[str]] = {}
_pending: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
_FIELDS = (
    'StackId',
    'Timestamp',
    'EventId',
    'LogicalResourceId',
    'PhysicalResourceId',
    'ResourceStatus',
    'ResourceStatusReason',
    'ResourceType',
    'StackName',
)


def install() -> None:
    """Remember the topics that requests name, and tell them."""
    for name in ('CreateStack', 'UpdateStack', 'CreateChangeSet'):
        handlers._ACTION_HANDLERS[name] = _remembering(handlers._ACTION_HANDLERS[name])
    own = stacks._add_event

    def add_event(stack_id: str, stack_name: str, *more: Any, **named: Any) -> None:
        own(stack_id, stack_name, *more, **named)
        for topic in _topics.get(stack_name, []):
            from ministack.services.cloudformation import _stack_events

            _pending.put((topic, message(_stack_events[stack_id][-1])))

    for module in (stacks, handlers, changesets):
        if hasattr(module, '_add_event'):
            module._add_event = add_event
    threading.Thread(target=_deliver, name='localcloud-stack-notifications', daemon=True).start()


def _remembering(own: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def handler(parameters: Any) -> Any:
        name = _first(parameters.get('StackName')).split('/')[1 if ':stack/' in str(parameters.get('StackName')) else 0]
        given = [
            _first(value) for key, value in sorted(parameters.items()) if key.startswith('NotificationARNs.member.')
        ]
        before = _topics.get(name)
        if given:
            _topics[name] = given
        answer = own(parameters)
        if given and answer[0] >= 400:
            _topics.pop(name, None)
            if before:
                _topics[name] = before
        return answer

    return handler


def _first(value: Any) -> str:
    return str(value[0] if isinstance(value, list) else value or '')


def message(event: dict[str, Any]) -> str:
    """One event as a notification carries it."""
    lines = [f"{name}='{event.get(name) or ''}'" for name in _FIELDS]
    return '\n'.join([*lines, f"Namespace='{get_account_id()}'", "ResourceProperties='null'", ''])


def _deliver() -> None:
    while True:
        topic, text = _pending.get()
        try:
            with own_scope():
                sns.publish_internal(topic, text, 'AWS CloudFormation Notification')
        except Exception:
            _log.exception('a stack notification to %s was not delivered', topic)
