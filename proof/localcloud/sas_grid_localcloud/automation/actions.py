"""What the actions of steps do."""

import re
import time
from collections.abc import Callable
from typing import Any

from ..hosts import commands
from . import calls, scripts, selectors
from .calls import Failed
from .content import COMPARISONS, OF_API
from .executions import Execution, StepRun, TimedOut

POLL_SECONDS = 0.5
"""How often a step looks that waits; Automation takes longer between its looks."""

APPROVAL_SECONDS = 604800
WAIT_SECONDS = 3600
SCRIPT_SECONDS = 600
_DURATION = re.compile(r'PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?')


def perform(execution: Execution, run: StepRun) -> None:
    """Run a step to its end, again if it may be tried again; how it ended is in the run."""
    for left in reversed(range(int(run.step.get('maxAttempts') or 1))):
        try:
            run.inputs = execution.value({k: v for k, v in (run.step.get('inputs') or {}).items() if k != 'Script'})
            ACTIONS[str(run.step['action'])](execution, run)
            run.status, run.failure = 'Success', ''
            break
        except Failed as failed:
            run.status, run.failure = 'TimedOut' if isinstance(failed, TimedOut) else 'Failed', str(failed)
            if left == 0:
                break
    run.ended = time.time()


def _approve(execution: Execution, run: StepRun) -> None:
    """Wait until enough of the approvers have approved, or one has rejected."""
    topic = run.inputs.get('NotificationArn')
    approvers = [str(one) for one in run.inputs['Approvers']]
    needed = int(run.inputs.get('MinRequiredApprovals') or 1)
    if needed > len(approvers):
        raise Failed(f'{needed} approvals are required, and there are {len(approvers)} approvers')
    if topic:
        name = str(topic).rsplit(':', 1)[-1]
        if not name.startswith('Automation'):
            raise Failed(f'The name of the topic {name} does not begin with "Automation"')
        text = f'{run.inputs.get("Message", "")}\nApprove or reject the execution {execution.id}.'
        request = {'TopicArn': topic, 'Subject': 'Automation approval requested', 'Message': text}
        calls.call(execution.role, 'sns', 'Publish', request)
    execution.decisions = []
    run.status = execution.status = 'Waiting'
    ends = time.monotonic() + float(run.step.get('timeoutSeconds') or APPROVAL_SECONDS)
    try:
        while True:
            verdicts = [one['status'] for one in execution.decisions]
            run.outputs = {'ApprovalStatus': 'Waiting', 'ApproverDecisions': list(execution.decisions)}
            if 'Reject' in verdicts:
                run.outputs['ApprovalStatus'] = 'Rejected'
                raise Failed('Automation execution was rejected')
            if verdicts.count('Approve') >= needed:
                run.outputs['ApprovalStatus'] = 'Approved'
                return
            if time.monotonic() >= ends:
                raise TimedOut('nobody, or not enough of the approvers, decided in time')
            execution.wait(ends - time.monotonic())
    finally:
        execution.status = 'InProgress'


def _api(execution: Execution, run: StepRun) -> None:
    answer = _ask(execution, run)
    _take_outputs(run, answer)


def _assert(execution: Execution, run: StepRun) -> None:
    try:
        found = selectors.plain(selectors.select(run.inputs['PropertySelector'], _ask(execution, run)))
    except selectors.Missing as missing:
        raise Failed(str(missing)) from None
    if found not in run.inputs['DesiredValues']:
        wanted = ', '.join(run.inputs['DesiredValues'])
        raise Failed(f'Property value from the API output: {found}. Desired property values: [{wanted}].')


def _wait(execution: Execution, run: StepRun) -> None:
    ends = time.monotonic() + float(run.step.get('timeoutSeconds') or WAIT_SECONDS)
    while True:
        try:
            found = selectors.plain(selectors.select(run.inputs['PropertySelector'], _ask(execution, run)))
        except selectors.Missing:
            found = ''
        if found in run.inputs['DesiredValues']:
            return
        if time.monotonic() >= ends:
            raise TimedOut(f"the property is {found!r} after the step's time")
        execution.wait(POLL_SECONDS)


