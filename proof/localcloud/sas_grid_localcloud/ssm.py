"""Systems Manager: which of its actions are answered here, and by what."""

import json
from collections.abc import Callable
from typing import Any

from ministack.core.iam_evaluator import request_caller_arn
from ministack.core.responses import error_response_json, json_response
from ministack.services import ssm

from . import automation, ssm_commands, ssm_documents, ssm_instances, throttling
from .hosts.documents import Refused
from .state_manager import associations
from .state_manager import types as association_types


def install(_: object = None) -> None:
    """Replace ministack's Run Command and add documents, also for CloudFormation."""
    original = ssm.handle_request

    async def handle(method: str, path: str, headers: dict[str, str], body: bytes, query: Any) -> Any:
        action = headers.get('x-amz-target', '').split('.')[-1]
        handler = ACTIONS.get(action) or _of_caller(action, headers)
        if handler is None:
            return await original(method, path, headers, body, query)
        if throttling.refuses(action):
            return error_response_json('ThrottlingException', 'Rate exceeded', 400)
        try:
            return json_response(handler(json.loads(body) if body else {}))
        except Refused as refused:
            return error_response_json(refused.code, str(refused), 400)

    ssm.handle_request = handle
    ssm_documents.install()
    association_types.install()


def _of_caller(action: str, headers: dict[str, str]) -> Callable[[dict[str, Any]], dict[str, Any]] | None:
    """The actions for which it matters who asks."""
    if action == 'StartAutomationExecution':
        return lambda request: automation.api.start(request, ssm_documents.find, request_caller_arn(headers))
    if action == 'SendAutomationSignal':
        return lambda request: automation.api.signal(request, request_caller_arn(headers))
    return None


ACTIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    **ssm_documents.ACTIONS,
    **ssm_commands.ACTIONS,
    'DescribeInstanceInformation': ssm_instances.describe,
    'GetAutomationExecution': automation.api.get,
    'DescribeAutomationExecutions': automation.api.list_all,
    'DescribeAutomationStepExecutions': automation.api.list_steps,
    'StopAutomationExecution': automation.api.stop,
    **associations.ACTIONS,
}
