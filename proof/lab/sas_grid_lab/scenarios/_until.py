"""Waiting for what a scenario needs."""

import time
from collections.abc import Callable

from ..report import ScenarioFailed


def until(what: str, holds: Callable[[], bool], timeout: float = 240) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > deadline:
            raise ScenarioFailed(f'not after {timeout:g} s: {what}')
        time.sleep(0.5)
