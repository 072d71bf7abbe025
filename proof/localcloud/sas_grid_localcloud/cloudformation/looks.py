"""How the CDK's command sees a stack come to rest.

It looks at a stack at once and then every 5 seconds, which nobody can set (aws-cdk 2.1148.1, read 2026-11-25). Here a
stack takes a second or two, so that most of a deployment and of its removal would be waiting for the next look. A look
of that command at a stack in motion is answered when the stack has come to rest, or after a while, as if the answer had
been long on its way. Everybody else is answered at once.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from ministack import app
from ministack.services import cloudformation

Handler = Callable[..., Awaitable[tuple[int, dict[str, str], Any]]]

LONGEST_SECONDS = 30.0
_AGENT = 'aws-cdk/'
_LOOK_SECONDS = 0.05


def install() -> None:
    """Let looks wait on their way in, before the call log counts the time."""
    app.SERVICE_HANDLERS['cloudformation'] = patient(app.SERVICE_HANDLERS['cloudformation'])


def patient(handler: Handler, longest: float = LONGEST_SECONDS) -> Handler:
    """The same handler, for the CDK's command with answers about stacks at rest."""

    async def answered(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> Any:
        end = time.monotonic() + longest
        name = _looked_at(headers, body)
        while name and in_motion(name) and time.monotonic() < end:
            await asyncio.sleep(_LOOK_SECONDS)
        return await handler(method, path, headers, body, query)

    return answered


def in_motion(name: str) -> bool:
    """Whether the stack of this name or id is being made, changed or removed."""
    stacks = cloudformation._stacks
    stack = stacks.get(name) or next((one for one in stacks.values() if one.get('StackId') == name), None)
    status = str(stack.get('StackStatus', '')) if stack else ''
    return status.endswith('_IN_PROGRESS') and status != 'REVIEW_IN_PROGRESS'


def _looked_at(headers: dict[str, str], body: Any) -> str:
    """The stack that the CDK's command looks at; '' for any other request."""
    if _AGENT not in headers.get('user-agent', ''):
        return ''
    form = parse_qs(body.decode('utf-8', 'replace') if isinstance(body, bytes) else str(body or ''))
    if form.get('Action') != ['DescribeStacks']:
        return ''
    return form.get('StackName', [''])[0]
