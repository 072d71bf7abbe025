"""The actions of Auto Scaling that concern groups and their members."""

from collections.abc import Mapping
from typing import Any

from ministack.services import autoscaling

from ..ec2.describing import page
from ..ec2.instances import start_terminating
from ..ec2.state import LOCK, Record, instance_record
from ..query import Answer, Parameters, Refused, flag, integer, parse
from . import hooks, mixed
from .capacity import begin_terminating
from .state import GONE, group_record, groups, member_record, members, note_activity

_create = autoscaling._create_asg
_NUMBERS = ('MinSize', 'MaxSize', 'DesiredCapacity', 'DefaultCooldown', 'HealthCheckGracePeriod')


def create(parameters: Parameters) -> Answer:
    """CreateAutoScalingGroup: ministack's, with the group's own hooks and target groups."""
    request = parse(parameters)
    mixed.check(request)
    with LOCK:
        answer: Answer = _create(parameters)
        if answer[0] < 400:
            group = group_record(request['AutoScalingGroupName'])
            group['TargetGroupARNs'] = request.get('TargetGroupARNs') or []
            group['LaunchTemplate'] = request.get('LaunchTemplate') or {}
            mixed.put(group, request.get('MixedInstancesPolicy') or {})
            # ministack's is that of the console.
            group['HealthCheckGracePeriod'] = int(request.get('HealthCheckGracePeriod') or 0)
            group['_default_warmup'] = int(request.get('DefaultInstanceWarmup') or 0)
            hooks.put_specified(group['AutoScalingGroupName'], request.get('LifecycleHookSpecificationList') or [])
    return answer


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeAutoScalingGroups."""
    with LOCK:
        wanted = request.get('AutoScalingGroupNames') or []
        found = [one for one in groups() if not wanted or one['AutoScalingGroupName'] in wanted]
        for condition in request.get('Filters') or []:
            found = [one for one in found if _has_tag(one, condition)]
        chosen, token = page(found, {'MaxResults': request.get('MaxRecords'), 'NextToken': request.get('NextToken')})
        return {'AutoScalingGroups': [shown(one) for one in chosen], 'NextToken': token}


def describe_instances(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeAutoScalingInstances."""
    with LOCK:
        wanted = request.get('InstanceIds') or []
        found = [
            {**shown_member(member), 'AutoScalingGroupName': group['AutoScalingGroupName']}
            for group, member in members()
            if not wanted or member['InstanceId'] in wanted
        ]
    return {'AutoScalingInstances': found}


