"""Requests are looked at on their way in."""

import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from ministack import app
from ministack.core.iam_actions import access_denied_response
from ministack.core.router import extract_access_key_id

from . import callers, wire
from .check import Check
from .decide import Denied, require, session_arn
from .needs import Unknown, checks_of
from .s3 import s3_checks

Handler = Callable[..., Awaitable[tuple[int, dict[str, str], Any]]]

WHEN = 'x-localcloud-when'
"""header of a refusal that is a matter of the moment: ``early`` or ``late``"""

_CODES = {'ec2': 'UnauthorizedOperation'}
"""of services that do not call it AccessDenied"""


def install() -> None:
    """Look at every request. Before the call log, which is to see what is refused."""
    callers.install()
    for service, handler in list(app.SERVICE_HANDLERS.items()):
        app.SERVICE_HANDLERS[service] = _guarded(service, handler)


def _guarded(service: str, handler: Handler) -> Handler:
    async def guarded(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> Any:
        role = callers.role_of(extract_access_key_id(headers, query))
        if role is not None:
            try:
                require(role, _checks(service, method, path, headers, body, query))
            except Denied as denied:
                refusal = _refusal(service, denied.action, role, headers, str(denied), denied.resource)
                if denied.when:
                    refusal[1][WHEN] = denied.when
                return refusal
            except Unknown as unknown:
                return _refusal(service, unknown.action, role, headers, str(unknown))
        return await handler(method, path, headers, body, query)

    return guarded


def _refusal(
    service: str, action: str, role: str, headers: dict[str, str], message: str, resource: str = '*'
) -> tuple[int, dict[str, str], Any]:
    status, answered, body = access_denied_response(
        service,
        action,
        session_arn(role),
        str(uuid.uuid4()),
        error_code=_CODES.get(service, ''),
        message=message,
        headers=headers,
        resource_arn=resource,
    )
    return status, answered, body


def _checks(
    service: str, method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]
) -> list[Check]:
    if service == 's3':
        return s3_checks(method, path, headers, body, query)
    return checks_of(service, *wire.call_of(method, path, headers, body, query))
