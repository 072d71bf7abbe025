"""One instance as a machine: what is plugged in comes in turn, and what becomes of the machine is told."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sas_grid_lab.agent import AgentError
from sas_grid_lab.disks import Volume

from sas_grid_localcloud.machines import host as hosts
from sas_grid_localcloud.machines.host import Host, wanted_seconds
from sas_grid_localcloud.machines.membership import Names

LONG = 60


class Fake:
    """A machine that does at once what it is told."""

    def __init__(self) -> None:
        self.name, self.address, self.pid = 'i-1', '10.0.0.9', 0
        self.running = self.powered_off = self.frozen = False
        self.volumes: list[Volume] = []
        self.interfaces: list[Any] = []
        self.told: list[str] = []
        self.changed = threading.Event()

    def start(self) -> None:
        self.running = True
        self.told.append('start')

    def wait(self, _seconds: float) -> None:
        self.told.append('booted')

    def end(self) -> None:
        self.running = False

    def attach(self, volume: Volume, _seconds: float) -> None:
        volume.attach_to(self.name)
        self.volumes.append(volume)
        self.told.append(f'attach {volume.id}')
        self.changed.set()

    def detach(self, volume: Volume, _seconds: float) -> None:
        self.volumes.remove(volume)
        volume.users.discard(self.name)

    def put(self, path: str, text: str, mode: int) -> None:
        self.told.append(text)

    def run_apart(self, command: str, timeout: float, started: Any) -> tuple[int, str, str]:
        if self.frozen:
            raise AgentError('is gone')
        return 3, 'out', 'err'

    def try_run(self, command: str, timeout: float) -> tuple[int, str]:
        return 1, ''


class Network:
    """Says whether somebody answers."""

    answering = True

    def answers(self, _address: str) -> bool:
        return self.answering


@pytest.fixture
def machine() -> Fake:
    return Fake()


@pytest.fixture
def ends() -> list[tuple[str, bool]]:
    return []


@pytest.fixture
def network() -> Network:
    return Network()


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, network: Network, ends: list[tuple[str, bool]]) -> Host:
    monkeypatch.setattr(hosts, 'LOOK_SECONDS', 0.01)
    return Host('i-1', network, Names(), lambda *what: ends.append(what))  # type: ignore[arg-type]


def volume(tmp_path: Path, name: str) -> Volume:
    return Volume(f'vol-{name}', tmp_path / name, 64)


def until(holds: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(LONG * 50):
        if holds():
            return
        waiting.wait(0.02)
    raise AssertionError('not in a minute')


def test_what_comes_before_the_machine_is_there_at_its_start(host: Host, machine: Fake, tmp_path: Path) -> None:
    host.attach(volume(tmp_path, 'a'))
    host.power_on(lambda: machine)  # type: ignore[arg-type, return-value]
    until(lambda: 'start' in machine.told)
    host.attach(volume(tmp_path, 'b'))
    host.wait()
    until(lambda: len(machine.volumes) == 2)
    assert machine.told == ['attach vol-a', 'start', 'booted', 'attach vol-b']


def test_a_volume_comes_when_its_former_host_has_let_go(host: Host, machine: Fake, tmp_path: Path) -> None:
    host.power_on(lambda: machine)  # type: ignore[arg-type, return-value]
    host.wait()
    one = volume(tmp_path, 'a')
    one.attach_to('i-0')
    host.attach(one)
    assert not machine.changed.wait(0.3)
    one.users.discard('i-0')
    assert machine.changed.wait(LONG)


def test_power_off_waits_for_no_volume(host: Host, machine: Fake, tmp_path: Path) -> None:
    host.power_on(lambda: machine)  # type: ignore[arg-type, return-value]
    host.wait()
    one, two = volume(tmp_path, 'a'), volume(tmp_path, 'b')
    one.attach_to('i-0')
    host.attach(one)
    host.end()
    assert not machine.running
    # What could not be attached keeps nothing else back.
    host.attach(two)
    until(lambda: two in machine.volumes)


def test_a_script_tells_its_code_and_both_streams(host: Host, machine: Fake) -> None:
    host.power_on(lambda: machine)  # type: ignore[arg-type, return-value]
    host.wait()
    result = host.run('exit 3', 60)
    assert (result.code, result.out, result.err, result.killed) == (3, 'out', 'err', False)
    machine.frozen = True
    assert host.run('exit 3', 60).killed


@pytest.mark.parametrize('powered_off', [True, False])
def test_a_machine_that_ends_by_itself_is_told(
    host: Host, machine: Fake, ends: list[tuple[str, bool]], powered_off: bool
) -> None:
    host.power_on(lambda: machine)  # type: ignore[arg-type, return-value]
    machine.powered_off, machine.running = powered_off, False
    until(lambda: ends == [('i-1', powered_off)])


def test_one_that_was_ended_is_not(host: Host, machine: Fake, ends: list[tuple[str, bool]]) -> None:
    host.power_on(lambda: machine)  # type: ignore[arg-type, return-value]
    host.end()
    assert not threading.Event().wait(0.2)
    assert ends == []


def test_a_kernel_that_does_not_answer_is_told_once_and_when_it_does_again(
    host: Host, machine: Fake, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(hosts.signals, 'publish', lambda kind, **_: told.append(kind))
    host.power_on(lambda: machine)  # type: ignore[arg-type, return-value]
    host.wait()
    network.answering = False
    until(lambda: told == ['host-unreachable'])
    network.answering = True
    until(lambda: told == ['host-unreachable', 'host-reachable'])


def test_a_process_wants_what_it_computes() -> None:
    before = wanted_seconds(os.getpid())
    until(lambda: sum(range(100_000)) > 0 and wanted_seconds(os.getpid()) > before + 0.1)
    assert wanted_seconds(2**30) == 0
