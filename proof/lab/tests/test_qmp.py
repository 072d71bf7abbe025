"""QEMU's protocol against a server that answers from a script."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sas_grid_lab.qmp import Qmp, QmpError

Answer = Callable[[dict[str, Any]], list[dict[str, Any]]]


@contextmanager
def qemu(answer: Answer) -> Iterator[Qmp]:
    ours, theirs = socket.socketpair()

    def serve() -> None:
        with theirs, theirs.makefile('rwb') as stream:
            stream.write(b'{"QMP": {"version": {}}}\n')
            stream.flush()
            for line in stream:
                request = json.loads(line)
                replies = [{'return': {}}] if request['execute'] == 'qmp_capabilities' else answer(request)
                for reply in replies:
                    stream.write(json.dumps(reply).encode() + b'\n')
                stream.flush()
                if not replies:
                    return

    threading.Thread(target=serve, daemon=True).start()
    monitor = Qmp(ours, timeout=5)
    try:
        yield monitor
    finally:
        monitor.close()


def test_events_before_an_answer_are_skipped() -> None:
    with qemu(lambda _: [{'event': 'RESUME'}, {'event': 'STOP'}, {'return': {'status': 'running'}}]) as monitor:
        assert monitor.execute('query-status') == {'status': 'running'}


def test_arguments_are_passed_and_errors_carry_their_description() -> None:
    seen: list[dict[str, Any]] = []

    def answer(request: dict[str, Any]) -> list[dict[str, Any]]:
        seen.append(request)
        return [{'error': {'class': 'GenericError', 'desc': 'Bus not found'}}]

    with qemu(answer) as monitor, pytest.raises(QmpError, match='device_add: Bus not found'):
        monitor.execute('device_add', {'id': 'vol-1'})
    assert seen == [{'execute': 'device_add', 'arguments': {'id': 'vol-1'}}]


def test_a_process_that_ends_is_an_error() -> None:
    with qemu(lambda _: []) as monitor, pytest.raises(QmpError, match='hung up'):
        monitor.execute('cont')


class Plugged:
    """A device that the guest lets go when it is asked the n-th time."""

    def __init__(self, lets_go_at: int) -> None:
        self.lets_go_at = lets_go_at
        self.looked = 0

    def __call__(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        if request['execute'] == 'qom-list':
            self.looked += 1
            here = [] if self.looked > self.lets_go_at else [{'name': 'vol-1', 'type': 'child<nvme>'}]
            return [{'return': [{'name': 'type', 'type': 'string'}, *here]}]
        return [{'error': {'desc': 'Device vol-1 is already in the process of unplug'}}]


def test_unplugging_waits_for_the_guest() -> None:
    device = Plugged(lets_go_at=3)
    with qemu(device) as monitor:
        monitor.unplug('vol-1', timeout=5)
    assert device.looked == 4


def test_a_guest_that_keeps_a_device_is_an_error_in_time() -> None:
    with qemu(Plugged(lets_go_at=1000)) as monitor, pytest.raises(QmpError, match='does not let vol-1 go'):
        monitor.unplug('vol-1', timeout=0.2)


def test_a_disk_with_requests_under_way_is_closed_a_moment_later() -> None:
    answers = iter([{'error': {'desc': 'Node is in use'}}, {'return': {}}])
    with qemu(lambda _: [next(answers)]) as monitor:
        monitor.remove_node('vol-1-1')
    assert next(answers, None) is None
