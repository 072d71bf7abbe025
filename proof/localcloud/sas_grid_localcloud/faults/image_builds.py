"""Steps of components that fail, or go on until the build is cancelled."""

import threading
from collections.abc import Mapping
from typing import Any

from .fields import number, text

_lock = threading.Lock()
_failing: dict[str, int] = {}
_hanging: set[str] = set()


def fail(request: Mapping[str, Any]) -> dict[str, Any]:
    """The next runs of a step of this name fail: so many attempts (``count``, one by default)."""
    with _lock:
        _failing[text(request, 'step')] = int(number(request, 'count', default=1))
    return {}


def hang(request: Mapping[str, Any]) -> dict[str, Any]:
    """A step of this name goes on until the build is cancelled, or until calm."""
    with _lock:
        _hanging.add(text(request, 'step'))
    return {}


def fails(step: str) -> bool:
    """Whether this attempt fails. It is counted."""
    with _lock:
        left = _failing.get(step, 0)
        _failing[step] = max(0, left - 1)
        return left > 0


def hangs(step: str) -> bool:
    """Whether it goes on."""
    with _lock:
        return step in _hanging


def calm() -> None:
    """Steps do what they do."""
    with _lock:
        _failing.clear()
        _hanging.clear()
