"""Backups of FSx that come to nothing."""

import threading
from collections.abc import Mapping
from typing import Any

from .fields import number

_lock = threading.Lock()
_failing = 0


def fail(request: Mapping[str, Any]) -> dict[str, Any]:
    """The next backups that are begun fail in the end: so many (``count``, one by default)."""
    global _failing
    with _lock:
        _failing = int(number(request, 'count', default=1))
    return {}


def fails() -> bool:
    """Whether the one that begins now will fail. It is counted."""
    global _failing
    with _lock:
        left = _failing
        _failing = max(0, left - 1)
        return left > 0


def calm() -> None:
    """Backups come out well."""
    global _failing
    with _lock:
        _failing = 0
