"""The API: starting, looking, approving, stopping."""

import json
from collections.abc import Callable
from typing import Any

from ..hosts.documents import Document, Refused, resolve
from . import executions
from .executions import Execution, StepRun

Find = Callable[[str], Document]


def start(request: dict[str, Any], find: Find, caller: str) -> dict[str, Any]:
    """StartAutomationExecution."""
    name = str(request.get('DocumentName') or '').split('/')[-1]
    try:
        document = find(name)
    except Refused:
        raise Refused('AutomationDefinitionNotFoundException', f'Document {name} not found') from None
    if document.type != 'Automation':
        raise Refused('AutomationDefinitionNotFoundException', f'Document {name} is not of the type Automation')
    for unknown in sorted(
        set(request) - {'DocumentName', 'DocumentVersion', 'Parameters', 'ClientToken', 'Mode', 'Tags'}
    ):
        raise Refused('InvalidParameters', f'{unknown} is not implemented by the embedded AWS')
    if request.get('Mode', 'Auto') != 'Auto':
        raise Refused('InvalidParameters', 'only the mode Auto is implemented')
    version = str(request.get('DocumentVersion') or '$DEFAULT')
    content = document.content(version)
    try:
        values = resolve(content, request.get('Parameters') or {})
    except Refused as refused:
        raise Refused('InvalidAutomationExecutionParametersException', str(refused)) from None
    execution = Execution(name, str(document.number(version)), content, values, caller)
    return {'AutomationExecutionId': executions.start(execution).id}


def get(request: dict[str, Any]) -> dict[str, Any]:
    """GetAutomationExecution."""
    execution = _found(request)
    return {
        'AutomationExecution': {
            **_summary(execution),
            'StepExecutions': [_step(run) for run in execution.runs],
            'StepExecutionsTruncated': False,
            'Parameters': {name: _listed(value) for name, value in execution.parameters.items()},
        }
    }


def list_all(_: dict[str, Any]) -> dict[str, Any]:
    """DescribeAutomationExecutions, the newest first."""
    return {'AutomationExecutionMetadataList': [_summary(one) for one in executions.everything()]}


def list_steps(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeAutomationStepExecutions."""
    return {'StepExecutions': [_step(run) for run in _found(request).runs]}


def signal(request: dict[str, Any], caller: str) -> dict[str, Any]:
    """SendAutomationSignal: an approver approves or rejects the step that waits. Nobody else can."""
    execution, kind = _found(request), str(request.get('SignalType'))
    if kind not in ('Approve', 'Reject'):
        raise Refused(
            'InvalidAutomationSignalException', f'the signal {kind} is not implemented; Approve and Reject are'
        )
    run = execution.runs[-1] if execution.runs else None
    if run is None or run.status != 'Waiting':
        raise Refused('AutomationStepNotFoundException', 'no step of this execution waits for approval')
    if not any(_is(caller, str(approver)) for approver in run.inputs['Approvers']):
        raise Refused('InvalidAutomationSignalException', f'{caller} is not an approver of the step {run.name}')
    with execution.changed:
        if any(one['approver'] == caller for one in execution.decisions):
            raise Refused('InvalidAutomationSignalException', f'{caller} has decided already')
        comment = str(((request.get('Payload') or {}).get('Comment') or [''])[0])
        execution.decisions.append({'approver': caller, 'status': kind, 'comment': comment})
        execution.changed.notify_all()
    return {}


def _is(caller: str, approver: str) -> bool:
    """Approvers are names or ARNs of users, sessions of roles, or roles (Systems Manager User Guide, aws:approve)."""
    account, _, who = caller.partition('::')[2].partition(':')
    role = who.split('/')[1] if who.startswith('assumed-role/') else None
    of_role = role is not None and f'::{account}:role/' in approver and approver.rsplit('/', 1)[-1] == role
    return approver in (caller, caller.rsplit('/', 1)[-1]) or of_role


def stop(request: dict[str, Any]) -> dict[str, Any]:
    """StopAutomationExecution."""
    execution = _found(request)
    with execution.changed:
        execution.stopped = True
        execution.changed.notify_all()
    return {}


def _found(request: dict[str, Any]) -> Execution:
    identity = str(request.get('AutomationExecutionId'))
    execution = executions.find(identity)
    if execution is None:
        raise Refused('AutomationExecutionNotFoundException', f'The automation execution {identity} does not exist')
    return execution


def _summary(execution: Execution) -> dict[str, Any]:
    outputs = {}
    for name in execution.content.get('outputs') or []:
        step, _, output = name.partition('.')
        run = execution.run_of(step)
        if run is not None and output in run.outputs:
            outputs[name] = _listed(run.outputs[output])
        else:
            outputs[name] = ['No output available yet because the step is not successfully executed']
    last = execution.runs[-1] if execution.runs else None
    told = {
        'AutomationExecutionId': execution.id,
        'DocumentName': execution.document,
        'DocumentVersion': execution.version,
        'AutomationExecutionStatus': execution.status,
        'ExecutionStartTime': execution.started,
        'ExecutionEndTime': execution.ended,
        'ExecutedBy': execution.started_by,
        'Mode': 'Auto',
        'Outputs': outputs,
        'FailureMessage': execution.failure or None,
        'CurrentStepName': last.name if last and execution.ended is None else None,
        'CurrentAction': last.step['action'] if last and execution.ended is None else None,
    }
    return {key: value for key, value in told.items() if value is not None}


def _step(run: StepRun) -> dict[str, Any]:
    told = {
        'StepName': run.name,
        'Action': run.step['action'],
        'StepStatus': run.status,
        'StepExecutionId': run.id,
        'ExecutionStartTime': run.started,
        'ExecutionEndTime': run.ended,
        'Inputs': {key: _text(value) for key, value in run.inputs.items()},
        'Outputs': {key: _listed(value) for key, value in run.outputs.items()},
        'FailureMessage': run.failure or None,
        'OnFailure': run.step.get('onFailure'),
        'NextStep': run.step.get('nextStep'),
    }
    return {key: value for key, value in told.items() if value is not None}


def _listed(value: Any) -> list[str]:
    return [_text(one) for one in value] if isinstance(value, list) else [_text(value)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
