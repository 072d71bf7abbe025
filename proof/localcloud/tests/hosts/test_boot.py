"""When a host's agent is registered."""

from collections.abc import Callable
from typing import Any

import pytest

from sas_grid_localcloud import signals
from sas_grid_localcloud.hosts import boot

from .conftest import Cloud


@pytest.fixture
def registrations(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """The registrations that boots have left for later, in place of timers."""
    waiting: list[Callable[[], None]] = []

    class Timer:
        def __init__(self, _seconds: float, action: Callable[..., None], arguments: tuple[Any, ...]) -> None:
            self._call = lambda: action(*arguments)

        def start(self) -> None:
            waiting.append(self._call)

    monkeypatch.setattr(boot, '_Timer', Timer)
    return waiting


def test_a_boot_that_was_cut_off_registers_no_agent(cloud: Cloud, registrations: list[Callable[[], None]]) -> None:
    cloud.begin('i-0001', '', '172.16.4.200')
    cloud.wait(lambda: len(registrations) == 1)
    for state in ('stopping', 'stopped', 'running'):
        signals.publish('instance-state', instance_id='i-0001', state=state)
    cloud.wait(lambda: len(registrations) == 2)
    of_the_first_boot, of_the_second_boot = registrations
    of_the_first_boot()
    assert not boot.online('i-0001')
    of_the_second_boot()
    assert boot.online('i-0001')
