"""Waiting inside a CloudFormation handler (they run on threads of their own)."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from .. import call_log, ec2
from ..patience import QUIET_SECONDS, Patience
from ..query import Refused

POLL_SECONDS = 0.05
_LOST = ('NotFound', 'Unknown')


def until(done: Callable[[], bool], what: str, quiet: float = QUIET_SECONDS) -> None:
    """Wait for it as long as something moves, or fail the resource."""
    patience = Patience(call_log.moves, quiet)
    while not done():
        if reason := patience.lost():
            raise TimeoutError(f'{what} did not happen: {reason}')
        time.sleep(POLL_SECONDS)


def gone(action: str, request: Mapping[str, Any], quiet: float = 10) -> None:
    """Delete something: it may be gone already; while it is in use, try again as long as something moves."""
    patience = Patience(call_log.moves, quiet)
    while True:
        try:
            ec2.call(action, request)
            return
        except Refused as refused:
            if any(word in refused.code for word in _LOST):
                return
            in_use = 'InUse' in refused.code or refused.code in ('IncorrectState', 'DependencyViolation')
            if not in_use or patience.lost():
                raise
        time.sleep(POLL_SECONDS * 4)


def tag_specification(kind: str, properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A template's Tags as a request carries them."""
    tags = properties.get('Tags') or []
    return [{'ResourceType': kind, 'Tag': list(tags)}] if tags else []
