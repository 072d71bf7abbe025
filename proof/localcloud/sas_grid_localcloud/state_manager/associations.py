"""Associations: made, changed, deleted, and when each is applied.

An association is applied when it is made or changed, when its document changes, to instances that come later, and on
its schedule; with ApplyOnlyAtCronInterval on its schedule only ("CreateAssociation", "UpdateAssociation", API
reference, read 2026-11). An instance whose tags change is found at the next run.
"""

import re
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

from .. import clock, signals
from ..hosts import documents
from ..hosts.documents import Refused
from ..scope import in_scope, own_scope
from . import runs, schedules

_NAME = re.compile(r'[a-zA-Z0-9_\-.]{3,128}')
_SEVERITIES = ('CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNSPECIFIED')
KEPT = (
    'Name', 'DocumentVersion', 'Parameters', 'Targets', 'ScheduleExpression', 'AssociationName',
    'ApplyOnlyAtCronInterval', 'ComplianceSeverity', 'MaxConcurrency', 'MaxErrors', 'SyncCompliance',
)  # fmt: skip
_lock = threading.RLock()
_associations: dict[str, dict[str, Any]] = {}
_executions: list[runs.Execution] = []
_Find = Callable[[str], documents.Document | None]
_find: _Find


def subscribe(find: _Find) -> None:
    """Follow instances that come; ``find`` knows the documents."""
    global _find
    _find = find
    signals.subscribe('agent-online', _instance_came)


def create(request: dict[str, Any]) -> dict[str, Any]:
    """CreateAssociation."""
    facts = _checked(request)
    facts.update(AssociationId=str(uuid.uuid4()), Version=1, Status='Pending', Date=time.time(), applied=set())
    facts['LastUpdateAssociationDate'] = facts['Date']
    with _lock:
        _associations[facts['AssociationId']] = facts
        _begin(facts)
    return {'AssociationDescription': shown(facts)}


