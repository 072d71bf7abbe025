"""What a runbook may hold. What this emulation cannot run is refused when the document is made, not skipped."""

import json
import re
from collections.abc import Iterator
from typing import Any

import botocore.session
import yaml

from ..hosts.documents import Refused
from . import selectors

STEP_NAME = re.compile(r'[a-zA-Z0-9_]{3,128}')
PLACEHOLDER = re.compile(r'\{\{\s*([^\s{}]+)\s*\}\}')
SYSTEM = (
    'automation:EXECUTION_ID', 'global:ACCOUNT_ID', 'global:AWS_PARTITION', 'global:DATE',
    'global:DATE_TIME', 'global:REGION',
)  # fmt: skip
TYPES = ('String', 'StringList', 'Integer', 'Boolean', 'StringMap', 'MapList')
PARAMETER_KEYS = {
    'type', 'description', 'default', 'allowedValues', 'allowedPattern', 'minItems', 'maxItems', 'minChars', 'maxChars',
}  # fmt: skip
DOCUMENT_KEYS = {'schemaVersion', 'description', 'assumeRole', 'parameters', 'mainSteps', 'outputs'}
STEP_KEYS = {
    'name', 'action', 'description', 'inputs', 'outputs', 'onFailure', 'isCritical', 'isEnd', 'nextStep',
    'timeoutSeconds', 'maxAttempts',
}  # fmt: skip
OF_API = ('aws:executeAwsApi', 'aws:waitForAwsResourceProperty', 'aws:assertAwsResourceProperty')
INPUTS = {
    'aws:approve': {'NotificationArn', 'Message', 'MinRequiredApprovals', 'Approvers'},
    'aws:branch': {'Choices', 'Default'},
    'aws:executeScript': {'Runtime', 'Handler', 'InputPayload', 'Script'},
    'aws:runCommand': {
        'DocumentName', 'InstanceIds', 'Targets', 'Parameters', 'TimeoutSeconds', 'Comment', 'MaxConcurrency',
        'MaxErrors',
    },
    'aws:sleep': {'Duration'},
}  # fmt: skip
REQUIRED = {
    'aws:approve': {'Approvers'},
    'aws:branch': {'Choices'},
    'aws:executeScript': {'Runtime', 'Handler', 'Script'},
    'aws:runCommand': {'DocumentName'},
    'aws:sleep': {'Duration'},
}
OUTPUTS = {
    'aws:approve': {'ApprovalStatus', 'ApproverDecisions'},
    'aws:executeScript': {'Payload'},
    'aws:runCommand': {'CommandId', 'Status', 'ResponseCode', 'Output'},
}
COMPARISONS = (
    'StringEquals', 'EqualsIgnoreCase', 'StartsWith', 'EndsWith', 'Contains', 'NumericEquals', 'NumericGreater',
    'NumericLesser', 'NumericGreaterOrEquals', 'NumericLesserOrEquals', 'BooleanEquals',
)  # fmt: skip
RUNTIMES = ('python3.11',)
LONGEST_APPROVAL_SECONDS = 30 * 24 * 3600


def parse(text: Any, document_format: str) -> dict[str, Any]:
    """Check a runbook's content."""
    found = _load(text, document_format)
    _known(found, DOCUMENT_KEYS, 'the document')
    version = found.get('schemaVersion')
    if version != '0.3':
        raise Refused('InvalidDocumentSchemaVersion', f'schemaVersion {version!r} is not that of Automation: "0.3"')
    for name, definition in (found.get('parameters') or {}).items():
        _known(definition, PARAMETER_KEYS, f'parameter {name}')
        if definition.get('type') not in TYPES:
            raise _invalid(f'parameter {name} has the type {definition.get("type")!r}; allowed: {", ".join(TYPES)}')
    steps = found.get('mainSteps') or []
    if not steps:
        raise _invalid('mainSteps is empty')
    names = [str(step.get('name')) for step in steps]
    for name in names:
        if not STEP_NAME.fullmatch(name):
            raise _invalid(f'the step name {name!r} must match {STEP_NAME.pattern}')
        if names.count(name) > 1:
            raise _invalid(f'two steps have the name {name}')
    for step in steps:
        _check_step(step, names, document_format)
    _check_references(found)
    return found


def outputs_of(step: dict[str, Any]) -> set[str]:
    """The names that ``{{ step.name }}`` may use."""
    return OUTPUTS.get(str(step['action']), set()) | {str(one['Name']) for one in step.get('outputs') or []}


def _load(text: Any, document_format: str) -> dict[str, Any]:
    try:
        if not isinstance(text, str):
            found = text
        elif document_format == 'YAML':
            found = yaml.safe_load(text)
        else:
            found = json.loads(text)
    except (json.JSONDecodeError, yaml.YAMLError):
        raise _invalid(f'the content is no {document_format}') from None
    if not isinstance(found, dict):
        raise _invalid('the content is no object')
    return found


