"""Calls that nobody is allowed to make, and calls that are answered late."""

import asyncio
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Any

from ministack import app
from ministack.core.iam_actions import access_denied_response

from ..permissions import wire
from .fields import number, text
from .requests import Handler, action_of

_CODES = {'ec2': 'UnauthorizedOperation'}
"""of services that do not call it AccessDenied"""

_CALLER = 'arn:aws:iam::000000000000:root'

_lock = threading.Lock()
_denied: dict[str, float] = {}
_late: dict[str, tuple[float, float]] = {}
"""API action to until when, and by how many seconds"""


def deny(request: Mapping[str, Any]) -> dict[str, Any]:
    """Calls of an API action (``DescribeImages``) are refused to everybody for that many seconds."""
    with _lock:
        _denied[text(request, 'action')] = time.monotonic() + number(request, 'seconds')
    return {}


def delay(request: Mapping[str, Any]) -> dict[str, Any]:
    """Calls of an API action are answered ``late`` seconds later, for ``seconds``."""
    until = time.monotonic() + number(request, 'seconds')
    with _lock:
        _late[text(request, 'action')] = (until, number(request, 'late', most=120))
    return {}


def calm() -> None:
    """Everybody is answered at once."""
    with _lock:
        _denied.clear()
        _late.clear()


def install() -> None:
    """Look at every request on its way in."""
    for service, handler in list(app.SERVICE_HANDLERS.items()):
        app.SERVICE_HANDLERS[service] = _watched(service, handler)


def _watched(service: str, handler: Handler) -> Handler:
    async def watched(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> Any:
        if not _denied and not _late:
            return await handler(method, path, headers, body, query)
        named = service != 's3' and wire.NAMED.fullmatch(path)
        action, now = path[1:] if named else action_of(headers, body, query), time.monotonic()
        with _lock:
            denied = now < _denied.get(action, 0.0)
            until, seconds = _late.get(action, (0.0, 0.0))
        if now < until:
            await asyncio.sleep(seconds)
        if denied:
            return access_denied_response(
                service,
                f'{service}:{action}',
                _CALLER,
                str(uuid.uuid4()),
                error_code=_CODES.get(service, ''),
                headers=headers,
            )
        return await handler(method, path, headers, body, query)

    return watched
