"""AWS::CloudWatch::CompositeAlarm, which ministack's CloudFormation lacks."""

from ministack.services import cloudwatch

from ..scope import arn
from .registry import Made, Properties, ResourceType, physical_name, register


def _put(name: str, properties: Properties) -> Made:
    cloudwatch._put_composite_alarm({}, {**properties, 'AlarmName': name}, False, is_json=True)
    return name, {'Arn': arn('cloudwatch', f'alarm:{name}')}


def _create(logical_id: str, properties: Properties, stack: str) -> Made:
    return _put(str(properties.get('AlarmName') or physical_name(stack, logical_id)), properties)


def _update(name: str, old: Properties, new: Properties, stack: str) -> Made:
    return _put(name, new)


def _delete(name: str, properties: Properties) -> None:
    cloudwatch._composite_alarms.pop(name, None)


def install() -> None:
    """Register the type."""
    register(
        ResourceType(
            'AWS::CloudWatch::CompositeAlarm',
            _create,
            _delete,
            frozenset(
                [
                    'ActionsEnabled',
                    'AlarmActions',
                    'AlarmDescription',
                    'AlarmName',
                    'AlarmRule',
                    'InsufficientDataActions',
                    'OKActions',
                ]
            ),
            _update,
            accepted=frozenset({'Tags'}),
        )
    )
