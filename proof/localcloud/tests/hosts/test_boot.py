"""When a host's agent is registered."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from sas_grid_localcloud import signals
from sas_grid_localcloud.ec2 import console
from sas_grid_localcloud.hosts import boot, kind
from sas_grid_localcloud.scope import own_scope

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


def test_what_a_host_says_while_it_boots_is_on_its_console(cloud: Cloud) -> None:
    cloud.launch('i-00000000000000002', '#!/bin/bash\n# cdk-sas-grid: host software\necho "made ready"\n')
    with own_scope():
        shown = console.get_output({'InstanceId': 'i-00000000000000002'})
    assert shown['instanceId'] == 'i-00000000000000002'
    assert 'made ready' in base64.b64decode(shown['output']).decode()


def test_a_system_starts_also_where_the_user_data_is_not_run(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual machine takes volumes once it has booted: those of an instance without user data came never."""
    booted: list[str] = []
    monkeypatch.setattr(
        kind.current(), 'later_boot', lambda instance_id: booted.append(instance_id) or kind.Result(0, '', '')
    )
    for instance_id, user_data in (('i-0003', ''), ('i-0004', '#!/bin/bash\necho of somebody else\n')):
        cloud.launch(instance_id, user_data)
    assert booted == ['i-0003', 'i-0004']
