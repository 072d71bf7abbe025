"""Requests that are refused because there are too many, for a time.

EC2, Auto Scaling and Systems Manager look at ``throttling.py`` themselves. DynamoDB is ministack's, so its requests are
looked at on their way in.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ministack import app
from ministack.core.responses import error_response_json

from .. import throttling
from . import functions
from .fields import Wrong, number, text

Handler = Callable[..., Awaitable[tuple[int, dict[str, str], Any]]]

_WATCHED = ('ec2', 'autoscaling', 'ssm', 'dynamodb')
_THROUGHPUT = 'Throughput exceeds the current capacity of your table or index.'


def throttle(request: Mapping[str, Any]) -> dict[str, Any]:
    """Calls are refused by these rules for that many seconds."""
    try:
        rules = throttling.parse(text(request, 'rules'))
    except ValueError as problem:
        raise Wrong(str(problem)) from None
    throttling.use_for(rules, number(request, 'seconds'))
    return {}


def refused() -> int:
    """How many calls were refused as too many."""
    return throttling.refused()


def calm() -> None:
    """Only the rules of the environment are left."""
    throttling.calm()


def install() -> None:
    """Look at requests on their way in and at answers on their way out. Before the call log, which is to see both."""
    for service in _WATCHED:
        app.SERVICE_HANDLERS[service] = _watched(service, app.SERVICE_HANDLERS[service])


def _watched(service: str, handler: Handler) -> Handler:
    async def watched(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> Any:
        action = action_of(headers, body, query)
        if service == 'dynamodb' and throttling.refuses(action):
            return too_much_throughput(action, body)
        answer = await handler(method, path, headers, body, query)
        if answer[0] < 400:
            functions.called(action)
        return answer

    return watched


def action_of(headers: Mapping[str, str], body: Any, query: Mapping[str, Any]) -> str:
    """The name of the API action, in either of the protocols."""
    target = headers.get('x-amz-target', '')
    if target:
        return target.rsplit('.', 1)[-1]
    named = query.get('Action')
    if named:
        return str(named[0] if isinstance(named, list) else named)
    form = body.decode('utf-8', 'replace') if isinstance(body, bytes) else str(body or '')
    return next((part[7:] for part in form.split('&') if part.startswith('Action=')), '')


def too_much_throughput(action: str, body: Any) -> Any:
    """DynamoDB's refusals: a transaction is cancelled, and says so for each of its items (API reference)."""
    if action != 'TransactWriteItems':
        return error_response_json('ProvisionedThroughputExceededException', _THROUGHPUT, 400)
    items = len(json.loads(body).get('TransactItems') or []) if body else 0
    reasons = [{'Code': 'ThrottlingError', 'Message': _THROUGHPUT}, *[{'Code': 'None'}] * max(0, items - 1)]
    listed = ', '.join(reason['Code'] for reason in reasons)
    content = {
        '__type': 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
        'message': f'Transaction cancelled, please refer cancellation reasons for specific reasons [{listed}]',
        'CancellationReasons': reasons,
    }
    return 400, {'Content-Type': 'application/x-amz-json-1.0'}, json.dumps(content).encode()
