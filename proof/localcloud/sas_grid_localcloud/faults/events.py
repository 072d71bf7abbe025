"""Events that get lost, come twice, or come late: EventBridge promises delivery at least once, and no order."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import history
from .fields import number, one_of, text

MODES = ('drop', 'duplicate', 'delay')


@dataclass
class Fault:
    """What happens to the next events of a source."""

    mode: str
    source: str
    left: int
    seconds: float


_lock = threading.Lock()
_faults: list[Fault] = []
_counts = dict.fromkeys(MODES, 0)
_NAMES = {'drop': 'eventsLost', 'duplicate': 'eventsRepeated', 'delay': 'eventsDelayed'}


def ask(request: Mapping[str, Any]) -> dict[str, Any]:
    """Something happens to the next events of a source (``aws.autoscaling``, say)."""
    fault = Fault(
        one_of(request, 'mode', MODES),
        text(request, 'source'),
        int(number(request, 'count', default=1)),
        number(request, 'seconds', default=0),
    )
    with _lock:
        _faults.append(fault)
    return {}


def deliveries(entry: Mapping[str, Any]) -> list[float]:
    """When this event is delivered, in seconds from now: ``[0.0]`` when nothing is wrong, ``[]`` when it is lost."""
    with _lock:
        fault = next((one for one in _faults if one.left > 0 and one.source == entry['Source']), None)
        if fault is None:
            return [0.0]
        fault.left -= 1
        _counts[fault.mode] += 1
    history.record('event-fault', str(entry['DetailType']), None, fault.mode, seconds=fault.seconds)
    if fault.mode == 'drop':
        return []
    return [0.0, fault.seconds] if fault.mode == 'duplicate' else [fault.seconds]


def counts() -> dict[str, int]:
    """How many events were lost, repeated and delayed."""
    return {_NAMES[mode]: count for mode, count in _counts.items()}


def calm() -> None:
    """Events are delivered again; those that are late still come."""
    with _lock:
        _faults.clear()
