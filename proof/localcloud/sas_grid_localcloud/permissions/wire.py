"""What a request asks for: the API's name and its parameters, from the protocols of the services."""

import json
import re
from typing import Any
from urllib.parse import parse_qs, unquote

from ..query import parse

NAMED = re.compile(r'/[A-Z][a-z]+[A-Za-z]+')
"""paths of REST services that are the name of the operation, as those of Image Builder"""

_SCHEDULE = re.compile(r'/schedules/([^/]+)')
_OF_SCHEDULES = {
    'DELETE': 'DeleteSchedule',
    'GET': 'GetSchedule',
    'POST': 'CreateSchedule',
    'PUT': 'UpdateSchedule',
}
_INVOCATION = re.compile(r'/2015-03-31/functions/([^/]+)/invocations')

Call = tuple[str, dict[str, Any]]
"""the operation and its parameters; those of query protocols are texts, and lists are named as each one of them"""


def call_of(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> Call:
    """The operation and its parameters."""
    raw = body if isinstance(body, bytes) else str(body or '').encode()
    kind = headers.get('content-type', '')
    target = headers.get('x-amz-target', '')
    if target:
        return target.rsplit('.', 1)[-1], json.loads(raw) if raw else {}
    flat = dict(query)
    if 'form' in kind:
        flat = {**parse_qs(raw.decode(), keep_blank_values=True), **flat}
    if 'Action' in flat:
        parameters = parse(flat)
        return str(parameters.pop('Action')), parameters
    if NAMED.fullmatch(path):
        members = {name: value[0] if isinstance(value, list) else value for name, value in flat.items()}
        return path[1:], {**members, **(json.loads(raw) if raw else {})}
    found = _SCHEDULE.fullmatch(path)
    if found and method in _OF_SCHEDULES:
        members = {name: value[0] if isinstance(value, list) else value for name, value in flat.items()}
        return _OF_SCHEDULES[method], {**members, **(json.loads(raw) if raw else {}), 'Name': unquote(found[1])}
    found = _INVOCATION.fullmatch(path)
    if found and method == 'POST':
        return 'InvokeFunction', {'FunctionName': unquote(found[1])}
    return f'{method} {unquote(path)}', {}
