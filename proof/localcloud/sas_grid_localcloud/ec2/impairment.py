"""Machines that stand still: EC2's instance status check finds out after a while.

EC2 user guide, "Status checks for Amazon EC2 instances": the check asks whether the network interface answers, and
an operating system that does not is `impaired`; the state of the instance stays `running`.
"""

import time

from .. import settings, signals
from .state import LOCK

_since: dict[str, float] = {}
"""When machines came to a standstill."""


def subscribe() -> None:
    """Follow the hosts."""
    signals.subscribe('host-halted', _halted)
    signals.subscribe('host-unreachable', _halted)
    signals.subscribe('host-reachable', _ended)
    signals.subscribe('instance-rebooted', _ended)
    signals.subscribe('instance-state', _state_changed)


def stands_still(instance_id: str) -> bool:
    """Whether the machine does not hear what EC2 asks of it."""
    return instance_id in _since


def seconds_impaired(instance_id: str) -> float | None:
    """How long the status check has failed; None when it does not."""
    with LOCK:
        since = _since.get(instance_id)
    if since is None:
        return None
    seconds = time.time() - since - settings.delays().status_check
    return seconds if seconds >= 0 else None


def _halted(*, instance_id: str) -> None:
    with LOCK:
        _since[instance_id] = time.time()


def _ended(*, instance_id: str) -> None:
    with LOCK:
        _since.pop(instance_id, None)


def _state_changed(*, instance_id: str, state: str, **_: object) -> None:
    if state in ('stopped', 'terminated'):
        _ended(instance_id=instance_id)
