"""What a schedule calls, under its role, as everybody calls this AWS: permissions and the call log see it.

EventBridge Scheduler user guide, "Using templated targets" and "Using universal targets".
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from ministack.core.arn import ArnParseError, parse_arn

from ..automation import calls
from ..permissions import trust
from ..query import Refused
from ..scope import arn

AGENT = 'scheduler.amazonaws.com'
_UNIVERSAL = re.compile(r'arn:aws:scheduler:::aws-sdk:([a-z0-9-]+):([a-zA-Z0-9]+)')
_SERVICES = {'sfn': 'stepfunctions', 'eventbridge': 'events'}
"""How universal targets call services that botocore calls otherwise."""

Target = Mapping[str, Any]


def check(target: Target, group: str) -> None:
    """Refuse a target that Scheduler refuses, or that is not implemented."""
    role = str(target.get('RoleArn') or '')
    if not trust.trusts(role, AGENT, arn('scheduler', f'schedule-group/{group}')):
        raise Refused(
            'ValidationException',
            'The execution role you provide must allow AWS EventBridge Scheduler to assume the role.',
        )
    if not _UNIVERSAL.fullmatch(str(target['Arn'])):
        _templated(target, '{}')
    elif not target.get('Input'):
        raise Refused('ValidationException', 'Input is required for a universal target')
    else:
        try:
            json.loads(str(target['Input']))
        except ValueError:
            raise Refused('ValidationException', 'Input of a universal target has to be JSON') from None


def call(target: Target, text: str) -> None:
    """Call it once. Raises calls.Failed with the words of who refused."""
    found = _UNIVERSAL.fullmatch(str(target['Arn']))
    if found:
        service, action = _SERVICES.get(found[1], found[1]), found[2][0].upper() + found[2][1:]
        request = json.loads(text)
    else:
        service, action, request = _templated(target, text)
    calls.call(str(target['RoleArn']), service, action, request, AGENT)


def bury(target: Target, text: str, told: Mapping[str, str]) -> None:
    """Put what could not be delivered into the dead-letter queue. Raises calls.Failed."""
    queue = str((target.get('DeadLetterConfig') or {})['Arn'])
    attributes = {name: {'DataType': 'String', 'StringValue': value} for name, value in told.items() if value}
    request = {'QueueUrl': _url(queue), 'MessageBody': text, 'MessageAttributes': attributes}
    calls.call(str(target['RoleArn']), 'sqs', 'SendMessage', request, AGENT)


def _templated(target: Target, text: str) -> tuple[str, str, dict[str, Any]]:
    """Service, action and request of a target that is named by its own ARN."""
    name = str(target['Arn'])
    try:
        spec = parse_arn(name)
    except ArnParseError:
        raise Refused('ValidationException', f'Provided Arn is not in correct format: {name}') from None
    if spec.service == 'states' and spec.resource.startswith('stateMachine:'):
        return 'stepfunctions', 'StartExecution', {'stateMachineArn': name, 'input': text}
    if spec.service == 'lambda':
        return 'lambda', 'Invoke', {'FunctionName': name, 'InvocationType': 'Event', 'Payload': text.encode()}
    if spec.service == 'sns':
        return 'sns', 'Publish', {'TopicArn': name, 'Message': text}
    if spec.service == 'sqs':
        group = (target.get('SqsParameters') or {}).get('MessageGroupId')
        more = {'MessageGroupId': group} if group else {}
        return 'sqs', 'SendMessage', {'QueueUrl': _url(name), 'MessageBody': text, **more}
    raise Refused('ValidationException', f'the target {name} is not implemented by the embedded AWS')


def _url(queue: str) -> str:
    spec = parse_arn(queue)
    return f'{os.environ["AWS_ENDPOINT_URL"]}/{spec.account_id}/{spec.resource}'
