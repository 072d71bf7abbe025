"""The host's side of the guest's agent: JSON lines over a socket, many commands at a time."""

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

GRACE = 15.0
"""seconds the agent has to answer after a command's own bound"""


class AgentError(Exception):
    """The guest's agent does not answer."""


class CommandFailed(Exception):
    """A command in a guest ended with an exit code that is not 0."""

    def __init__(self, machine: str, command: str, code: int, output: str) -> None:
        short = command if len(command) < 300 else f'{command[:300]}...'
        super().__init__(f'{machine}: exit code {code}: {short}\n{output[-3000:].rstrip()}')
        self.machine, self.command, self.code, self.output = machine, command, code, output


class AgentClient:
    """A connection to the agent of one machine."""

    def __init__(self, machine: str, connection: socket.socket) -> None:
        self._machine = machine
        self._socket = connection
        self._state = threading.Condition()
        self._answers: dict[int, dict[str, Any]] = {}
        self._waiting: set[int] = set()
        self._last = 0
        self._boots: list[str] = []
        self._closed = False
        threading.Thread(target=self._receive, name=f'agent-{machine}', daemon=True).start()

    def ask(self, request: dict[str, Any], timeout: float) -> tuple[int, str]:
        """Send a request; returns exit code and output."""
        answer = self.ask_all(request, timeout)
        return int(answer['code']), str(answer['output'])

    def ask_all(
        self, request: dict[str, Any], timeout: float, started: Callable[[int], None] | None = None
    ) -> dict[str, Any]:
        """Send a request; returns the whole answer.

        :param started: is called with the number by which the request can be killed
        """
        with self._state:
            self._last += 1
            number, boots = self._last, len(self._boots)
            self._waiting.add(number)
        try:
            self._send({'id': number, 'timeout': timeout, **request})
            if started:
                started(number)
            return self._answer(number, boots, time.monotonic() + timeout + GRACE)
        finally:
            with self._state:
                self._waiting.discard(number)
                self._answers.pop(number, None)

    def send(self, request: dict[str, Any]) -> None:
        """Send a request whose answer nobody waits for."""
        with self._state:
            self._last += 1
            number = self._last
        self._send({'id': number, **request})

    @property
    def boots(self) -> int:
        """How often the agent has started: it says so."""
        return len(self._boots)

    def wait_for_boot(self, count: int, timeout: float) -> None:
        """Wait until the agent has started so many times."""
        with self._state:
            self._state.wait_for(lambda: len(self._boots) >= count or self._closed, timeout)
            if len(self._boots) < count:
                raise AgentError(
                    f'{self._machine}: {"is gone" if self._closed else f"has not booted in {timeout:g} s"}'
                )

    def close(self) -> None:
        """Hang up; who waits for an answer gets an error."""
        with self._state:
            self._closed = True
            self._state.notify_all()
        # A reader in another thread is woken by this, not by close.
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()

    def _send(self, message: dict[str, Any]) -> None:
        try:
            with self._state:
                self._socket.sendall(json.dumps(message).encode() + b'\n')
        except OSError as problem:
            raise AgentError(f'{self._machine}: is gone: {problem}') from problem

    def _answer(self, number: int, boots: int, deadline: float) -> dict[str, Any]:
        with self._state:
            while number not in self._answers:
                if self._closed:
                    raise AgentError(f'{self._machine}: went away while a command ran')
                if boots and len(self._boots) > boots:
                    raise AgentError(f'{self._machine}: restarted while a command ran')
                if not self._state.wait(max(0.0, deadline - time.monotonic())) and time.monotonic() >= deadline:
                    raise AgentError(f'{self._machine}: the agent does not answer')
            return self._answers[number]

    def _receive(self) -> None:
        try:
            with self._socket.makefile('rb') as lines:
                for line in lines:
                    self._take(line)
        except (OSError, ValueError):
            pass
        with self._state:
            self._closed = True
            self._state.notify_all()

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            # The rest of an answer that a reboot cut off.
            return
        with self._state:
            if 'hello' in message:
                self._boots.append(message['hello'])
            elif message.get('id') in self._waiting:
                self._answers[message['id']] = message
            self._state.notify_all()
