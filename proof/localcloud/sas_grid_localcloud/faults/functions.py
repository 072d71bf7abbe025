"""Lambda functions whose process dies, in the middle of an invocation or between two."""

import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ministack.core import lambda_runtime

from .. import clock, history
from .fields import Wrong, number, text

_DIED = ('Worker process died', 'Broken pipe')
"""How ministack says that the process of an invocation ended without an answer."""

_GONE_SECONDS = 5.0


@dataclass
class Order:
    """Invocations that are to die."""

    function: str
    left: int
    after: float | None
    on: str | None


@dataclass
class Invocation:
    """One that is under way."""

    worker: Any
    orders: list[Order] = field(default_factory=list)


_lock = threading.Lock()
_orders: list[Order] = []
_under_way: list[Invocation] = []
_killed = 0


def kill(request: Mapping[str, Any]) -> dict[str, Any]:
    """The next invocations of a function die, some time after their start or when they have made a call."""
    after, on = request.get('after'), request.get('on')
    if (after is None) == (on is None):
        raise Wrong(f'after is {after!r} and on is {on!r}; exactly one of them is needed')
    order = Order(
        text(request, 'function'),
        int(number(request, 'count', most=100, default=1)),
        None if after is None else number(request, 'after', most=60),
        None if on is None else text(request, 'on'),
    )
    with _lock:
        _orders.append(order)
    return {}


def restart(request: Mapping[str, Any]) -> dict[str, Any]:
    """All processes of a function end now."""
    name = text(request, 'function')
    with lambda_runtime._lock:
        workers = [one for pool in lambda_runtime._workers.values() for one in pool if name in one.func_name]
    ended = [one.func_name for one in workers if _end(one, 'restarted')]
    return {'ended': len(ended)}


def initialised(worker: Any) -> dict[str, Any] | None:
    """Start the process before the invocation, as Lambda does; an answer when it was killed meanwhile."""
    try:
        lambda_runtime.ensure_spawned(worker)
    except (RuntimeError, AttributeError, OSError):
        process = worker._proc
        if process is not None and process.poll() != -signal.SIGKILL:
            raise
        return {'status': 'error', 'error': _DIED[0]}
    return None


def begun(worker: Any) -> Invocation:
    """An invocation begins."""
    invocation = Invocation(worker)
    with _lock:
        _under_way.append(invocation)
        order = next((one for one in _orders if one.after is not None and _matches(one, worker)), None)
        if order is None or order.after is None:
            return invocation
        order.left -= 1
        delay = order.after
    clock.after(delay, lambda: _end_if_under_way(invocation, f'after {delay:g} s'))
    return invocation


def ended(invocation: Invocation) -> None:
    """An invocation has ended, in whatever way."""
    with _lock:
        _under_way.remove(invocation)


def died(response: Mapping[str, Any]) -> bool:
    """Whether the process of the invocation ended without an answer."""
    return response.get('status') == 'error' and any(words in str(response.get('error')) for words in _DIED)


def called(action: str) -> None:
    """A call was done and is about to be answered. Who made it is not known: all invocations of the function die."""
    with _lock:
        hit = [one for one in _under_way if (order := _order_on(action, one.worker)) is not None and _count(order)]
    for invocation in hit:
        _end(invocation.worker, f'when {action} was done')


def killed() -> int:
    """How many invocations died in the middle."""
    return _killed


def calm() -> None:
    """Nothing more is killed."""
    with _lock:
        _orders.clear()


def _order_on(action: str, worker: Any) -> Order | None:
    return next((one for one in _orders if one.on == action and _matches(one, worker)), None)


def _count(order: Order) -> bool:
    order.left -= 1
    return True


def _matches(order: Order, worker: Any) -> bool:
    return order.left > 0 and order.function in worker.func_name


def _end_if_under_way(invocation: Invocation, why: str) -> None:
    with _lock:
        still = invocation in _under_way
    if still:
        _end(invocation.worker, why)


def _end(worker: Any, why: str) -> bool:
    """Kill the process as the machine under it would, without a word."""
    global _killed
    process = worker._proc
    if process is None or process.poll() is not None:
        return False
    process.kill()
    # Until it is gone, an invocation could still be given to it.
    process.wait(_GONE_SECONDS)
    with _lock:
        at_work = any(one.worker is worker for one in _under_way)
        _killed += at_work
    history.record('function', worker.func_name, 'at work' if at_work else 'idle', 'killed', why=why)
    return True