def _ask(execution: Execution, run: StepRun) -> dict[str, Any]:
    own = {'Service', 'Api', *(() if run.step['action'] == OF_API[0] else ('PropertySelector', 'DesiredValues'))}
    request = {key: value for key, value in run.inputs.items() if key not in own}
    return calls.call(execution.role, run.inputs['Service'], run.inputs['Api'], request)


def _script(execution: Execution, run: StepRun) -> None:
    text = run.step['inputs']['Script']
    seconds = float(run.step.get('timeoutSeconds') or SCRIPT_SECONDS)
    payload = scripts.run(text, run.inputs['Handler'], run.inputs.get('InputPayload') or {}, seconds)
    run.outputs['Payload'] = payload
    _take_outputs(run, {'Payload': payload})


def _run_command(execution: Execution, run: StepRun) -> None:
    sent = calls.call(execution.role, 'ssm', 'SendCommand', dict(run.inputs))['Command']
    run.outputs = {'CommandId': sent['CommandId']}
    ends = time.monotonic() + float(run.step.get('timeoutSeconds') or WAIT_SECONDS)
    while True:
        told = calls.call(execution.role, 'ssm', 'ListCommands', {'CommandId': sent['CommandId']})['Commands'][0]
        if told['Status'] not in ('Pending', 'InProgress', 'Cancelling'):
            break
        if time.monotonic() >= ends:
            raise TimedOut(f"the command {sent['CommandId']} is {told['Status']} after the step's time")
        execution.wait(POLL_SECONDS)
    command = commands.find(sent['CommandId'])
    invocations = list(command.invocations.values()) if command else []
    run.outputs['Status'] = told['Status']
    run.outputs['ResponseCode'] = max((one.code for one in invocations), default=-1)
    run.outputs['Output'] = ''.join(one.out + one.err for one in invocations)
    if told['Status'] != 'Success':
        raise Failed(
            f'the command {sent["CommandId"]} ended with {told["StatusDetails"]}: {run.outputs["Output"].strip()}'
        )


def _branch(execution: Execution, run: StepRun) -> None:
    for choice in run.inputs['Choices']:
        if _holds(choice):
            run.next_step = str(choice['NextStep'])
            return
    run.next_step = run.inputs.get('Default')


def _holds(choice: dict[str, Any]) -> bool:
    name = next(key for key in choice if key in COMPARISONS)
    found, wanted = choice['Variable'], choice[name]
    if name.startswith('Numeric'):
        left, right = float(found), float(wanted)
        return {
            'NumericEquals': left == right,
            'NumericGreater': left > right,
            'NumericLesser': left < right,
            'NumericGreaterOrEquals': left >= right,
            'NumericLesserOrEquals': left <= right,
        }[name]
    left_text, right_text = selectors.plain(found), selectors.plain(wanted)
    return {
        'StringEquals': left_text == right_text,
        'EqualsIgnoreCase': left_text.lower() == right_text.lower(),
        'StartsWith': left_text.startswith(right_text),
        'EndsWith': left_text.endswith(right_text),
        'Contains': right_text in left_text,
        'BooleanEquals': left_text.lower() == right_text.lower(),
    }[name]


def _sleep(execution: Execution, run: StepRun) -> None:
    match = _DURATION.fullmatch(str(run.inputs['Duration']))
    if match is None:
        raise Failed(f'the duration {run.inputs["Duration"]!r} is not one of ISO 8601 in hours, minutes and seconds')
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    ends = time.monotonic() + hours * 3600 + minutes * 60 + seconds
    while time.monotonic() < ends:
        execution.wait(ends - time.monotonic())


def _take_outputs(run: StepRun, answer: dict[str, Any]) -> None:
    for one in run.step.get('outputs') or []:
        try:
            found = selectors.typed(one['Type'], selectors.select(one['Selector'], answer))
        except selectors.Missing as missing:
            raise Failed(f'output {one["Name"]}: {missing}') from None
        run.outputs[one['Name']] = found


ACTIONS: dict[str, Callable[[Execution, StepRun], None]] = {
    'aws:approve': _approve,
    'aws:assertAwsResourceProperty': _assert,
    'aws:branch': _branch,
    'aws:executeAwsApi': _api,
    'aws:executeScript': _script,
    'aws:runCommand': _run_command,
    'aws:sleep': _sleep,
    'aws:waitForAwsResourceProperty': _wait,
}
