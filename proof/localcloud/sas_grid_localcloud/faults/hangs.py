"""Instances that take their time to shut down."""

import threading
from collections.abc import Mapping
from typing import Any

from .fields import number, text

_lock = threading.Lock()
_extra: dict[str, float] = {}


def ask(request: Mapping[str, Any]) -> dict[str, Any]:
    """The instance's next shutdown takes that many seconds longer."""
    with _lock:
        _extra[text(request, 'instance')] = number(request, 'seconds')
    return {}


def extra_seconds(instance_id: str) -> float:
    """How much longer this shutdown takes. Once."""
    with _lock:
        return _extra.pop(instance_id, 0.0)


def calm() -> None:
    """Shutdowns take as long as ever; one that has begun is not hurried."""
    with _lock:
        _extra.clear()
