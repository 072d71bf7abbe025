"""Volumes and address that somebody had deleted with their server outlive it: real functions and host software."""

from collections.abc import Iterator

import pytest
from slot_tier import SlotTier, needs_functions, with_hosts

from conftest import Cloud, instance_state, until

pytestmark = needs_functions


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts."""
    yield from with_hosts(tmp_path_factory.mktemp('outliving') / 'state')


def doom(tier: SlotTier, server: str) -> None:
    """What tidies accounts: all that an instance has goes with it."""
    tier.ec2.modify_instance_attribute(InstanceId=server, BlockDeviceMappings=[{'DeviceName': '/dev/sdf'}])
    held = tier.ec2.describe_network_interfaces(NetworkInterfaceIds=[tier.interface])['NetworkInterfaces'][0]
    tier.ec2.modify_network_interface_attribute(
        NetworkInterfaceId=tier.interface,
        Attachment={'AttachmentId': held['Attachment']['AttachmentId'], 'DeleteOnTermination': True},
    )
    until(lambda: doomed(tier) == [True, True], 'both to be doomed')


def doomed(tier: SlotTier) -> list[bool]:
    disk = tier.ec2.describe_volumes(VolumeIds=[tier.volume])['Volumes'][0]
    card = tier.ec2.describe_network_interfaces(NetworkInterfaceIds=[tier.interface])['NetworkInterfaces'][0]
    return [bool(disk['Attachments'][0]['DeleteOnTermination']), bool(card['Attachment']['DeleteOnTermination'])]


def test_what_a_slot_has_outlives_a_server_with_which_it_was_to_be_deleted(cloud: Cloud) -> None:
    tier = SlotTier(cloud)
    first = tier.serve()
    # A pass at rest takes it back, and the slot stays served.
    doom(tier, first)
    assert tier.serve() == first
    until(lambda: doomed(tier) == [False, False], 'both to be kept')

    # Its group ends the server before anybody has looked: the end waits for a pass, which keeps what it has first.
    doom(tier, first)
    cloud.client('autoscaling').set_instance_health(InstanceId=first, HealthStatus='Unhealthy')
    until(lambda: tier.members()[first][0] == 'Terminating:Wait', 'the termination to wait')
    second = tier.serve()
    assert second != first
    assert instance_state(cloud, first) == 'terminated'
    assert doomed(tier) == [False, False]
    row = tier.row()
    assert (row['owner'], row['epoch'], row['formatted']) == (second, 2, True)
    assert cloud.history(kind='violation') == []


def test_a_server_whose_image_has_a_disk_where_the_slot_attaches_its_own_serves(cloud: Cloud) -> None:
    disk = {'VolumeSize': 1, 'VolumeType': 'gp3', 'DeleteOnTermination': True}
    tier = SlotTier(cloud, BlockDeviceMappings=[{'DeviceName': '/dev/sdf', 'Ebs': disk}])
    server = tier.serve()
    held = tier.ec2.describe_volumes(Filters=[{'Name': 'attachment.instance-id', 'Values': [server]}])['Volumes']
    devices = {one['VolumeId']: one['Attachments'][0]['Device'] for one in held}
    assert '/dev/sdf' in devices.values()
    assert devices[tier.volume].startswith('/dev/xvd')