def _check_step(step: dict[str, Any], names: list[str], document_format: str) -> None:
    _known(step, STEP_KEYS, f'step {step.get("name")}')
    name, action, inputs = step['name'], str(step.get('action')), step.get('inputs') or {}
    if action in OF_API:
        _check_api(step, inputs)
    elif action in INPUTS:
        _known(inputs, INPUTS[action], f'inputs of step {name}')
        for missing in sorted(REQUIRED[action] - set(inputs)):
            raise _invalid(f'step {name} lacks the input {missing}')
    else:
        raise _invalid(f'the action {action!r} of step {name} is not implemented')
    if action == 'aws:executeScript':
        # "This parameter is not supported for JSON runbooks."
        if document_format != 'YAML':
            raise _invalid(f'step {name} has a Script, which a runbook in JSON must not have')
        if inputs['Runtime'] not in RUNTIMES:
            raise _invalid(f'step {name} has the runtime {inputs["Runtime"]}; implemented: {", ".join(RUNTIMES)}')
    if action == 'aws:branch':
        for choice in inputs['Choices']:
            if sum(key in COMPARISONS for key in choice) != 1 or not {'NextStep', 'Variable'} <= set(choice):
                raise _invalid(f'a choice of step {name} needs NextStep, Variable and one comparison')
    if action == 'aws:approve' and int(step.get('timeoutSeconds') or 0) > LONGEST_APPROVAL_SECONDS:
        raise _invalid(f'step {name} waits longer than {LONGEST_APPROVAL_SECONDS} seconds')
    for one in step.get('outputs') or []:
        if set(one) != {'Name', 'Selector', 'Type'} or one['Type'] not in TYPES:
            raise _invalid(f'an output of step {name} needs Name, Selector and a Type of {", ".join(TYPES)}')
        selectors.check(str(one['Selector']), f'step {name}')
    on_failure = str(step.get('onFailure') or 'Abort')
    if on_failure not in ('Abort', 'Continue') and not on_failure.startswith('step:'):
        raise _invalid(f'onFailure of step {name} is {on_failure!r}; allowed: Abort, Continue, step:<name>')
    for target in _targets(step, on_failure):
        if target not in names:
            raise _invalid(f'step {name} leads to the step {target}, which does not exist')


def _check_api(step: dict[str, Any], inputs: dict[str, Any]) -> None:
    name, service, api = step['name'], str(inputs.get('Service')), str(inputs.get('Api'))
    session = botocore.session.get_session()
    if service not in session.get_available_services():
        raise _invalid(f'step {name}: there is no service {service!r}')
    if api not in session.get_service_model(service).operation_names:
        raise _invalid(f'step {name}: {service} has no API {api!r}')
    if step['action'] != 'aws:executeAwsApi':
        if not isinstance(inputs.get('DesiredValues'), list) or not inputs['DesiredValues']:
            raise _invalid(f'step {name} lacks the input DesiredValues')
        selectors.check(str(inputs.get('PropertySelector')), f'step {name}')


def _targets(step: dict[str, Any], on_failure: str) -> Iterator[str]:
    if on_failure.startswith('step:'):
        yield on_failure.removeprefix('step:')
    if step.get('nextStep'):
        yield str(step['nextStep'])
    inputs = step.get('inputs') or {}
    if step['action'] == 'aws:branch':
        yield from (str(choice['NextStep']) for choice in inputs['Choices'])
        if inputs.get('Default'):
            yield str(inputs['Default'])


def _check_references(found: dict[str, Any]) -> None:
    known = {*SYSTEM, *(found.get('parameters') or {})}
    for step in found['mainSteps']:
        known.update(f'{step["name"]}.{output}' for output in outputs_of(step))
    # A script is no text with variables in it.
    inputs = [{k: v for k, v in (s.get('inputs') or {}).items() if k != 'Script'} for s in found['mainSteps']]
    used = PLACEHOLDER.findall(json.dumps([inputs, found.get('assumeRole')]))
    for name in [*used, *(found.get('outputs') or [])]:
        if name not in known:
            raise _invalid(f'{name} is neither a parameter nor the output of a step')


def _known(found: Any, allowed: set[str], what: str) -> None:
    if not isinstance(found, dict):
        raise _invalid(f'{what} is no object')
    unknown = sorted(set(found) - allowed)
    if unknown:
        raise _invalid(f'{", ".join(unknown)} of {what} is not implemented by the embedded AWS')


def _invalid(message: str) -> Refused:
    return Refused('InvalidDocumentContent', message)
