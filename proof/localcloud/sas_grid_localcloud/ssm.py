"""Systems Manager: documents, and commands that really run on the hosts."""

import json
import time
from collections.abc import Callable
from typing import Any

from ministack.core.iam_evaluator import request_caller_arn
from ministack.core.responses import error_response_json, get_account_id, json_response
from ministack.services import ssm
from ministack.services.cloudformation import provisioners

from . import automation, ssm_instances, ssm_views, throttling
from .cloudformation import registry
from .hosts import boot, commands, documents, invocations, outputs
from .hosts.documents import Document, Refused
from .state_manager import associations, runs
from .state_manager import types as association_types

PROPERTIES = {'Content', 'DocumentType', 'DocumentFormat', 'Name', 'UpdateMethod', 'Tags', 'TargetType'}
"""Implemented properties of AWS::SSM::Document. Tags and TargetType have no effect here."""

_documents: dict[str, Document] = {}


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
    registry.KNOWN['AWS::SSM::Document'] = frozenset(PROPERTIES)
    provisioners._RESOURCE_HANDLERS['AWS::SSM::Document'] = {
        'create': _cfn_create,
        'update': _cfn_update,
        'delete': lambda name, properties: _documents.pop(name, None),
    }
    associations.subscribe(_documents.get)
    association_types.install()


def create_document(request: dict[str, Any]) -> dict[str, Any]:
    name = str(request.get('Name') or '')
    if not documents.NAME.match(name) or name.lower().startswith(('aws-', 'amazon', 'amzn')):
        raise Refused('ValidationException', f'The document name {name!r} is not valid')
    if name in _documents:
        raise Refused('DocumentAlreadyExists', f'Document with the name {name} already exists')
    kind, form = str(request.get('DocumentType') or 'Command'), str(request.get('DocumentFormat') or 'JSON')
    if kind not in ('Command', 'Automation') or form not in ('JSON', 'YAML') or (kind, form) == ('Command', 'YAML'):
        raise Refused('InvalidDocumentContent', 'only documents of type Command in JSON and Automation are implemented')
    _documents[name] = Document(name, kind, [_parsed(request.get('Content'), kind, form)], format=form)
    return {'DocumentDescription': _describe(_documents[name])}


def update_document(request: dict[str, Any]) -> dict[str, Any]:
    document = _find(str(request.get('Name') or ''))
    document.number(str(request.get('DocumentVersion') or '$LATEST'))
    content = _parsed(request.get('Content'), document.type, document.format)
    if content in document.versions:
        raise Refused('DuplicateDocumentContent', 'The content of the association document matches another document.')
    document.versions.append(content)
    associations.document_changed(document.name, ('$LATEST',))
    return {'DocumentDescription': _describe(document, str(len(document.versions)))}


def update_default_version(request: dict[str, Any]) -> dict[str, Any]:
    document = _find(str(request.get('Name') or ''))
    document.default = document.number(str(request.get('DocumentVersion') or ''))
    associations.document_changed(document.name, ('$DEFAULT',))
    return {'Description': {'Name': document.name, 'DefaultVersion': str(document.default)}}


def describe_document(request: dict[str, Any]) -> dict[str, Any]:
    document = _find(str(request.get('Name') or ''))
    return {'Document': _describe(document, str(request.get('DocumentVersion') or '$DEFAULT'))}


def get_document(request: dict[str, Any]) -> dict[str, Any]:
    document = _find(str(request.get('Name') or ''))
    version = str(request.get('DocumentVersion') or '$DEFAULT')
    return {**_describe(document, version), 'Content': json.dumps(document.content(version))}


def delete_document(request: dict[str, Any]) -> dict[str, Any]:
    name = _find(str(request.get('Name') or '')).name
    associations.require_unused(name)
    del _documents[name]
    return {}


def list_documents(_: dict[str, Any]) -> dict[str, Any]:
    return {'DocumentIdentifiers': [_describe(document) for document in _documents.values()]}