def update(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateAssociation: what is not given is removed."""
    with _lock:
        facts = _found(request)
        after = _checked({'Name': facts['Name'], 'Targets': facts['Targets'], **request})
        for name in KEPT:
            facts.pop(name, None)
        facts.update(after, Version=facts['Version'] + 1, LastUpdateAssociationDate=time.time(), applied=set())
        _begin(facts)
        return {'AssociationDescription': shown(facts)}


def delete(request: dict[str, Any]) -> dict[str, Any]:
    """DeleteAssociation."""
    with _lock:
        del _associations[_found(request)['AssociationId']]
    return {}


def describe(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeAssociation."""
    with _lock:
        return {'AssociationDescription': shown(_found(request))}


def list_all(_: dict[str, Any]) -> dict[str, Any]:
    """ListAssociations."""
    with _lock:
        return {'Associations': [shown(one) for one in _associations.values()]}


def start_once(request: dict[str, Any]) -> dict[str, Any]:
    """StartAssociationsOnce."""
    with _lock:
        for identity in request.get('AssociationIds') or []:
            _apply(_found({'AssociationId': identity}))
    return {}


def executions(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeAssociationExecutions, the newest first."""
    with _lock:
        facts = _found(request)
        of_it = [one for one in reversed(_executions) if one.association == facts['AssociationId']]
    return {
        'AssociationExecutions': [
            {
                'AssociationId': one.association,
                'AssociationVersion': str(one.version),
                'ExecutionId': one.id,
                'Status': one.status,
                'DetailedStatus': one.status,
                'CreatedTime': one.created,
                'ResourceCountByStatus': f'{{{one.status}={len(one.instances)}}}',
            }
            for one in of_it
        ]
    }


def document_changed(name: str, versions: tuple[str, ...]) -> None:
    """A document has another newest version, or another default: what follows it is applied anew."""
    with _lock:
        for facts in _associations.values():
            follows = str(facts.get('DocumentVersion') or '$DEFAULT')
            if facts['Name'] == name and follows in versions and not facts.get('ApplyOnlyAtCronInterval'):
                _apply(facts)


def require_unused(document: str) -> None:
    """A document that is associated cannot be deleted."""
    with _lock:
        if any(facts['Name'] == document for facts in _associations.values()):
            message = 'You must disassociate a document from all managed nodes before you can delete it.'
            raise Refused('AssociatedInstances', message)


def shown(facts: dict[str, Any]) -> dict[str, Any]:
    """An association as answers carry it."""
    told = {name: facts[name] for name in KEPT if facts.get(name) is not None}
    return {
        **told,
        'AssociationId': facts['AssociationId'],
        'AssociationVersion': str(facts['Version']),
        'Date': facts['Date'],
        'LastUpdateAssociationDate': facts['LastUpdateAssociationDate'],
        'Overview': {'Status': facts['Status'], 'DetailedStatus': facts['Status']},
    }


def _checked(request: dict[str, Any]) -> dict[str, Any]:
    name = str(request.get('Name') or '').split('/')[-1]
    document = _find(name)
    if document is None and name != 'AWS-RunShellScript':
        raise Refused('InvalidDocument', f'Document with name {name} does not exist.')
    content = document.content(str(request.get('DocumentVersion') or '$DEFAULT')) if document else None
    documents.resolve(content or documents.RUN_SHELL_SCRIPT, request.get('Parameters') or {})
    targets = list(request.get('Targets') or [])
    if request.get('InstanceId'):
        targets.append({'Key': 'InstanceIds', 'Values': [request['InstanceId']]})
    runs.check_targets(targets)
    given = request.get('AssociationName')
    if given is not None and not _NAME.fullmatch(str(given)):
        raise Refused('ValidationException', f'AssociationName {given} must match {_NAME.pattern}')
    severity = request.get('ComplianceSeverity') or 'UNSPECIFIED'
    if severity not in _SEVERITIES:
        raise Refused('ValidationException', f'ComplianceSeverity is {severity}; allowed: {", ".join(_SEVERITIES)}')
    only_at_interval = str(request.get('ApplyOnlyAtCronInterval')).lower() == 'true'
    schedules.check(request.get('ScheduleExpression'), only_at_interval)
    kept = {key: request[key] for key in KEPT if request.get(key) is not None}
    return {**kept, 'Name': name, 'Targets': targets, 'ApplyOnlyAtCronInterval': only_at_interval}


def _found(request: dict[str, Any]) -> dict[str, Any]:
    found = _associations.get(str(request.get('AssociationId')))
    if found is None:
        raise Refused('AssociationDoesNotExist', 'The specified association does not exist.')
    return found


def _begin(facts: dict[str, Any]) -> None:
    if not facts['ApplyOnlyAtCronInterval']:
        _apply(facts)
    _plan(facts['AssociationId'], facts['Version'])


def _plan(identity: str, version: int) -> None:
    """Wait for the next time, unless the association has changed by then."""

    def due() -> None:
        with _lock:
            facts = _associations.get(identity)
            if facts is not None and facts['Version'] == version:
                _apply(facts)
                _plan(identity, version)

    expression = _associations[identity].get('ScheduleExpression')
    seconds = schedules.seconds_until_next(expression) if expression else None
    if seconds is not None:
        clock.after(seconds, in_scope(due))


def _apply(facts: dict[str, Any], instances: list[str] | None = None) -> None:
    chosen = runs.targeted(facts['Targets']) if instances is None else instances
    facts['applied'].update(chosen)
    _executions.extend(runs.start(facts, chosen, _find))


def _instance_came(*, instance_id: str, **_: Any) -> None:
    with own_scope(), _lock:
        for facts in _associations.values():
            new = instance_id not in facts['applied'] and instance_id in runs.targeted(facts['Targets'])
            if new and not facts['ApplyOnlyAtCronInterval']:
                _apply(facts, [instance_id])


ACTIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    'CreateAssociation': create,
    'UpdateAssociation': update,
    'DeleteAssociation': delete,
    'DescribeAssociation': describe,
    'ListAssociations': list_all,
    'StartAssociationsOnce': start_once,
    'DescribeAssociationExecutions': executions,
}
