"""Multi-Attach: one io2 volume on many instances, what EBS and CloudFormation refuse, and fencing by a stop."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Cloud, instance_state, until, volume_state
from errors import refused
from stacks import Stack

Make = Callable[..., str]
SHARED = {'VolumeType': 'io2', 'Iops': 1000, 'MultiAttachEnabled': True}


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def attach(cloud: Cloud, disk: str, host: str, device: str = '/dev/sdf') -> None:
    cloud.client('ec2').attach_volume(VolumeId=disk, InstanceId=host, Device=device)


def test_sixteen_instances_and_not_one_more(cloud: Cloud, instance: Make, volume: Make) -> None:
    disk, hosts = volume(**SHARED), [instance() for _ in range(17)]
    for host in hosts[:16]:
        attach(cloud, disk, host)
    with refused('AttachmentLimitExceeded', '16 instances'):
        attach(cloud, disk, hosts[16])
    until(lambda: {state for _, state in (volume_state(cloud, disk) or ('', []))[1]} == {'attached'}, 'all attached')
    with refused('VolumeInUse', disk):
        cloud.client('ec2').delete_volume(VolumeId=disk)
    cloud.client('ec2').detach_volume(VolumeId=disk, InstanceId=hosts[0])
    until(lambda: len((volume_state(cloud, disk) or ('', []))[1]) == 15, 'one detached')
    assert (volume_state(cloud, disk) or ('', []))[0] == 'in-use'


def test_only_nitro_instances_of_the_same_zone(cloud: Cloud, instance: Make, volume: Make) -> None:
    with refused('InvalidParameterCombination', 'Nitro'):
        attach(cloud, volume(**SHARED), instance(InstanceType='m4.xlarge'))
    with refused('InvalidVolume.ZoneMismatch'):
        attach(cloud, volume(**SHARED, AvailabilityZone='us-east-1b'), instance())


def test_what_can_be_modified(cloud: Cloud, instance: Make, volume: Make) -> None:
    ec2, host = cloud.client('ec2'), instance()
    disk = volume(**SHARED)
    assert ec2.modify_volume(VolumeId=disk, Iops=1100)['VolumeModification']['TargetIops'] == 1100
    with refused('InvalidParameterCombination', 'type'):
        ec2.modify_volume(VolumeId=disk, VolumeType='gp3')
    other = instance()
    attach(cloud, disk, host)
    attach(cloud, disk, other)
    with refused('IncorrectState', 'not attached'):
        ec2.modify_volume(VolumeId=disk, MultiAttachEnabled=False)
    with refused('InvalidParameterCombination', 'io1'):
        ec2.modify_volume(VolumeId=volume(VolumeType='io1', Iops=100, MultiAttachEnabled=True), Size=20)
    with refused('InvalidParameterCombination', 'only io2'):
        ec2.modify_volume(VolumeId=volume(VolumeType='io1', Iops=100), MultiAttachEnabled=True)
    alone = volume(VolumeType='io2', Iops=100)
    ec2.modify_volume(VolumeId=alone, MultiAttachEnabled=True)
    assert ec2.describe_volumes(VolumeIds=[alone])['Volumes'][0]['MultiAttachEnabled']


def test_fencing_stops_the_node_and_the_others_keep_the_volume(cloud: Cloud, instance: Make, volume: Make) -> None:
    ec2, disk, lost, left = cloud.client('ec2'), volume(**SHARED), instance(), instance()
    for host in (lost, left):
        attach(cloud, disk, host)
    ec2.stop_instances(InstanceIds=[lost], Force=True)
    until(lambda: instance_state(cloud, lost) == 'stopped', 'fenced')
    assert {host for host, _ in (volume_state(cloud, disk) or ('', []))[1]} == {lost, left}
    ec2.start_instances(InstanceIds=[lost])
    until(lambda: instance_state(cloud, lost) == 'running', 'back')
    ec2.terminate_instances(InstanceIds=[lost])
    until(lambda: (volume_state(cloud, disk) or ('', []))[1] == [(left, 'attached')], 'released')
    assert volume_state(cloud, disk) is not None


def disk_of(**more: Any) -> dict[str, Any]:
    properties = {'AvailabilityZone': 'us-east-1a', 'Size': 100, **SHARED, **more}
    return {'Disk': {'Type': 'AWS::EC2::Volume', 'Properties': properties}}


@pytest.mark.parametrize('change', [{'Size': 200}, {'Iops': 2000}, {'MultiAttachEnabled': False}])
def test_cloudformation_cannot_change_a_shared_volume(cloud: Cloud, stack: Stack, change: dict[str, Any]) -> None:
    assert stack.create(disk_of()) == 'CREATE_COMPLETE'
    first = stack.ids()['Disk']
    assert stack.update(disk_of(**change)) == 'UPDATE_ROLLBACK_COMPLETE'
    assert 'CloudFormation cannot change' in stack.reasons()
    assert stack.ids()['Disk'] == first
    assert stack.update(disk_of(Tags=[{'Key': 'a', 'Value': 'b'}])) == 'UPDATE_COMPLETE'
    assert volume_state(cloud, first) == ('available', [])


def test_instance_types() -> None:
    from sas_grid_localcloud.ec2.multi_attach import on_nitro

    assert [on_nitro(one) for one in ('r5b.8xlarge', 'm6i.large', 'i3en.large', 'i3.metal', 't3.large')] == [True] * 5
    assert [on_nitro(one) for one in ('m4.large', 'i3.large', 'r4.large', 't2.micro', 'c4.large')] == [False] * 5
