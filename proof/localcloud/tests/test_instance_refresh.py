"""Instance refreshes: how many members are replaced at a time, in which order, and when a refresh gives up."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Cloud, Network, start_cloud, stop_cloud, unique, until
from errors import refused

LAUNCH = {
    'LifecycleHookName': 'launch',
    'LifecycleTransition': 'autoscaling:EC2_INSTANCE_LAUNCHING',
    'HeartbeatTimeout': 60,
    'DefaultResult': 'ABANDON',
}


class Group:
    """A group of three whose launches wait for an answer once all are in service."""

    def __init__(self, cloud: Cloud, network: Network, size: int = 3, **more: Any) -> None:
        self.name, self.client, self.cloud = unique('refreshed'), cloud.client('autoscaling'), cloud
        self.template = cloud.client('ec2').create_launch_template(
            LaunchTemplateName=self.name,
            LaunchTemplateData={'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'},
        )['LaunchTemplate']['LaunchTemplateId']
        self.client.create_auto_scaling_group(
            AutoScalingGroupName=self.name,
            MinSize=size,
            MaxSize=size,
            VPCZoneIdentifier=network.subnet,
            LaunchTemplate={'LaunchTemplateId': self.template, 'Version': '1'},
            TerminationPolicies=['NewestInstance'],
            **more,
        )
        until(lambda: list(self.members().values()) == ['InService'] * size, 'the first members')
        self.first = list(self.members())
        self.client.put_lifecycle_hook(AutoScalingGroupName=self.name, **{key: LAUNCH[key] for key in LAUNCH})

    def members(self) -> dict[str, str]:
        found = self.client.describe_auto_scaling_groups(AutoScalingGroupNames=[self.name])['AutoScalingGroups']
        return {one['InstanceId']: one['LifecycleState'] for group in found for one in group['Instances']}

    def start(self, configuration: dict[str, Any] | None = None, **preferences: Any) -> str:
        more = {'DesiredConfiguration': configuration} if configuration else {}
        answer = self.client.start_instance_refresh(AutoScalingGroupName=self.name, Preferences=preferences, **more)
        return str(answer['InstanceRefreshId'])

    def newest(self) -> dict[str, Any]:
        told = self.client.describe_instance_refreshes(AutoScalingGroupName=self.name)['InstanceRefreshes']
        found: dict[str, Any] = told[0]
        return found

    def waiting(self, count: int) -> list[str]:
        """Waits until so many launches wait for their hook, and no more a moment later."""

        def found() -> list[str]:
            return [one for one, state in self.members().items() if state == 'Pending:Wait']

        until(lambda: len(found()) == count, f'{count} launches')
        time.sleep(0.15)
        assert len(found()) == count
        return found()

    def let(self, instance: str) -> None:
        self.client.complete_lifecycle_action(
            AutoScalingGroupName=self.name,
            LifecycleHookName='launch',
            InstanceId=instance,
            LifecycleActionResult='CONTINUE',
        )
        until(lambda: self.members().get(instance) != 'Pending:Wait', f'{instance} to go on')

    def old(self) -> list[str]:
        """Those of before that are still in service."""
        return [one for one, state in self.members().items() if one in self.first and state == 'InService']

    def launched(self) -> int:
        """How many members there ever were."""
        return len(self.cloud.history(kind='lifecycle', to='Pending', group=self.name))

    def ended(self) -> str:
        until(lambda: 'EndTime' in self.newest(), 'the end of the refresh')
        return str(self.newest()['Status'])


@pytest.fixture
def groups(cloud: Cloud, network: Network) -> Iterator[Callable[..., Group]]:
    made: list[Group] = []

    def make(**more: Any) -> Group:
        made.append(Group(cloud, network, **more))
        return made[-1]

    yield make
    for one in made:
        one.client.delete_auto_scaling_group(AutoScalingGroupName=one.name, ForceDelete=True)


def test_by_default_one_of_three_goes_while_its_replacement_comes_the_newest_first(
    groups: Callable[..., Group],
) -> None:
    group = groups()
    group.start()
    assert group.newest()['Status'] in ('Pending', 'InProgress')
    for left in (2, 1, 0):
        [new] = group.waiting(1)
        # Ninety percent of three are three: the percentages alone would let nobody go.
        assert group.old() == group.first[:left]
        assert group.newest()['InstancesToUpdate'] == left + 1
        group.let(new)
    assert group.ended() == 'Successful'
    assert group.newest()['PercentageComplete'] == 100
    until(lambda: len(group.members()) == 3, 'the last one to go')
    assert not set(group.members()) & set(group.first)


@pytest.mark.parametrize(
    'preferences', [{'MinHealthyPercentage': 100}, {'MinHealthyPercentage': 90, 'MaxHealthyPercentage': 100}]
)
def test_where_nobody_may_be_missing_the_replacement_comes_first(
    groups: Callable[..., Group], preferences: dict[str, int]
) -> None:
    group = groups()
    group.start(**preferences)
    for left in (3, 2, 1):
        [new] = group.waiting(1)
        assert group.old() == group.first[:left]
        group.let(new)
    assert group.ended() == 'Successful'
    until(lambda: len(group.members()) == 3, 'the last one to go')
    assert group.launched() == 6


def test_with_no_lower_limit_all_go_at_once(groups: Callable[..., Group]) -> None:
    group = groups()
    group.start(MinHealthyPercentage=0)
    for new in group.waiting(3):
        group.let(new)
    assert group.ended() == 'Successful'


def test_a_replacement_has_to_warm_up(groups: Callable[..., Group]) -> None:
    group = groups(size=1)
    group.start(MinHealthyPercentage=0, InstanceWarmup=1)
    [new] = group.waiting(1)
    group.let(new)
    until(lambda: group.members().get(new) == 'InService', 'in service')
    since = time.monotonic()
    assert group.newest()['InstancesToUpdate'] == 1
    assert group.ended() == 'Successful'
    assert time.monotonic() - since > 0.5


def test_a_desired_configuration_is_the_groups_after_success(groups: Callable[..., Group]) -> None:
    group = groups(size=1)
    ec2 = group.cloud.client('ec2')
    data = {'ImageId': 'ami-87654321', 'InstanceType': 'm6i.large'}
    ec2.create_launch_template_version(LaunchTemplateId=group.template, LaunchTemplateData=data)
    group.start({'LaunchTemplate': {'LaunchTemplateId': group.template, 'Version': '2'}}, MinHealthyPercentage=0)
    [new] = group.waiting(1)
    described = ec2.describe_instances(InstanceIds=[new])['Reservations'][0]['Instances'][0]
    assert described['ImageId'] == 'ami-87654321'
    found = group.client.describe_auto_scaling_groups(AutoScalingGroupNames=[group.name])['AutoScalingGroups'][0]
    assert found['LaunchTemplate']['Version'] == '1'
    group.let(new)
    assert group.ended() == 'Successful'
    found = group.client.describe_auto_scaling_groups(AutoScalingGroupNames=[group.name])['AutoScalingGroups'][0]
    assert found['LaunchTemplate']['Version'] == '2'


def test_one_at_a_time_and_cancelled_when_what_is_under_way_has_ended(groups: Callable[..., Group]) -> None:
    group = groups()
    with refused('ActiveInstanceRefreshNotFound', 'No in progress'):
        group.client.cancel_instance_refresh(AutoScalingGroupName=group.name)
    group.start()
    with refused('InstanceRefreshInProgress', 'already in progress'):
        group.start()
    [new] = group.waiting(1)
    group.client.cancel_instance_refresh(AutoScalingGroupName=group.name)
    time.sleep(0.2)
    assert group.newest()['Status'] == 'Cancelling'
    group.let(new)
    assert group.ended() == 'Cancelled'
    assert list(group.members()) == [*group.first[:2], new]


@pytest.mark.parametrize(
    ('preferences', 'message'),
    [
        ({'MaxHealthyPercentage': 120}, 'requires MinHealthyPercentage'),
        ({'MinHealthyPercentage': 50, 'MaxHealthyPercentage': 160}, 'more than 100'),
        ({'MinHealthyPercentage': 90, 'MaxHealthyPercentage': 201}, 'less than or equal to 200'),
        ({'SkipMatching': True}, 'SkipMatching is not implemented'),
        ({'CheckpointPercentages': [50]}, 'CheckpointPercentages is not implemented'),
    ],
)
def test_what_auto_scaling_refuses_is_refused(
    groups: Callable[..., Group], preferences: dict[str, Any], message: str
) -> None:
    group = groups(size=1)
    with refused('ValidationError', message):
        group.start(**preferences)


def test_who_is_protected_from_scale_in_is_replaced_only_on_request(groups: Callable[..., Group]) -> None:
    group = groups(size=1, NewInstancesProtectedFromScaleIn=True)
    group.start(MinHealthyPercentage=0, ScaleInProtectedInstances='Ignore')
    assert group.ended() == 'Successful'
    assert list(group.members()) == group.first
    group.start(MinHealthyPercentage=0, ScaleInProtectedInstances='Refresh')
    [new] = group.waiting(1)
    group.let(new)
    assert group.ended() == 'Successful'


def test_a_refresh_that_gets_nowhere_fails(tmp_path: Path) -> None:
    cloud = start_cloud(
        tmp_path / 'state', '--without-hosts', environment={'SAS_GRID_LOCALCLOUD_REFRESH_STUCK_SECONDS': '1'}
    )
    try:
        ec2 = cloud.client('ec2')
        vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/22', AvailabilityZone='us-east-1a')['Subnet']
        network = Network(vpc, subnet['SubnetId'], '')
        stuck = Group(cloud, network, size=2)
        stuck.start(MinHealthyPercentage=50)
        assert stuck.ended() == 'Failed'
        assert 'do not come into service' in stuck.newest()['StatusReason']
        assert stuck.old() == stuck.first[:1]
        last = Group(cloud, network, size=1)
        last.start(MinHealthyPercentage=0)
        assert last.ended() == 'Failed'
        protected = Group(cloud, network, size=1, NewInstancesProtectedFromScaleIn=True)
        protected.start(MinHealthyPercentage=0)
        assert protected.ended() == 'Failed'
        assert 'protected from scale in' in protected.newest()['StatusReason']
        assert list(protected.members()) == protected.first
    finally:
        stop_cloud(cloud)
