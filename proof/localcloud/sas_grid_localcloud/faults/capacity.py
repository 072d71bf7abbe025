"""Capacity that EC2 has not: for a group, or of a type, in a zone or in a placement group."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from ..query import Refused
from .fields import Wrong, number, text

_FIELDS = ('group', 'type', 'zone')
_lock = threading.Lock()
_shortages: dict[tuple[str, ...], float] = {}
_refused = 0


def ask(request: Mapping[str, Any]) -> dict[str, Any]:
    """Launches that all of the given fields are true of fail for that many seconds; 0 ends it."""
    given = [text(request, field) if field in request else '' for field in _FIELDS]
    if not any(given):
        raise Wrong(f'none of {", ".join(_FIELDS)} is there; allowed: at least one')
    with _lock:
        _shortages[tuple(given)] = time.monotonic() + number(request, 'seconds')
    return {}


def require(group: str, kind: str = '', zone: str = '') -> None:
    """Refuse the launch as EC2 does when it has no such machine left.

    The group is an Auto Scaling group, of which no type is known yet, or a placement group; empty outside of any.
    """
    global _refused
    launch = (group, kind, zone)
    now = time.monotonic()
    with _lock:
        if not any(until > now and _is_of(launch, shortage) for shortage, until in _shortages.items()):
            return
        _refused += 1
    raise Refused(
        'InsufficientInstanceCapacity',
        f'We currently do not have sufficient {f"{kind} " if kind else ""}capacity in the Availability Zone you '
        f'requested{f" ({zone})" if zone else ""}.',
        500,
    )


def _is_of(launch: tuple[str, ...], shortage: tuple[str, ...]) -> bool:
    return all(wanted in ('', given) for given, wanted in zip(launch, shortage, strict=True))


def refused() -> int:
    """How many launches were refused."""
    return _refused


def calm() -> None:
    """There are machines enough."""
    with _lock:
        _shortages.clear()
