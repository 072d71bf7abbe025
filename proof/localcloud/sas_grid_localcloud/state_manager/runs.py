"""Executions of associations: which instances, the command, and how it went."""

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ministack.services import ec2

from .. import events, history
from ..ec2.state import tags_of
from ..hosts import boot, commands, documents
from ..hosts.documents import Refused
from ..scope import own_scope

DELIVERY_SECONDS = 3600.0


@dataclass
class Execution:
    """One time that an association was applied."""

    association: str
    version: int
    instances: list[str]
    status: str = 'Pending'
    command: commands.Command | None = None
    created: float = field(default_factory=time.time)
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


def targeted(targets: list[dict[str, Any]]) -> list[str]:
    """The instances whose agents are registered and that every target means."""
    return [one for one in ec2._instances if boot.online(one) and all(_means(target, one) for target in targets)]


def _means(target: dict[str, Any], instance: str) -> bool:
    key, values = str(target['Key']), [str(value) for value in target.get('Values') or []]
    if key.lower() == 'instanceids':
        return instance in values or '*' in values
    return any(f'tag:{tag["Key"]}' == key and tag['Value'] in values for tag in tags_of(instance))


def check_targets(targets: list[dict[str, Any]]) -> None:
    """Refuse what State Manager refuses, and what is not implemented."""
    if not 1 <= len(targets) <= 5:
        raise Refused('InvalidTarget', f'{len(targets)} targets; an association has 1 to 5')
    for target in targets:
        key = str(target.get('Key') or '')
        if key.lower() != 'instanceids' and not key.startswith('tag:'):
            raise Refused('InvalidTarget', f'the target {key} is not implemented; use InstanceIds or tag:<key>')
        if not target.get('Values'):
            raise Refused('InvalidTarget', f'the target {key} has no values')


def start(
    facts: dict[str, Any], instances: list[str], find: Callable[[str], documents.Document | None]
) -> Iterator[Execution]:
    """Apply an association to these instances; nothing when there are none."""
    if not instances:
        return
    execution = Execution(facts['AssociationId'], facts['Version'], instances)
    name, version = str(facts['Name']), str(facts.get('DocumentVersion') or '$DEFAULT')
    document = find(name)
    if document is None and name != 'AWS-RunShellScript':
        execution.status = 'Failed'
        _tell(facts, execution)
        yield execution
        return
    content = document.content(version) if document else documents.RUN_SHELL_SCRIPT
    parameters = dict(facts.get('Parameters') or {})
    execution.command = commands.send(
        commands.Command(
            document=name,
            version=version,
            parameters=parameters,
            comment='',
            delivery_seconds=DELIVERY_SECONDS,
            invocations={instance: commands.Invocation(instance) for instance in instances},
        ),
        documents.steps(content, documents.resolve(content, parameters)),
    )
    threading.Thread(
        target=_follow, args=(facts, execution), name=f'association-{execution.id[:8]}', daemon=True
    ).start()
    yield execution


def _follow(facts: dict[str, Any], execution: Execution) -> None:
    assert execution.command is not None
    while not all(one.ended_somehow for one in execution.command.invocations.values()):
        time.sleep(0.05)
    execution.status = 'Success' if execution.command.status == 'Success' else 'Failed'
    with own_scope():
        _tell(facts, execution)


def _tell(facts: dict[str, Any], execution: Execution) -> None:
    """As EventBridge is told: "EC2 State Manager Association State Change"."""
    history.record(
        'association',
        execution.association,
        'Pending',
        execution.status,
        execution=execution.id,
        instances=execution.instances,
        document=facts['Name'],
    )
    facts['Status'] = execution.status
    detail = {
        'association-id': execution.association,
        'document-name': facts['Name'],
        'association-version': str(execution.version),
        'document-version': str(facts.get('DocumentVersion') or '$DEFAULT'),
        'targets': str(facts['Targets']),
        'creation-date': facts['Date'],
        'last-execution-date': execution.created,
        'last-updated-date': facts['LastUpdateAssociationDate'],
        'status': execution.status,
        'detailed-status': execution.status,
        'association-status-aggregated-count': f'{{"{execution.status}":{len(execution.instances)}}}',
        'schedule-expression': facts.get('ScheduleExpression') or '',
        'association-cwe-version': '1.0',
    }
    events.emit('aws.ssm', 'EC2 State Manager Association State Change', detail)
