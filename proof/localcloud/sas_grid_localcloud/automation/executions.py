"""Executions of runbooks: which step comes next, and how it ends."""

import json
import logging
import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ministack.core.responses import get_account_id, get_region

from .. import history
from ..scope import in_scope
from .calls import Failed
from .content import PLACEHOLDER

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_executions: dict[str, 'Execution'] = {}
ENDED = ('Success', 'Failed', 'TimedOut', 'Cancelled')


class TimedOut(Failed):
    """A step took too long."""


class Stopped(Exception):
    """Somebody stopped the execution."""


@dataclass
class StepRun:
    """A step that has begun."""

    step: dict[str, Any]
    status: str = 'InProgress'
    started: float = field(default_factory=time.time)
    ended: float | None = None
    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    failure: str = ''
    next_step: str | None = None
    """Where a branch leads."""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def name(self) -> str:
        return str(self.step['name'])


@dataclass
class Execution:
    """One run of a runbook."""

    document: str
    version: str
    content: dict[str, Any]
    parameters: dict[str, Any]
    started_by: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    status: str = 'Pending'
    failure: str = ''
    started: float = field(default_factory=time.time)
    ended: float | None = None
    runs: list[StepRun] = field(default_factory=list)
    decisions: list[dict[str, str]] = field(default_factory=list)
    """Who approved or rejected the step that waits."""
    changed: threading.Condition = field(default_factory=threading.Condition)
    stopped: bool = False

    @property
    def role(self) -> str:
        return str(self.value(str(self.content.get('assumeRole') or '')))

    def run_of(self, name: str) -> StepRun | None:
        """The last run of a step."""
        return next((run for run in reversed(self.runs) if run.name == name), None)

    def wait(self, seconds: float) -> None:
        """Wait for a signal, at most so long. Raises Stopped."""
        with self.changed:
            if not self.stopped:
                self.changed.wait(max(0.0, seconds))
            if self.stopped:
                raise Stopped

    def value(self, text: Any) -> Any:
        """An input with the variables in place. One that stands alone keeps its type."""
        if isinstance(text, dict):
            return {key: self.value(one) for key, one in text.items()}
        if isinstance(text, list):
            return [self.value(one) for one in text]
        if not isinstance(text, str):
            return text
        alone = PLACEHOLDER.fullmatch(text)
        if alone:
            return self._variable(alone[1])
        return PLACEHOLDER.sub(lambda match: _text(self._variable(match[1])), text)

    def _variable(self, name: str) -> Any:
        if name in self.parameters:
            return self.parameters[name]
        now = datetime.now(UTC)
        system = {
            'automation:EXECUTION_ID': self.id,
            'global:ACCOUNT_ID': get_account_id(),
            'global:AWS_PARTITION': 'aws',
            'global:DATE': now.strftime('%Y-%m-%d'),
            'global:DATE_TIME': now.strftime('%Y-%m-%d_%H.%M.%S'),
            'global:REGION': get_region(),
        }
        if name in system:
            return system[name]
        step, _, output = name.partition('.')
        run = self.run_of(step)
        if run is None or output not in run.outputs:
            raise Failed(f'{{{{ {name} }}}} has no value: the step {step} has not given it')
        return run.outputs[output]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def start(execution: Execution) -> Execution:
    """Begin, on a thread of its own."""
    with _lock:
        _executions[execution.id] = execution
    name = f'automation-{execution.id[:8]}'
    threading.Thread(target=in_scope(lambda: _run(execution)), name=name, daemon=True).start()
    return execution


def find(execution_id: str) -> Execution | None:
    with _lock:
        return _executions.get(execution_id)


def everything() -> list[Execution]:
    """All executions, the newest first."""
    with _lock:
        return sorted(_executions.values(), key=lambda one: -one.started)


def _run(execution: Execution) -> None:
    try:
        _follow(execution)
    except Stopped:
        _end(execution, 'Cancelled', 'Automation execution was cancelled')
    except Exception as error:
        _log.exception('the execution %s ended by a fault of the emulation', execution.id)
        _end(execution, 'Failed', f'{type(error).__name__}: {error}')


def _follow(execution: Execution) -> None:
    from . import actions, permissions

    execution.status = 'InProgress'
    try:
        permissions.require_role(execution.role, execution.id)
    except permissions.Denied as denied:
        _end(execution, 'Failed', str(denied))
        return
    steps: list[dict[str, Any]] = execution.content['mainSteps']
    critical = ''
    at: int | None = 0
    while at is not None and at < len(steps):
        run = StepRun(steps[at])
        execution.runs.append(run)
        actions.perform(execution, run)
        history.record('automation-step', execution.id, run.name, run.status, document=execution.document)
        on_failure = str(run.step.get('onFailure') or 'Abort')
        failed = run.status != 'Success'
        if failed and _is_true(run.step.get('isCritical', on_failure != 'Continue')):
            critical = critical or f'Step {run.name} failed: {run.failure}'
        if failed and on_failure == 'Abort':
            _end(execution, run.status, f'Step {run.name} failed: {run.failure}')
            return
        if _is_true(run.step.get('isEnd', False)) and run.next_step is None:
            break
        at = _next(steps, at, run, on_failure.removeprefix('step:') if failed and ':' in on_failure else None)
    _end(execution, 'Failed' if critical else 'Success', critical)


def _next(steps: list[dict[str, Any]], at: int, run: StepRun, otherwise: str | None) -> int:
    wanted = otherwise or run.next_step or run.step.get('nextStep')
    if wanted is None:
        return at + 1
    return next(number for number, step in enumerate(steps) if step['name'] == wanted)


def _end(execution: Execution, status: str, failure: str) -> None:
    for run in execution.runs:
        if run.ended is None:
            run.status, run.ended = 'Cancelled', time.time()
    execution.failure, execution.ended = failure, time.time()
    execution.status = status
    history.record('automation', execution.id, 'InProgress', status, document=execution.document, failure=failure)


def _is_true(value: Any) -> bool:
    return str(value).lower() == 'true'
