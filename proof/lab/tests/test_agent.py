"""The guest's agent and the host's side of it, over a socket instead of a virtio-serial port."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from sas_grid_lab.agent import AgentClient, AgentError
from sas_grid_lab.settings import GUEST

PATIENCE = 600
"""Seconds that nothing takes, however busy the machine is."""


def guest_agent() -> ModuleType:
    spec = importlib.util.spec_from_file_location('guest_agent', GUEST / 'agent.py')
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def client() -> Iterator[AgentClient]:
    host_side, guest_side = socket.socketpair()
    agent = guest_agent().Agent(guest_side.fileno())
    served = AgentClient('n1', host_side)
    threading.Thread(target=agent.serve, daemon=True).start()
    served.wait_for_boot(1, PATIENCE)
    yield served
    served.close()
    # The guest's reader, which is not to be closed under its feet, reads nothing from now on.
    guest_side.detach()


def test_a_command_answers_with_its_code_and_both_outputs(client: AgentClient) -> None:
    assert client.ask({'command': 'echo out; echo error >&2; exit 7'}, PATIENCE) == (7, 'out\nerror\n')


def test_a_command_that_takes_too_long_is_killed_with_its_children(client: AgentClient, tmp_path: Path) -> None:
    # The child has the lock as long as it lives.
    lock = tmp_path / 'lock'
    command = f'exec 9>{lock}; flock 9; echo started; sleep 3600 & sleep 3600'
    assert client.ask({'command': command}, 2) == (124, 'started\n')
    subprocess.run(['flock', '--timeout', str(PATIENCE), lock, 'true'], check=True)


def test_commands_run_at_the_same_time(client: AgentClient, tmp_path: Path) -> None:
    fifo = tmp_path / 'fifo'
    os.mkfifo(fifo)
    answers: list[tuple[int, str]] = []
    reader = threading.Thread(target=lambda: answers.append(client.ask({'command': f'cat {fifo}'}, PATIENCE)))
    reader.start()
    assert client.ask({'command': f'echo through >{fifo}'}, PATIENCE) == (0, '')
    reader.join(PATIENCE)
    assert answers == [(0, 'through\n')]


def test_a_file_is_written_with_its_mode_and_folders(client: AgentClient, tmp_path: Path) -> None:
    path = tmp_path / 'a' / 'b'
    assert client.ask({'path': str(path), 'text': 'text\n', 'mode': 0o700}, PATIENCE) == (0, '')
    assert path.read_text() == 'text\n'
    assert path.stat().st_mode & 0o777 == 0o700


def test_a_problem_of_the_agent_itself_is_answered(client: AgentClient) -> None:
    code, output = client.ask({'path': '/proc/none/file', 'text': '', 'mode': 0o600}, PATIENCE)
    assert code == 125
    assert 'agent:' in output


@pytest.fixture
def silent() -> Iterator[tuple[AgentClient, socket.socket]]:
    host_side, guest_side = socket.socketpair()
    client = AgentClient('n1', host_side)
    yield client, guest_side
    client.close()
    guest_side.close()


def say(guest: socket.socket, message: object) -> None:
    guest.sendall(json.dumps(message).encode() + b'\n')


def test_a_machine_that_goes_away_fails_the_commands_under_way(silent: tuple[AgentClient, socket.socket]) -> None:
    client, guest = silent
    threading.Timer(0.1, lambda: guest.shutdown(socket.SHUT_RDWR)).start()
    with pytest.raises(AgentError, match='went away'):
        client.ask({'command': 'true'}, PATIENCE)


def test_a_restart_fails_the_commands_under_way(silent: tuple[AgentClient, socket.socket]) -> None:
    client, guest = silent
    say(guest, {'hello': 'boot-1'})
    client.wait_for_boot(1, PATIENCE)
    threading.Timer(0.1, lambda: say(guest, {'hello': 'boot-2'})).start()
    with pytest.raises(AgentError, match='restarted'):
        client.ask({'command': 'true'}, PATIENCE)
    client.wait_for_boot(2, PATIENCE)


def test_a_boot_that_does_not_come_is_an_error(silent: tuple[AgentClient, socket.socket]) -> None:
    with pytest.raises(AgentError, match='not booted'):
        silent[0].wait_for_boot(1, 0.05)


def test_half_a_line_before_a_restart_is_dropped(silent: tuple[AgentClient, socket.socket]) -> None:
    client, guest = silent
    guest.sendall(b'{"id": 1, "co\n')
    say(guest, {'hello': 'boot-1'})
    client.wait_for_boot(1, PATIENCE)


def test_the_guests_agent_needs_only_what_a_minimal_python_has() -> None:
    imported = {line.split()[1] for line in (GUEST / 'agent.py').read_text().splitlines() if line.startswith('import ')}
    assert imported <= sys.stdlib_module_names
