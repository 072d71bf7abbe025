"""EC2 at its worst, as programs that move volumes meet it: stale answers, refusals in between, too many requests."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from conftest import Cloud, instance_state, start_cloud, stop_cloud, unique, until, volume_state
from errors import refused
from sas_grid_localcloud import throttling

LAG = 0.4


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS of its own: describes are behind, requests are throttled, the terminated soon forgotten."""
    more = {
        'SAS_GRID_LOCALCLOUD_LAG_SECONDS': str(LAG),
        'SAS_GRID_LOCALCLOUD_TERMINATED_TAGGED_SECONDS': '0.2',
        'SAS_GRID_LOCALCLOUD_TERMINATED_SHOWN_SECONDS': '2',
        'SAS_GRID_LOCALCLOUD_DETACH_SECONDS': '0.5',
        throttling.VARIABLE: 'DescribeKey*=1 DescribePolicies=2',
    }
    running = start_cloud(tmp_path_factory.mktemp('harsh') / 'state', '--without-hosts', environment=more)
    yield running
    stop_cloud(running)


@pytest.fixture(scope='module')
def subnet(cloud: Cloud) -> str:
    ec2 = cloud.client('ec2')
    vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
    made = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/22', AvailabilityZone='us-east-1a')['Subnet']
    return str(made['SubnetId'])


@contextmanager
def within_lag() -> Iterator[None]:
    """What the block saw proves nothing, either way, when it took longer than the lag."""
    started = time.monotonic()
    try:
        yield
    except AssertionError:
        if time.monotonic() - started >= LAG:
            pytest.skip('this machine is too busy for this test')
        raise


@pytest.fixture
def launch(cloud: Cloud, subnet: str) -> Callable[..., str]:
    ec2 = cloud.client('ec2')

    def make(**more: Any) -> str:
        wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': subnet, **more}
        one = ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]['InstanceId']
        until(lambda: instance_state(cloud, one) == 'running', f'{one} running')
        return str(one)

    return make


@pytest.fixture
def disk(cloud: Cloud) -> str:
    one = cloud.client('ec2').create_volume(AvailabilityZone='us-east-1a', Size=1, VolumeType='gp3')['VolumeId']
    until(lambda: volume_state(cloud, one) == ('available', []), f'{one} available')
    return str(one)


def instance_tags(cloud: Cloud, identity: str) -> list[Any]:
    return list(cloud.client('ec2').describe_tags(Filters=[{'Name': 'resource-id', 'Values': [identity]}])['Tags'])


def interface_state(cloud: Cloud, identity: str) -> tuple[str, str | None] | None:
    wanted = [{'Name': 'network-interface-id', 'Values': [identity]}]
    found = cloud.client('ec2').describe_network_interfaces(Filters=wanted)['NetworkInterfaces']
    return (found[0]['Status'], found[0].get('Attachment', {}).get('Status')) if found else None


def test_volumes_are_seen_as_they_were(cloud: Cloud, launch: Callable[..., str], disk: str) -> None:
    ec2 = cloud.client('ec2')
    first, second = launch(), launch()
    with within_lag():
        answer = ec2.attach_volume(VolumeId=disk, InstanceId=first, Device='/dev/sdf')
        assert volume_state(cloud, disk) == ('available', [])
    assert answer['State'] == 'attaching'
    # What is seen as available is refused all the same.
    with refused('VolumeInUse', disk):
        ec2.attach_volume(VolumeId=disk, InstanceId=second, Device='/dev/sdf')
    until(lambda: volume_state(cloud, disk) == ('in-use', [(first, 'attached')]), 'seen attached')
    with cloud.still():
        with within_lag():
            ec2.detach_volume(VolumeId=disk)
            assert volume_state(cloud, disk) == ('in-use', [(first, 'attached')])
            held = ec2.describe_instances(InstanceIds=[first])['Reservations'][0]['Instances'][0]['BlockDeviceMappings']
            assert disk in [one['Ebs']['VolumeId'] for one in held]
        until(lambda: volume_state(cloud, disk) == ('in-use', [(first, 'detaching')]), 'seen detaching')
    until(lambda: volume_state(cloud, disk) == ('available', []), 'free')


def test_nothing_is_attached_while_it_is_detached(cloud: Cloud, launch: Callable[..., str], disk: str) -> None:
    ec2 = cloud.client('ec2')
    first, second = launch(), launch()
    ec2.attach_volume(VolumeId=disk, InstanceId=first, Device='/dev/sdf')
    subnet = ec2.describe_instances(InstanceIds=[first])['Reservations'][0]['Instances'][0]['SubnetId']
    eni = ec2.create_network_interface(SubnetId=subnet)['NetworkInterface']['NetworkInterfaceId']
    held = ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=first, DeviceIndex=1)['AttachmentId']
    until(lambda: interface_state(cloud, eni) == ('in-use', 'attached'), 'interface attached')
    until(lambda: volume_state(cloud, disk) == ('in-use', [(first, 'attached')]), 'volume attached')
    with cloud.still():
        ec2.detach_volume(VolumeId=disk)
        ec2.detach_network_interface(AttachmentId=held)
        for host in (first, second):
            with refused('VolumeInUse', disk):
                ec2.attach_volume(VolumeId=disk, InstanceId=host, Device='/dev/sdg')
            with refused('InvalidNetworkInterface.InUse', eni):
                ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=host, DeviceIndex=2)
        with refused('IncorrectState', disk):
            ec2.detach_volume(VolumeId=disk)
    until(lambda: interface_state(cloud, eni) == ('available', None), 'interface free')
    until(lambda: volume_state(cloud, disk) == ('available', []), 'volume free')


