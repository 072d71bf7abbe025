"""AWS::AutoScaling::AutoScalingGroup: with its own lifecycle hooks, its target groups, and members that leave
through their hooks when the group is deleted."""

import os
from typing import Any

from ministack.services import alb
from ministack.services.cloudformation import provisioners

from ..autoscaling import groups, hooks, mixed, notifications
from ..autoscaling.state import group_record
from ..cloudwatch.derived import GROUP_METRICS
from ..ec2.state import LOCK
from ..query import Refused
from .registry import Made, Properties, ResourceType, register
from .waiting import until

_DELETE_SECONDS = 3600.0
_STABLE_SECONDS = 3600.0


def _create(logical_id: str, properties: Properties, stack: str) -> Made:
    _check(properties)
    with LOCK:
        name, attributes = provisioners._asg_create(logical_id, dict(properties), stack)
        _apply(name, properties)
    _stabilize(name)
    return name, attributes


def _update(name: str, old: Properties, new: Properties, stack: str) -> Made:
    _check(new)
    with LOCK:
        # A name that was generated stays: ministack would generate another one, and with it another group.
        named = {'AutoScalingGroupName': name}
        name, attributes = provisioners._asg_update(name, {**old, **named}, {**new, **named}, stack)
        _apply(name, new)
    return name, attributes


def _apply(name: str, properties: Properties) -> None:
    group = group_record(name)
    group['TargetGroupARNs'] = list(properties.get('TargetGroupARNs') or [])
    mixed.put(group, properties.get('MixedInstancesPolicy') or {})
    group['HealthCheckGracePeriod'] = int(properties.get('HealthCheckGracePeriod') or 0)
    group['_default_warmup'] = int(properties.get('DefaultInstanceWarmup') or 0)
    group['_collected_metrics'] = _collected(properties.get('MetricsCollection') or [])
    notifications.put(group, properties.get('NotificationConfigurations') or [])
    hooks.put_specified(name, list(properties.get('LifecycleHookSpecificationList') or []))


def _collected(listed: list[dict[str, Any]]) -> list[str]:
    """The metrics to measure; without names, all of them."""
    return [one for each in listed for one in each.get('Metrics') or GROUP_METRICS if one in GROUP_METRICS]


def _check(properties: Properties) -> None:
    least, most = int(properties['MinSize']), int(properties['MaxSize'])
    wanted = int(properties.get('DesiredCapacity') or least)
    if not least <= wanted <= most:
        raise Refused('ValidationError', f'DesiredCapacity {wanted} is not between MinSize {least} and MaxSize {most}')
    mixed.check(properties)
    if not properties.get('LaunchTemplate') and not properties.get('MixedInstancesPolicy'):
        raise Refused('ValidationError', 'a group without LaunchTemplate is not implemented by the embedded AWS')
    for one in properties.get('TargetGroupARNs') or []:
        if one not in alb._tgs:
            raise Refused('ValidationError', f'target group {one} does not exist')


def _stabilize(name: str) -> None:
    """Whether CloudFormation waits for members is not documented; both can be tried."""
    if os.environ.get('SAS_GRID_LOCALCLOUD_GROUP_CREATE') != 'in-service':
        return

    def in_service() -> bool:
        group = group_record(name)
        ready = [one for one in group['Instances'] if one['LifecycleState'] == 'InService']
        return len(ready) >= int(group['MinSize'])

    until(in_service, f'group {name} stabilizing', _STABLE_SECONDS)


def _delete(name: str, properties: Properties) -> None:
    with LOCK:
        try:
            group = group_record(name)
        except Refused:
            return
        group.update(MinSize=0, MaxSize=0, DesiredCapacity=0, _deleting=True)
    until(lambda: not group['Instances'], f'group {name} letting go of its instances', _DELETE_SECONDS)
    with LOCK:
        groups.remove(group)


def install() -> None:
    """Register the type."""
    register(
        ResourceType(
            'AWS::AutoScaling::AutoScalingGroup',
            _create,
            _delete,
            frozenset(
                [
                    'AutoScalingGroupName',
                    'AvailabilityZones',
                    'Cooldown',
                    'DefaultInstanceWarmup',
                    'DesiredCapacity',
                    'HealthCheckGracePeriod',
                    'HealthCheckType',
                    'LaunchTemplate',
                    'LifecycleHookSpecificationList',
                    'MaxSize',
                    'MetricsCollection',
                    'MinSize',
                    'MixedInstancesPolicy',
                    'NewInstancesProtectedFromScaleIn',
                    'NotificationConfigurations',
                    'Tags',
                    'TargetGroupARNs',
                    'TerminationPolicies',
                    'VPCZoneIdentifier',
                ]
            ),
            _update,
            accepted=frozenset({'CapacityRebalance'}),
        )
    )
