"""SSM commands: documents run on hosts, and how it went."""

import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .. import history
from . import agents, boot, folders, kind, outputs
from .documents import Step

OUTPUT_CHARACTERS = 24000
ERROR_CHARACTERS = 8000
UNKNOWN_SECONDS = 0.3
"""A new invocation is not there yet for this long, as on AWS."""

_lock = threading.Lock()
_commands: dict[str, 'Command'] = {}


@dataclass
class Invocation:
    """A command on one instance."""

    instance_id: str
    status: str = 'Pending'
    details: str = 'Pending'
    code: int = -1
    started: str = ''
    ended: str = ''
    out: str = ''
    err: str = ''
    plugin: str = ''
    cancelled: bool = False
    kill: Callable[[], None] | None = None
    """Ends what runs, at this moment."""

    @property
    def ended_somehow(self) -> bool:
        return self.status not in ('Pending', 'InProgress', 'Cancelling')


@dataclass
class Command:
    """A document sent to instances."""

    document: str
    version: str
    parameters: dict[str, Any]
    comment: str
    delivery_seconds: float
    invocations: dict[str, Invocation]
    max_errors: str = '0'
    output: outputs.Place | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    requested: float = field(default_factory=time.time)

    @property
    def status(self) -> str:
        states = [i.status for i in self.invocations.values()]
        for state in ('Pending', 'InProgress', 'Cancelling', 'TimedOut', 'Failed', 'Cancelled'):
            if state in states:
                return 'Success' if state in ('TimedOut', 'Failed') and self._incomplete else state
        return 'Success' if states else 'Failed'

    @property
    def _incomplete(self) -> bool:
        """Whether all have ended, some not well, and not more than MaxErrors of them failed.

        AWS does not say which status goes with these details. It is "Success" here, which is the worst for who looks at
        nothing else. What was not delivered is no error that counts.
        """
        failed = sum(i.status == 'Failed' or i.details == 'Execution Timed Out' for i in self.invocations.values())
        well = all(i.status == 'Success' for i in self.invocations.values())
        return self.max_errors != '0' and not well and failed <= self._allowed_errors

    @property
    def _allowed_errors(self) -> int:
        if self.max_errors.endswith('%'):
            return len(self.invocations) * int(self.max_errors[:-1]) // 100
        return int(self.max_errors)

    @property
    def details(self) -> str:
        """The status, that it is not that of all, or that the tag of a target is nobody's."""
        if not self.invocations:
            return 'NoInstancesInTag'
        return 'Incomplete' if self.status == 'Success' and self._incomplete else self.status


def send(command: Command, steps: list[Step]) -> Command:
    """Start a command on its instances."""
    with _lock:
        _commands[command.id] = command
    for invocation in command.invocations.values():
        threading.Thread(
            target=_run, args=(command, invocation, steps), name=f'command-{command.id[:8]}', daemon=True
        ).start()
    return command


def find(command_id: str) -> Command | None:
    with _lock:
        return _commands.get(command_id)


def invocation(command_id: str, instance_id: str) -> tuple[Command, Invocation] | None:
    """An invocation, once it can be seen."""
    command = find(command_id)
    if command is None or instance_id not in command.invocations:
        return None
    if time.time() - command.requested < UNKNOWN_SECONDS:
        return None
    return command, command.invocations[instance_id]


def all_commands() -> list[Command]:
    """All commands, the newest first."""
    with _lock:
        return sorted(_commands.values(), key=lambda command: -command.requested)


def cancel(command: Command, instance_ids: Iterable[str]) -> None:
    """End a command on these hosts. What has ended stays as it is."""
    with _lock:
        wanted = [one for one in map(command.invocations.get, instance_ids) if one and not one.ended_somehow]
        for invocation in wanted:
            invocation.cancelled = True
            if invocation.status == 'InProgress':
                invocation.status = invocation.details = 'Cancelling'
    for invocation in wanted:
        if invocation.kill:
            invocation.kill()


def _run(command: Command, invocation: Invocation, steps: list[Step]) -> None:
    delivered_by = command.requested + command.delivery_seconds
    while not (boot.online(invocation.instance_id) and agents.served(invocation.instance_id)):
        if invocation.cancelled:
            _end(command, invocation, 'Cancelled', 'Cancelled', -1)
            return
        if time.time() > delivered_by:
            _end(command, invocation, 'TimedOut', 'Delivery Timed Out', -1)
            return
        time.sleep(0.1)
    invocation.started = _now()
    with _lock:
        if not invocation.cancelled:
            invocation.status, invocation.details = 'InProgress', 'InProgress'
    code = 0
    for step in steps:
        if invocation.cancelled:
            break
        invocation.plugin = step.name
        before = time.time()
        result = kind.current().run(
            invocation.instance_id, step.script, step.timeout, started=lambda kill: _started(invocation, kill)
        )
        invocation.kill = None
        invocation.out = (invocation.out + result.out)[:OUTPUT_CHARACTERS]
        invocation.err = (invocation.err + result.err)[:ERROR_CHARACTERS]
        outputs.put(command.output, command.id, invocation.instance_id, step.name, result.out, result.err)
        code = result.code
        if invocation.cancelled:
            break
        if result.timed_out:
            _end(command, invocation, 'TimedOut', 'Execution Timed Out', -1)
            return
        if result.killed and not folders.alive(invocation.instance_id):
            # The machine is gone and nobody reports: SSM only learns from the clock.
            time.sleep(max(0.0, step.timeout - (time.time() - before)))
            _end(command, invocation, 'TimedOut', 'Execution Timed Out', -1)
            return
        if code:
            break
    if invocation.cancelled:
        _end(command, invocation, 'Cancelled', 'Cancelled', -1)
        return
    _end(command, invocation, 'Failed' if code else 'Success', 'Failed' if code else 'Success', code)


def _started(invocation: Invocation, kill: Callable[[], None]) -> None:
    invocation.kill = kill
    if invocation.cancelled:
        kill()


def _end(command: Command, invocation: Invocation, status: str, details: str, code: int) -> None:
    invocation.code = code
    invocation.ended = _now()
    invocation.details = details
    invocation.status = status
    history.record(
        'command',
        command.id,
        'sent',
        status,
        instance=invocation.instance_id,
        document=command.document,
        code=code,
    )


def _now() -> str:
    return datetime.now(UTC).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3] + 'Z'