def describe_activities(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeScalingActivities, newest first."""
    with LOCK:
        name = request.get('AutoScalingGroupName')
        found = [
            one for group in groups() if not name or group['AutoScalingGroupName'] == name for one in _noted(group)
        ]
        chosen, token = page(found, {'MaxResults': request.get('MaxRecords'), 'NextToken': request.get('NextToken')})
    return {'Activities': chosen, 'NextToken': token}


def update(request: Mapping[str, Any]) -> dict[str, Any]:
    """UpdateAutoScalingGroup."""
    with LOCK:
        group = group_record(request.get('AutoScalingGroupName'))
        wanted = {key: integer(request[key], key) for key in _NUMBERS if request.get(key)}
        sizes = {**group, **wanted}
        if sizes['MinSize'] > sizes['MaxSize']:
            raise Refused('ValidationError', 'Max bound must be greater than or equal to min bound')
        if 'DesiredCapacity' not in wanted:
            wanted['DesiredCapacity'] = min(max(group['DesiredCapacity'], sizes['MinSize']), sizes['MaxSize'])
        _check_desired(sizes, wanted['DesiredCapacity'] or 0)
        group.update(wanted)
        for name in ('HealthCheckType', 'VPCZoneIdentifier'):
            if request.get(name):
                group[name] = request[name]
        if 'NewInstancesProtectedFromScaleIn' in request:
            group['NewInstancesProtectedFromScaleIn'] = flag(request['NewInstancesProtectedFromScaleIn'])
        if request.get('LaunchTemplate'):
            group['LaunchTemplate'] = {'Version': '$Default', **request['LaunchTemplate']}
    return {}


def set_desired_capacity(request: Mapping[str, Any]) -> dict[str, Any]:
    """SetDesiredCapacity."""
    with LOCK:
        group = group_record(request.get('AutoScalingGroupName'))
        wanted = integer(request.get('DesiredCapacity'), 'desiredCapacity')
        if wanted is None:
            raise Refused('ValidationError', 'DesiredCapacity is required')
        _check_desired(group, wanted)
        group['DesiredCapacity'] = wanted
    return {}


def terminate_member(request: Mapping[str, Any]) -> dict[str, Any]:
    """TerminateInstanceInAutoScalingGroup."""
    with LOCK:
        group, member = member_record(request.get('InstanceId'))
        if flag(request.get('ShouldDecrementDesiredCapacity')):
            if group['DesiredCapacity'] <= group['MinSize']:
                raise Refused(
                    'ValidationError',
                    'Currently, desired size equals min size. Terminating would violate it.',
                )
            group['DesiredCapacity'] -= 1
        if member['LifecycleState'] not in GONE:
            begin_terminating(group, member)
        text = f'Terminating EC2 instance: {member["InstanceId"]}'
        activity = note_activity(group, 'EC2 Instance Terminate Requested', text, 'InProgress', member, 'user request')
    return {'Activity': activity}


def set_health(request: Mapping[str, Any]) -> dict[str, Any]:
    """SetInstanceHealth."""
    with LOCK:
        _, member = member_record(request.get('InstanceId'))
        if request.get('HealthStatus') not in ('Healthy', 'Unhealthy'):
            raise Refused('ValidationError', 'Valid instance health states are: [Healthy, Unhealthy].')
        member['HealthStatus'] = request['HealthStatus']
    return {}


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteAutoScalingGroup: refused while the group has instances, unless ForceDelete."""
    with LOCK:
        group = group_record(request.get('AutoScalingGroupName'))
        if group['Instances'] and not flag(request.get('ForceDelete')):
            raise Refused(
                'ResourceInUse',
                'You cannot delete an AutoScalingGroup while there are instances in the group.',
            )
        for member in group['Instances']:
            # ForceDelete waits for no lifecycle action.
            hooks.forget(member['InstanceId'])
            start_terminating(instance_record(member['InstanceId']))
        remove(group)
    return {}


def remove(group: Record) -> None:
    """Forget a group, its tags, hooks and policies."""
    name = group['AutoScalingGroupName']
    autoscaling._asgs.pop(name, None)
    autoscaling._tags.pop(name, None)
    autoscaling._delete_group_hooks(name)
    autoscaling._delete_group_policies(name)


def shown(group: Record) -> dict[str, Any]:
    """A group as answers carry it."""
    names = (
        'AutoScalingGroupName',
        'AutoScalingGroupARN',
        'MinSize',
        'MaxSize',
        'DesiredCapacity',
        'DefaultCooldown',
        'AvailabilityZones',
        'HealthCheckType',
        'HealthCheckGracePeriod',
        'CreatedTime',
        'VPCZoneIdentifier',
        'TerminationPolicies',
        'NewInstancesProtectedFromScaleIn',
    )
    tags = [
        {**{key: tag[key] for key in ('Key', 'Value', 'ResourceId', 'ResourceType', 'PropagateAtLaunch')}}
        for tag in group.get('Tags', [])
    ]
    return {
        **{name: group[name] for name in names},
        'LaunchTemplate': group['LaunchTemplate'] or None,
        'TargetGroupARNs': group.get('TargetGroupARNs') or [],
        'Instances': [shown_member(member) for member in group['Instances']],
        'Tags': tags,
        'Status': 'Delete in progress' if group.get('_deleting') else None,
    }


def shown_member(member: Record) -> dict[str, Any]:
    """A member as answers carry it."""
    names = (
        'InstanceId',
        'InstanceType',
        'AvailabilityZone',
        'LifecycleState',
        'HealthStatus',
        'ProtectedFromScaleIn',
    )
    return {**{name: member[name] for name in names}, 'LaunchTemplate': member['LaunchTemplate'] or None}


def _noted(group: Record) -> list[dict[str, Any]]:
    return list(group.get('_activities', []))


def _has_tag(group: Record, condition: Mapping[str, Any]) -> bool:
    name, values = str(condition.get('Name')), condition.get('Values') or []
    if name.startswith('tag:'):
        return any(tag['Key'] == name[4:] and tag['Value'] in values for tag in group.get('Tags', []))
    if name == 'tag-key':
        return any(tag['Key'] in values for tag in group.get('Tags', []))
    raise Refused('ValidationError', f'Filter type {name} is not correct.')


def _check_desired(group: Mapping[str, Any], wanted: int) -> None:
    if not group['MinSize'] <= wanted <= group['MaxSize']:
        raise Refused(
            'ValidationError',
            f'Desired capacity: {wanted} must be between the specified min size: {group["MinSize"]} '
            f'and max size: {group["MaxSize"]}',
        )