def send_command(request: dict[str, Any]) -> dict[str, Any]:
    name = str(request.get('DocumentName') or '').split('/')[-1]
    version = str(request.get('DocumentVersion') or '$DEFAULT')
    content = documents.RUN_SHELL_SCRIPT if name == 'AWS-RunShellScript' else _of_commands(name).content(version)
    values = documents.resolve(content, request.get('Parameters') or {})
    instances = _targets(request)
    # What is sent to an agent that has gone silent is not refused, and is never delivered.
    missing = [instance for instance in instances if not boot.online(instance) and not boot.lost(instance)]
    if missing:
        listed = ', '.join(missing)
        raise Refused(
            'InvalidInstanceId', f'Instances [[{listed}]] not in a valid state for account {get_account_id()}'
        )
    seconds = int(request.get('TimeoutSeconds') or 3600)
    if not 30 <= seconds <= 2592000:
        raise Refused('ValidationException', f'TimeoutSeconds is {seconds}; allowed: 30 to 2592000')
    command = commands.Command(
        document=name,
        version=version,
        parameters=dict(request.get('Parameters') or {}),
        comment=str(request.get('Comment') or ''),
        delivery_seconds=seconds,
        max_errors=str(request.get('MaxErrors') or '0'),
        output=_output_place(request),
        invocations={instance: commands.Invocation(instance) for instance in instances},
    )
    # AWS answers before any agent has the command.
    answer = {'Command': ssm_views.command(command)}
    commands.send(command, documents.steps(content, values))
    return answer


def cancel_command(request: dict[str, Any]) -> dict[str, Any]:
    command = commands.find(str(request.get('CommandId') or ''))
    if command is None:
        raise Refused('InvalidCommandId', 'The command ID is not valid.')
    wanted = list(request.get('InstanceIds') or command.invocations)
    unknown = [one for one in wanted if one not in command.invocations]
    if unknown:
        raise Refused('InvalidInstanceId', f'The command was not sent to {", ".join(unknown)}')
    commands.cancel(command, wanted)
    return {}


def get_command_invocation(request: dict[str, Any]) -> dict[str, Any]:
    command_id, instance = str(request.get('CommandId') or ''), str(request.get('InstanceId') or '')
    found = commands.invocation(command_id, instance)
    if found is None:
        raise Refused('InvocationDoesNotExist', f'Invocation not found for {command_id}, {instance}')
    command, invocation = found
    return {
        **ssm_views.invocation(command, invocation),
        'PluginName': invocation.plugin,
        'ResponseCode': invocation.code,
        'ExecutionStartDateTime': invocation.started,
        'ExecutionEndDateTime': invocation.ended,
        'StandardOutputContent': invocation.out,
        'StandardErrorContent': invocation.err,
    }


def list_command_invocations(request: dict[str, Any]) -> dict[str, Any]:
    wanted = invocations.filters(request.get('Filters') or [])
    found = []
    for command in commands.all_commands():
        if request.get('CommandId') not in (None, command.id):
            continue
        for instance, invocation in command.invocations.items():
            if request.get('InstanceId') not in (None, instance) or not commands.invocation(command.id, instance):
                continue
            if not wanted(command, invocation):
                continue
            entry = {**ssm_views.invocation(command, invocation), 'RequestedDateTime': command.requested}
            if request.get('Details'):
                entry['CommandPlugins'] = [ssm_views.plugin(invocation)]
            found.append(entry)
    page, following = invocations.page(found, request)
    return {'CommandInvocations': page, **({'NextToken': following} if following else {})}


def list_commands(request: dict[str, Any]) -> dict[str, Any]:
    wanted, fits = request.get('CommandId'), invocations.command_filters(request.get('Filters') or [])
    found = [ssm_views.command(c) for c in commands.all_commands() if wanted in (None, c.id) and fits(c)]
    page, following = invocations.page(found, request)
    return {'Commands': page, **({'NextToken': following} if following else {})}


def _output_place(request: dict[str, Any]) -> outputs.Place | None:
    bucket = str(request.get('OutputS3BucketName') or '')
    return outputs.Place(bucket, str(request.get('OutputS3KeyPrefix') or '')) if bucket else None


def _targets(request: dict[str, Any]) -> list[str]:
    found, targets = list(request.get('InstanceIds') or []), list(request.get('Targets') or [])
    by_tag = [target for target in targets if str(target.get('Key', '')).startswith('tag:')]
    for target in targets:
        if target not in by_tag and str(target.get('Key', '')).lower() != 'instanceids':
            raise Refused('InvalidParameters', f'the target {target.get("Key")} is not implemented')
        if target not in by_tag:
            found.extend(target.get('Values') or [])
    if by_tag:
        # Nobody may have the tag: the command is sent to nobody.
        return runs.targeted(targets)
    if not found:
        raise Refused('ValidationException', 'InstanceIds or Targets is required')
    return found


