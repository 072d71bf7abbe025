"""Executions that take longer than their state machine allows end as TIMED_OUT, which ministack never says.

Amazon States Language, "TimeoutSeconds" of a state machine: the execution fails with ``States.Timeout``.
"""

import json
from typing import Any

from ministack.services import stepfunctions

from .. import clock
from ..scope import in_scope


def install() -> None:
    """Begin to count when an execution begins."""
    own = stepfunctions._emit_execution_status_event

    def status_changed(execution: dict[str, Any]) -> Any:
        answer = own(execution)
        if execution['status'] == 'RUNNING':
            seconds = _limit(str(execution['stateMachineArn']))
            if seconds:
                clock.after(seconds, in_scope(lambda: _over(execution)))
        return answer

    stepfunctions._emit_execution_status_event = status_changed


def _limit(machine: str) -> float | None:
    found = stepfunctions._state_machines.get(machine)
    definition = found.get('definition') if found else None
    try:
        limit = json.loads(definition).get('TimeoutSeconds') if isinstance(definition, str) else None
    except ValueError:
        return None
    return float(limit) if isinstance(limit, int | float) else None


def _over(execution: dict[str, Any]) -> None:
    if execution['status'] != 'RUNNING':
        return
    execution.update(status='TIMED_OUT', stopDate=stepfunctions.now_iso(), error='States.Timeout', cause='')
    stepfunctions._add_event(
        execution, 'ExecutionTimedOut', {'executionTimedOutEventDetails': {'error': 'States.Timeout'}}
    )
    stepfunctions._emit_execution_status_event(execution)
