"""Does things later: one thread for all transitions, so that they happen in the order they fall due."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)
_wake = threading.Condition()
_due: list[tuple[float, int, Callable[[], None]]] = []
_order = itertools.count()
_thread: threading.Thread | None = None
_held = False


def after(seconds: float, action: Callable[[], None]) -> None:
    """Run ``action`` once, that many seconds from now. It must not block."""
    global _thread
    with _wake:
        heapq.heappush(_due, (time.monotonic() + seconds, next(_order), action))
        if _thread is None:
            _thread = threading.Thread(target=_run, name='localcloud-clock', daemon=True)
            _thread.start()
        _wake.notify()


def every(seconds: float, action: Callable[[], None]) -> None:
    """Run ``action`` again and again, that many seconds after it ended."""

    def again() -> None:
        try:
            action()
        finally:
            after(seconds, again)

    after(seconds, again)


def hold(held: bool) -> None:
    """Do nothing until this is over: what falls due meanwhile happens then."""
    global _held
    with _wake:
        _held = held
        _wake.notify()


def _run() -> None:
    while True:
        with _wake:
            while _held or not _due or _due[0][0] > time.monotonic():
                _wake.wait(_due[0][0] - time.monotonic() if _due and not _held else None)
            _, _, action = heapq.heappop(_due)
        try:
            action()
        except Exception:
            _log.exception('a scheduled transition failed')


def wall() -> float:
    """Seconds since 1970."""
    return time.time()