def _parsed(content: Any, kind: str, form: str) -> dict[str, Any]:
    return automation.content.parse(content, form) if kind == 'Automation' else documents.parse(content)


def _of_commands(name: str) -> Document:
    document = _find(name)
    if document.type != 'Command':
        raise Refused('InvalidDocument', f'Document {name} is of the type {document.type}, and no command.')
    return document


def _of_caller(action: str, headers: dict[str, str]) -> Callable[[dict[str, Any]], dict[str, Any]] | None:
    """The actions for which it matters who asks."""
    if action == 'StartAutomationExecution':
        return lambda request: automation.api.start(request, _find, request_caller_arn(headers))
    if action == 'SendAutomationSignal':
        return lambda request: automation.api.signal(request, request_caller_arn(headers))
    return None


def _find(name: str) -> Document:
    document = _documents.get(name.split('/')[-1])
    if document is None:
        raise Refused('InvalidDocument', f'Document with name {name} does not exist.')
    return document


def _describe(document: Document, version: str = '$DEFAULT') -> dict[str, Any]:
    return {
        'Name': document.name,
        'Owner': get_account_id(),
        'CreatedDate': document.created,
        'Status': 'Active',
        'DocumentVersion': str(document.number(version)),
        'DefaultVersion': str(document.default),
        'LatestVersion': str(len(document.versions)),
        'DocumentType': document.type,
        'DocumentFormat': document.format,
        'SchemaVersion': document.content(version)['schemaVersion'],
        'PlatformTypes': ['Linux'],
    }


def _cfn_create(logical_id: str, properties: dict[str, Any], stack_name: str) -> tuple[str, dict[str, Any]]:
    _check_properties(logical_id, properties)
    name = str(properties.get('Name') or f'{stack_name}-{logical_id}-{time.time_ns():x}')
    create_document({**properties, 'Name': name})
    return name, {}


def _cfn_update(
    name: str, before: dict[str, Any], after: dict[str, Any], stack_name: str
) -> tuple[str, dict[str, Any]]:
    _check_properties(name, after)
    if after.get('Name') not in (None, name):
        return _cfn_create(name, after, stack_name)
    document = _find(name)
    content = _parsed(after.get('Content'), document.type, document.format)
    if content != document.content():
        # The default (template reference, AWS::SSM::Document): the former document goes, with all its versions.
        if after.get('UpdateMethod', 'Replace') == 'Replace':
            if after.get('Name'):
                raise ValueError(f'the document {name} has a name of its own, and cannot be replaced by another one')
            return _cfn_create(name.rsplit('-', 1)[0].removeprefix(f'{stack_name}-'), after, stack_name)
        document.versions.append(content)
        document.default = len(document.versions)
        associations.document_changed(name, ('$LATEST', '$DEFAULT'))
    return name, {}


def _check_properties(logical_id: str, properties: dict[str, Any]) -> None:
    for name in sorted(set(properties) - PROPERTIES):
        raise ValueError(
            f'AWS::SSM::Document property {name} (logical id {logical_id}) is not implemented by the embedded AWS'
        )


ACTIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    'CreateDocument': create_document,
    'UpdateDocument': update_document,
    'UpdateDocumentDefaultVersion': update_default_version,
    'DescribeDocument': describe_document,
    'GetDocument': get_document,
    'DeleteDocument': delete_document,
    'ListDocuments': list_documents,
    'SendCommand': send_command,
    'CancelCommand': cancel_command,
    'GetCommandInvocation': get_command_invocation,
    'ListCommandInvocations': list_command_invocations,
    'ListCommands': list_commands,
    'DescribeInstanceInformation': ssm_instances.describe,
    'GetAutomationExecution': automation.api.get,
    'DescribeAutomationExecutions': automation.api.list_all,
    'DescribeAutomationStepExecutions': automation.api.list_steps,
    'StopAutomationExecution': automation.api.stop,
    **associations.ACTIONS,
}
