"""AWS::SSM::Association."""

import time
from typing import Any

from ..cloudformation.registry import Made, Properties, ResourceType, register
from ..hosts.documents import Refused
from . import associations

_ACCEPTED = frozenset({'ComplianceSeverity', 'MaxConcurrency', 'MaxErrors', 'SyncCompliance', 'Tags'})
"""Kept and shown; all targets run at the same time here."""
_POLL_SECONDS = 0.2


def install() -> None:
    """Register the type."""
    register(
        ResourceType(
            'AWS::SSM::Association',
            _create,
            _delete,
            frozenset(
                {
                    'ApplyOnlyAtCronInterval',
                    'AssociationName',
                    'DocumentVersion',
                    'InstanceId',
                    'Name',
                    'Parameters',
                    'ScheduleExpression',
                    'Targets',
                    'WaitForSuccessTimeoutSeconds',
                }
            ),
            _update,
            accepted=_ACCEPTED,
        )
    )


def _create(logical_id: str, properties: Properties, stack: str) -> Made:
    made = associations.create(_request(properties))['AssociationDescription']['AssociationId']
    try:
        _wait_for_success(made, properties)
    except RuntimeError:
        # The stack has no physical id to delete yet.
        _delete(made, properties)
        raise
    return made, {'AssociationId': made}


def _update(physical_id: str, old: Properties, new: Properties, stack: str) -> Made:
    associations.update({**_request(new), 'AssociationId': physical_id})
    _wait_for_success(physical_id, new)
    return physical_id, {'AssociationId': physical_id}


def _delete(physical_id: str, properties: Properties) -> None:
    try:
        associations.delete({'AssociationId': physical_id})
    except Refused as refused:
        if refused.code != 'AssociationDoesNotExist':
            raise


def _request(properties: Properties) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if key not in ('WaitForSuccessTimeoutSeconds', 'Tags')}


def _wait_for_success(identity: str, properties: Properties) -> None:
    """CloudFormation waits for the first run when the template says how long."""
    seconds = properties.get('WaitForSuccessTimeoutSeconds')
    end = time.monotonic() + float(seconds or 0)
    while seconds:
        status = associations.describe({'AssociationId': identity})['AssociationDescription']['Overview']['Status']
        if status == 'Success':
            return
        if status == 'Failed' or time.monotonic() > end:
            raise RuntimeError(f'the association {identity} did not succeed within {seconds} s; its status: {status}')
        time.sleep(_POLL_SECONDS)
