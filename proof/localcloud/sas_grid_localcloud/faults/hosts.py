"""Hosts that stand still or lose their power, and hosts whose agent is not heard of, or too old to be told anything."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .. import clock
from ..hosts import agents, boot, kind
from .fields import Wrong, number, text

T = TypeVar('T')

_lock = threading.Lock()
_frozen: dict[str, float] = {}


def freeze(request: Mapping[str, Any]) -> dict[str, Any]:
    """All that runs in the host stands still for that many seconds, and what is started there does not get anywhere."""
    instance, seconds = text(request, 'instance'), number(request, 'seconds')
    until = time.monotonic() + seconds
    with _lock:
        _frozen[instance] = max(until, _frozen.get(instance, 0.0))
    kind.current().freeze(instance)
    clock.after(seconds, lambda: _thaw_if_over(instance))
    return {}


def lose_power(request: Mapping[str, Any]) -> dict[str, Any]:
    """The instance's machine fails: all that runs in it ends at once, and EC2 goes on calling it running.

    With `betweenFlushes` it fails when one of its volumes has done writes that no flush has followed.
    """
    instance = text(request, 'instance')
    unflushed: dict[str, int] = {}
    if 'betweenFlushes' in request:
        seconds = number(request, 'betweenFlushes')
        unflushed = _machines_only(lambda: kind.current().stop_between_flushes(instance, seconds))
        if not unflushed:
            raise Wrong(f'no volume of {instance} has written without a flush for {seconds:g} seconds')
    boot.halt(instance)
    return {'unflushedWrites': unflushed}


def lose_carrier(request: Mapping[str, Any]) -> dict[str, Any]:
    """The instance's interfaces but the first have no carrier for that many seconds."""
    instance, seconds = text(request, 'instance'), number(request, 'seconds')
    _machines_only(lambda: kind.current().set_carrier(instance, False))
    clock.after(seconds, lambda: kind.current().set_carrier(instance, True))
    return {}


def slow_disks(request: Mapping[str, Any]) -> dict[str, Any]:
    """The instance's volumes do only so many operations in a second, for that many seconds."""
    instance, seconds, iops = text(request, 'instance'), number(request, 'seconds'), number(request, 'iops')
    _machines_only(lambda: kind.current().limit_disks(instance, max(1, int(iops))))
    clock.after(seconds, lambda: kind.current().limit_disks(instance, 0))
    return {}


def _machines_only(harm: Callable[[], T]) -> T:
    try:
        return harm()
    except kind.NotHere as problem:
        raise Wrong(str(problem)) from problem


def lose_agent(request: Mapping[str, Any]) -> dict[str, Any]:
    """Systems Manager does not know the instance for that many seconds."""
    instance, seconds = text(request, 'instance'), number(request, 'seconds')
    boot.hide(instance)
    clock.after(seconds, lambda: boot.show(instance))
    return {}


def age_agent(request: Mapping[str, Any]) -> dict[str, Any]:
    """The instance's agent is of this version: one that Run Command does not serve is online, and hears nothing."""
    agents.set_version(text(request, 'instance'), text(request, 'version'))
    return {}


def calm() -> None:
    """Everything goes on at once."""
    with _lock:
        hosts = list(_frozen)
        _frozen.clear()
    for instance in hosts:
        kind.current().thaw(instance)
    boot.show_all()
    agents.calm()


def _thaw_if_over(instance: str) -> None:
    with _lock:
        if time.monotonic() < _frozen.get(instance, 0.0):
            return
        _frozen.pop(instance, None)
    kind.current().thaw(instance)
