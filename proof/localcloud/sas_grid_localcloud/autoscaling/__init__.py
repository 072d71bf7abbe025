"""Auto Scaling that launches and replaces real (emulated) instances, with lifecycle hooks."""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.services import autoscaling

from ..query import AUTO_SCALING, Refused
from ..throttling import throttled
from . import capacity, groups, hooks, refreshes

ACTIONS: dict[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    'DescribeAutoScalingGroups': groups.describe,
    'DescribeAutoScalingInstances': groups.describe_instances,
    'DescribeScalingActivities': groups.describe_activities,
    'UpdateAutoScalingGroup': groups.update,
    'SetDesiredCapacity': groups.set_desired_capacity,
    'TerminateInstanceInAutoScalingGroup': groups.terminate_member,
    'SetInstanceHealth': groups.set_health,
    'DeleteAutoScalingGroup': groups.delete,
    'StartInstanceRefresh': refreshes.start,
    'DescribeInstanceRefreshes': refreshes.describe,
    'CancelInstanceRefresh': refreshes.cancel,
    'CompleteLifecycleAction': hooks.complete,
    'RecordLifecycleActionHeartbeat': hooks.heartbeat,
}
"""What replaces or extends ministack's Auto Scaling."""

_TOO_MANY = Refused('Throttling', 'Rate exceeded')


def install() -> None:
    """Put these actions into ministack and begin to look after the groups."""
    # ministack invents members of a group; from now on only capacity.py makes members.
    autoscaling._reconcile_instances = lambda group: None
    for name, handle in ACTIONS.items():
        autoscaling._ACTION_MAP[name] = AUTO_SCALING.action(name, handle)
    autoscaling._ACTION_MAP['CreateAutoScalingGroup'] = groups.create
    for name, handler in list(autoscaling._ACTION_MAP.items()):
        autoscaling._ACTION_MAP[name] = throttled(AUTO_SCALING, name, _TOO_MANY, handler)
    capacity.start()
