import signal
import threading
import time

import pytest

from sas_grid_lab.together import on_each, together


def test_results_come_in_the_order_of_the_items() -> None:
    assert on_each([0.05, 0.0], lambda seconds: (time.sleep(seconds), seconds)[1]) == [0.05, 0.0]


def test_an_error_is_raised_when_all_have_ended() -> None:
    ended = []

    def fail() -> None:
        raise ValueError('first')

    def work() -> None:
        time.sleep(0.1)
        ended.append(True)

    with pytest.raises(ValueError, match='first'):
        together([fail, work])
    assert ended == [True]


def test_who_is_interrupted_does_not_wait_for_what_is_at_work() -> None:
    free = threading.Event()

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    started = time.monotonic()
    try:
        with pytest.raises(TimeoutError):
            on_each([1, 2], lambda _: free.wait(600))
        assert time.monotonic() - started < 600
    finally:
        free.set()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
