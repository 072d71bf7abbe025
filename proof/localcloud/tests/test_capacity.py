"""Placement groups without room, and capacity that is reserved in them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from test_faults import answer, fault

from conftest import Cloud, start_cloud, stop_cloud, until
from stacks import Stack

__all__ = ['fault']

TYPE = 'm6i.large'
GROUP = {'Type': 'AWS::EC2::PlacementGroup', 'Properties': {'Strategy': 'cluster'}}
NAME = {'Fn::GetAtt': ['Group', 'GroupName']}


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    running = start_cloud(tmp_path_factory.mktemp('capacity') / 'state', '--without-hosts')
    yield running
    stop_cloud(running)


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def reservation(**more: Any) -> dict[str, Any]:
    arn = {'Fn::Join': ['', ['arn:aws:ec2:us-east-1:000000000000:placement-group/', NAME]]}
    properties = {
        'InstanceType': TYPE,
        'InstancePlatform': 'Linux/UNIX',
        'InstanceCount': 1,
        'AvailabilityZone': 'us-east-1a',
        'PlacementGroupArn': arn,
        **more,
    }
    return {'Type': 'AWS::EC2::CapacityReservation', 'Properties': properties}


def servers(**data: Any) -> dict[str, Any]:
    template = {'ImageId': 'ami-12345678', 'InstanceType': TYPE, 'Placement': {'GroupName': NAME}, **data}
    reference = {
        'LaunchTemplateId': {'Ref': 'Template'},
        'Version': {'Fn::GetAtt': ['Template', 'LatestVersionNumber']},
    }
    group = {'MinSize': '1', 'MaxSize': '1', 'AvailabilityZones': ['us-east-1a'], 'LaunchTemplate': reference}
    return {
        'Group': GROUP,
        'Template': {'Type': 'AWS::EC2::LaunchTemplate', 'Properties': {'LaunchTemplateData': template}},
        'Servers': {'Type': 'AWS::AutoScaling::AutoScalingGroup', 'Properties': group},
    }


class Group:
    def __init__(self, cloud: Cloud, stack: Stack) -> None:
        self.ids = stack.ids()
        self._client = cloud.client('autoscaling')
        self._ec2 = cloud.client('ec2')

    def member(self) -> str | None:
        found = self._client.describe_auto_scaling_groups(AutoScalingGroupNames=[self.ids['Servers']])
        ready = [one for one in found['AutoScalingGroups'][0]['Instances'] if one['LifecycleState'] == 'InService']
        return str(ready[0]['InstanceId']) if ready else None

    def last_activity(self) -> dict[str, Any]:
        return dict(self._client.describe_scaling_activities(AutoScalingGroupName=self.ids['Servers'])['Activities'][0])

    def instance(self) -> dict[str, Any]:
        found = self._ec2.describe_instances(InstanceIds=[self.member()])
        return dict(found['Reservations'][0]['Instances'][0])

    def lose(self) -> None:
        self._ec2.terminate_instances(InstanceIds=[self.member()])

    def comes_back(self, lost: str) -> None:
        until(lambda: self.member() not in (None, lost), 'a replacement')


def test_a_replacement_finds_no_room_in_its_placement_group(
    cloud: Cloud, stack: Stack, fault: Callable[..., dict[str, Any]]
) -> None:
    assert stack.create(servers()) == 'CREATE_COMPLETE', stack.reasons()
    group = Group(cloud, stack)
    lost = str(until(group.member, 'a server'))
    fault('no-capacity', group=group.ids['Group'], seconds=300)
    before = answer(cloud)['launchesRefused']
    group.lose()
    until(lambda: answer(cloud)['launchesRefused'] > before, 'a launch that is refused')
    assert 'InsufficientInstanceCapacity' in group.last_activity()['StatusMessage']
    assert group.member() is None
    fault('calm')
    group.comes_back(lost)


@pytest.mark.parametrize('named', [False, True])
def test_a_replacement_finds_the_room_that_is_reserved(
    cloud: Cloud, stack: Stack, fault: Callable[..., dict[str, Any]], named: bool
) -> None:
    target = {'CapacityReservationTarget': {'CapacityReservationId': {'Ref': 'Reserved'}}}
    data = {'CapacityReservationSpecification': target} if named else {}
    made = reservation(InstanceMatchCriteria='targeted' if named else 'open')
    assert stack.create({**servers(**data), 'Reserved': made}) == 'CREATE_COMPLETE', stack.reasons()
    group = Group(cloud, stack)
    lost = str(until(group.member, 'a server'))
    if group.instance().get('CapacityReservationId') is None:
        # It was launched before there was a reservation: the next one is in it.
        group.lose()
        group.comes_back(lost)
        lost = str(group.member())
    fault('no-capacity', group=group.ids['Group'], seconds=300)
    group.lose()
    group.comes_back(lost)
    assert group.instance()['CapacityReservationId'] == group.ids['Reserved']


def test_no_more_is_reserved_than_there_is(cloud: Cloud, stack: Stack, fault: Callable[..., dict[str, Any]]) -> None:
    assert stack.create({'Group': GROUP}) == 'CREATE_COMPLETE'
    fault('no-capacity', group=stack.ids()['Group'], seconds=300)
    assert stack.update({'Group': GROUP, 'Reserved': reservation()}) == 'UPDATE_ROLLBACK_COMPLETE'
    assert f'sufficient {TYPE} capacity' in stack.reasons()


def test_a_replacement_of_another_type_leaves_the_placement_group_and_the_next_is_back(
    cloud: Cloud, stack: Stack, fault: Callable[..., dict[str, Any]]
) -> None:
    resources = mixed('m6in.large')
    assert stack.create(resources) == 'CREATE_COMPLETE', stack.reasons()
    group = Group(cloud, stack)
    lost = str(until(group.member, 'a server'))
    assert group.instance()['Placement']['GroupName'] == group.ids['Group']
    fault('no-capacity', group=group.ids['Group'], seconds=300)
    group.lose()
    group.comes_back(lost)
    outside = group.instance()
    assert (outside['InstanceType'], outside['Placement'].get('GroupName', '')) == ('m6in.large', '')
    fault('calm')
    group.lose()
    group.comes_back(outside['InstanceId'])
    assert (group.instance()['InstanceType'], group.instance()['Placement']['GroupName']) == (TYPE, group.ids['Group'])


def test_a_deployed_group_changes_in_place(cloud: Cloud, stack: Stack) -> None:
    assert stack.create(servers()) == 'CREATE_COMPLETE', stack.reasons()
    group = Group(cloud, stack)
    server = until(group.member, 'a server')
    assert stack.update(mixed('m6in.large')) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['Servers'] == group.ids['Servers']
    assert group.member() == server


def test_a_type_is_an_override_once(stack: Stack) -> None:
    assert stack.create(mixed(TYPE)) == 'ROLLBACK_COMPLETE'
    assert 'Cannot add same instance type override more than once' in stack.reasons()


def mixed(fallback: str) -> dict[str, Any]:
    def version(template: str) -> dict[str, Any]:
        return {'LaunchTemplateId': {'Ref': template}, 'Version': {'Fn::GetAtt': [template, 'LatestVersionNumber']}}

    resources = servers()
    data = dict(resources['Template']['Properties']['LaunchTemplateData'])
    del data['Placement']
    resources['Outside'] = {'Type': 'AWS::EC2::LaunchTemplate', 'Properties': {'LaunchTemplateData': data}}
    properties = resources['Servers']['Properties']
    del properties['LaunchTemplate']
    overrides = [
        {'InstanceType': TYPE},
        {'InstanceType': fallback, 'LaunchTemplateSpecification': version('Outside')},
    ]
    properties['MixedInstancesPolicy'] = {
        'LaunchTemplate': {'LaunchTemplateSpecification': version('Template'), 'Overrides': overrides},
        'InstancesDistribution': {'OnDemandAllocationStrategy': 'prioritized'},
    }
    return resources
