"""QEMU's machine protocol: one command at a time over a socket, events skipped."""

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any


class QmpError(Exception):
    """QEMU refused a command, or is gone."""


def connect(path: Path, timeout: float = 30) -> socket.socket:
    """Connect to a socket that may appear a little later."""
    deadline = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return connection
        except OSError as problem:
            connection.close()
            if time.monotonic() > deadline:
                raise QmpError(f'{path} does not answer: {problem}') from problem
            time.sleep(0.05)


class Qmp:
    """A connection to one QEMU process."""

    def __init__(self, connection: socket.socket, timeout: float = 60) -> None:
        connection.settimeout(timeout)
        self._socket = connection
        self._lines = connection.makefile('rb')
        self._lock = threading.Lock()
        self._receive()
        self.execute('qmp_capabilities')

    def execute(self, command: str, arguments: dict[str, Any] | None = None) -> Any:
        """Run a command and return its result."""
        message: dict[str, Any] = {'execute': command}
        if arguments:
            message['arguments'] = arguments
        with self._lock:
            try:
                self._socket.sendall(json.dumps(message).encode() + b'\n')
                answer = self._receive()
                while 'event' in answer:
                    answer = self._receive()
            except OSError as problem:
                raise QmpError(f'{command}: {problem}') from problem
        if 'error' in answer:
            raise QmpError(f'{command}: {answer["error"].get("desc", answer["error"])}')
        return answer['return']

    def devices(self) -> set[str]:
        """The ids of the devices that can be plugged."""
        return {item['name'] for item in self.execute('qom-list', {'path': '/machine/peripheral'})}

    def unplug(self, device: str, timeout: float = 60) -> None:
        """Ask the guest to let a device go, and wait until it has."""
        deadline = time.monotonic() + timeout
        asked = 0.0
        while device in self.devices():
            if time.monotonic() > deadline:
                raise QmpError(f'the guest does not let {device} go in {timeout:g} s')
            if time.monotonic() - asked > 10:
                # A guest that is still booting drops the request.
                asked = time.monotonic()
                try:
                    self.execute('device_del', {'id': device})
                except QmpError as problem:
                    if 'already in the process of unplug' not in str(problem) and 'not found' not in str(problem):
                        raise
            time.sleep(0.05)

    def remove_node(self, node: str, timeout: float = 20) -> None:
        """Close a disk's file; requests that are under way keep it for a moment."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                self.execute('blockdev-del', {'node-name': node})
                return
            except QmpError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()

    def _receive(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line:
            raise QmpError('QEMU hung up')
        message = json.loads(line)
        assert isinstance(message, dict)
        return message
