"""Commands of Systems Manager, which really run on the hosts."""

from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_account_id

from . import ssm_documents, ssm_views
from .hosts import boot, commands, documents, invocations, outputs
from .hosts.documents import Document, Refused
from .state_manager import runs


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


def _of_commands(name: str) -> Document:
    document = ssm_documents.find(name)
    if document.type != 'Command':
        raise Refused('InvalidDocument', f'Document {name} is of the type {document.type}, and no command.')
    return document


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


ACTIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    'SendCommand': send_command,
    'CancelCommand': cancel_command,
    'GetCommandInvocation': get_command_invocation,
    'ListCommandInvocations': list_command_invocations,
    'ListCommands': list_commands,
}