def test_instances_are_seen_alive_after_their_death_and_then_forgotten(
    cloud: Cloud, launch: Callable[..., str], disk: str
) -> None:
    ec2 = cloud.client('ec2')
    tags = [{'Key': 'tier', 'Value': 'a'}]
    host = launch(TagSpecifications=[{'ResourceType': 'instance', 'Tags': tags}])
    assert instance_tags(cloud, host)
    ec2.attach_volume(VolumeId=disk, InstanceId=host, Device='/dev/sdf')
    until(lambda: volume_state(cloud, disk) == ('in-use', [(host, 'attached')]), 'attached')
    with within_lag():
        ec2.terminate_instances(InstanceIds=[host])
        assert instance_state(cloud, host) == 'running'
    with refused('IncorrectInstanceState', host):
        ec2.detach_volume(VolumeId=disk)
    until(lambda: instance_state(cloud, host) == 'terminated', 'seen terminated')
    until(lambda: instance_tags(cloud, host) == [], 'without its tags')
    assert instance_state(cloud, host) == 'terminated'
    until(lambda: instance_state(cloud, host) is None, 'forgotten')
    with refused('InvalidInstanceID.NotFound', host):
        ec2.terminate_instances(InstanceIds=[host])
    with refused('InvalidInstanceID.NotFound', host):
        ec2.describe_instances(InstanceIds=[host])
    until(lambda: volume_state(cloud, disk) == ('available', []), 'released')


def test_pending_instances_take_nothing(cloud: Cloud, subnet: str, disk: str) -> None:
    ec2 = cloud.client('ec2')
    eni = ec2.create_network_interface(SubnetId=subnet)['NetworkInterface']['NetworkInterfaceId']
    wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': subnet}
    with cloud.still():
        host = ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]['InstanceId']
        with refused('IncorrectState', host):
            ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=host, DeviceIndex=1)
        with refused('IncorrectState', host):
            ec2.attach_volume(VolumeId=disk, InstanceId=host, Device='/dev/sdf')


def test_a_client_token_makes_one_instance(cloud: Cloud, subnet: str) -> None:
    ec2 = cloud.client('ec2')
    token = unique('token')
    wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': subnet, 'ClientToken': token}
    first = ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]
    until(lambda: instance_state(cloud, first['InstanceId']) == 'running', 'running')
    again = ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]
    assert (again['InstanceId'], again['State']['Name']) == (first['InstanceId'], 'running')
    with refused('IdempotentParameterMismatch', token):
        ec2.run_instances(MinCount=2, MaxCount=2, **wanted)
    volume = {'AvailabilityZone': 'us-east-1a', 'Size': 1, 'ClientToken': token}
    assert ec2.create_volume(**volume)['VolumeId'] == ec2.create_volume(**volume)['VolumeId']


def test_small_types_take_few_interfaces(cloud: Cloud, subnet: str, launch: Callable[..., str]) -> None:
    ec2 = cloud.client('ec2')
    host = launch()
    made = [ec2.create_network_interface(SubnetId=subnet)['NetworkInterface']['NetworkInterfaceId'] for _ in range(3)]
    for index, eni in enumerate(made[:2], start=1):
        ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=host, DeviceIndex=index)
    with refused('AttachmentLimitExceeded', 'its limit is 3'):
        ec2.attach_network_interface(NetworkInterfaceId=made[2], InstanceId=host, DeviceIndex=3)


def test_too_many_requests(cloud: Cloud) -> None:
    with refused('RequestLimitExceeded'):
        cloud.client('ec2').describe_key_pairs()
    assert cloud.calls(service='ec2', action='DescribeKeyPairs')[-1]['status'] == 503
    scaling = cloud.client('autoscaling')
    scaling.describe_policies()
    with refused('Throttling'):
        scaling.describe_policies()
    scaling.describe_policies()


def test_throttling_is_checked() -> None:
    assert throttling.parse('') == []
    with pytest.raises(ValueError, match="SAS_GRID_LOCALCLOUD_THROTTLE has 'Attach'; allowed: <action>=<n>"):
        throttling.parse('AttachVolume=2 Attach')
    with pytest.raises(ValueError, match="'Attach=0'"):
        throttling.parse('Attach=0')
