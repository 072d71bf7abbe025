"""AWS::DLM::LifecyclePolicy."""

from typing import Any

from .. import dlm
from .fsx_types import typed
from .registry import Made, Properties, ResourceType, register


def _request(properties: Properties) -> dict[str, Any]:
    details = typed(properties.get('PolicyDetails') or {})
    tags = {tag['Key']: tag['Value'] for tag in properties.get('Tags') or []}
    return {**properties, 'PolicyDetails': details, 'Tags': tags}


def _create(logical_id: str, properties: Properties, stack: str) -> Made:
    made = dlm.create({'State': 'ENABLED', **_request(properties)})
    return made['PolicyId'], {'Arn': made['PolicyArn']}


def _update(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    request = {'State': 'ENABLED', **_request(new)}
    policy = dlm.update(identity, request)
    policy['Tags'] = request['Tags']
    return identity, {'Arn': policy['PolicyArn']}


def _delete(identity: str, properties: Properties) -> None:
    dlm.POLICIES.pop(identity, None)


def install() -> None:
    """Register the type."""
    register(
        ResourceType(
            'AWS::DLM::LifecyclePolicy',
            _create,
            _delete,
            frozenset({'Description', 'ExecutionRoleArn', 'PolicyDetails', 'State', 'Tags'}),
            _update,
        )
    )
