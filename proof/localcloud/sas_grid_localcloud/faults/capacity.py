"""Auto Scaling groups that get no instances, and placement groups without room."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from ..query import Refused
from .fields import number, text

_lock = threading.Lock()
_until: dict[str, float] = {}
_refused = 0


def ask(request: Mapping[str, Any]) -> dict[str, Any]:
    """Launches of the group, or into it, fail for that many seconds."""
    with _lock:
        _until[text(request, 'group')] = time.monotonic() + number(request, 'seconds')
    return {}


def require(group: str) -> None:
    """Refuse the launch as EC2 does when it has no such machine left."""
    global _refused
    with _lock:
        if time.monotonic() >= _until.get(group, 0.0):
            return
        _refused += 1
    raise Refused(
        'InsufficientInstanceCapacity',
        'We currently do not have sufficient capacity in the Availability Zone you requested.',
        500,
    )


def refused() -> int:
    """How many launches were refused."""
    return _refused


def calm() -> None:
    """There are machines enough."""
    with _lock:
        _until.clear()
