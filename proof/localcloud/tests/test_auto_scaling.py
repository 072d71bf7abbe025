"""Auto Scaling: replacement, lifecycle hooks, heartbeats, deletion."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cloud, Network, instance_state, unique, until
from errors import refused

HOOKS = [
    {
        'LifecycleHookName': 'launch',
        'LifecycleTransition': 'autoscaling:EC2_INSTANCE_LAUNCHING',
        'HeartbeatTimeout': 30,
        'DefaultResult': 'ABANDON',
    },
    {
        'LifecycleHookName': 'end',
        'LifecycleTransition': 'autoscaling:EC2_INSTANCE_TERMINATING',
        'HeartbeatTimeout': 30,
        'DefaultResult': 'CONTINUE',
    },
]


class Group:
    """A group under test."""

    def __init__(self, cloud: Cloud, network: Network, hooks: list[dict[str, Any]], size: int = 1) -> None:
        self.name = unique('group')
        self._client = cloud.client('autoscaling')
        template = cloud.client('ec2').create_launch_template(
            LaunchTemplateName=self.name,
            LaunchTemplateData={'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'},
        )['LaunchTemplate']['LaunchTemplateId']
        self._client.create_auto_scaling_group(
            AutoScalingGroupName=self.name,
            MinSize=size,
            MaxSize=size,
            VPCZoneIdentifier=network.subnet,
            LaunchTemplate={'LaunchTemplateId': template, 'Version': '$Latest'},
            LifecycleHookSpecificationList=hooks,
            Tags=[{'Key': 'tier', 'Value': 'oss', 'PropagateAtLaunch': True}],
        )

    def members(self) -> dict[str, str]:
        """Instance ids and lifecycle states."""
        found = self._client.describe_auto_scaling_groups(AutoScalingGroupNames=[self.name])['AutoScalingGroups']
        return {one['InstanceId']: one['LifecycleState'] for group in found for one in group['Instances']}

    def in_state(self, state: str, *without: str) -> str:
        """Waits for a member in this state that is none of ``without``."""

        def found() -> str | None:
            fitting = [one for one, now in self.members().items() if now == state and one not in without]
            return fitting[0] if fitting else None

        return str(until(found, f'a member {state}'))

    def answer(self, hook: str, instance_id: str, result: str) -> None:
        self._client.complete_lifecycle_action(
            AutoScalingGroupName=self.name,
            LifecycleHookName=hook,
            InstanceId=instance_id,
            LifecycleActionResult=result,
        )


@pytest.fixture
def groups(cloud: Cloud, network: Network) -> Iterator[Any]:
    made: list[Group] = []

    def make(hooks: list[dict[str, Any]], size: int = 1) -> Group:
        made.append(Group(cloud, network, hooks, size))
        return made[-1]

    yield make
    for one in made:
        cloud.client('autoscaling').delete_auto_scaling_group(AutoScalingGroupName=one.name, ForceDelete=True)


def test_a_terminated_member_is_replaced(cloud: Cloud, groups: Any) -> None:
    group = groups([])
    first = group.in_state('InService')
    cloud.client('ec2').terminate_instances(InstanceIds=[first])
    second = group.in_state('InService', first)
    until(lambda: list(group.members()) == [second], 'only the replacement left')
    tags = cloud.client('ec2').describe_tags(Filters=[{'Name': 'resource-id', 'Values': [second]}])['Tags']
    assert {'tier': 'oss', 'aws:autoscaling:groupName': group.name}.items() <= {
        t['Key']: t['Value'] for t in tags
    }.items()


def test_the_first_launch_waits_for_the_groups_own_hooks(cloud: Cloud, groups: Any) -> None:
    group = groups(HOOKS)
    first = group.in_state('Pending:Wait')
    assert instance_state(cloud, first) == 'running'
    with refused('ValidationError', 'No active Lifecycle Action'):
        group.answer('end', first, 'CONTINUE')
    cloud.client('autoscaling').record_lifecycle_action_heartbeat(
        AutoScalingGroupName=group.name, LifecycleHookName='launch', InstanceId=first
    )
    group.answer('launch', first, 'CONTINUE')
    group.in_state('InService')
    with refused('ValidationError', 'No active Lifecycle Action'):
        group.answer('launch', first, 'CONTINUE')


def test_abandoned_launches_are_terminated_and_tried_again(cloud: Cloud, groups: Any) -> None:
    group = groups(HOOKS[:1])
    first = group.in_state('Pending:Wait')
    group.answer('launch', first, 'ABANDON')
    second = group.in_state('Pending:Wait', first)
    until(lambda: instance_state(cloud, first) == 'terminated', 'terminated')
    group.answer('launch', second, 'CONTINUE')
    group.in_state('InService')
    told = cloud.client('autoscaling').describe_scaling_activities(AutoScalingGroupName=group.name)['Activities']
    assert {'Cancelled', 'Successful'} <= {one['StatusCode'] for one in told}


def test_terminating_waits_for_its_hook(cloud: Cloud, groups: Any) -> None:
    group = groups(HOOKS[1:])
    first = group.in_state('InService')
    cloud.client('autoscaling').terminate_instance_in_auto_scaling_group(
        InstanceId=first, ShouldDecrementDesiredCapacity=False
    )
    group.in_state('Terminating:Wait')
    assert instance_state(cloud, first) == 'running'
    group.in_state('InService', first)
    group.answer('end', first, 'CONTINUE')
    until(lambda: first not in group.members(), 'gone from the group')


def test_unhealthy_members_are_replaced(cloud: Cloud, groups: Any) -> None:
    group = groups([])
    first = group.in_state('InService')
    cloud.client('autoscaling').set_instance_health(InstanceId=first, HealthStatus='Unhealthy')
    group.in_state('InService', first)


def test_stopped_members_are_replaced(cloud: Cloud, groups: Any) -> None:
    group = groups([])
    first = group.in_state('InService')
    cloud.client('ec2').stop_instances(InstanceIds=[first])
    group.in_state('InService', first)


@pytest.mark.parametrize('end', ['terminate_instances', 'stop_instances'])
def test_health_is_checked_of_members_in_service_only(cloud: Cloud, groups: Any, end: str) -> None:
    group = groups(HOOKS[:1])
    first = group.in_state('Pending:Wait')
    getattr(cloud.client('ec2'), end)(InstanceIds=[first])
    until(lambda: instance_state(cloud, first) in ('terminated', 'stopped'), 'ended')
    time.sleep(1)
    assert group.members() == {first: 'Pending:Wait'}
    group.answer('launch', first, 'ABANDON')
    second = group.in_state('Pending:Wait', first)
    group.answer('launch', second, 'CONTINUE')
    group.in_state('InService')


def test_sizes_are_checked(cloud: Cloud, groups: Any) -> None:
    group = groups([])
    client = cloud.client('autoscaling')
    with refused('ValidationError', '5'):
        client.set_desired_capacity(AutoScalingGroupName=group.name, DesiredCapacity=5)
    group.in_state('InService')
    with refused('ResourceInUse'):
        client.delete_auto_scaling_group(AutoScalingGroupName=group.name)
    client.update_auto_scaling_group(AutoScalingGroupName=group.name, MinSize=0, MaxSize=1, DesiredCapacity=0)
    until(lambda: group.members() == {}, 'empty')
