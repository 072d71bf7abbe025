"""Volumes: states, and EC2's refusals when attaching, detaching and deleting."""

from collections.abc import Callable

import pytest

from conftest import Cloud, Network, instance_state, until, volume_state
from errors import refused

Make = Callable[..., str]


def attach(cloud: Cloud, volume_id: str, instance_id: str, device: str = '/dev/sdf') -> None:
    cloud.client('ec2').attach_volume(VolumeId=volume_id, InstanceId=instance_id, Device=device)


def attached(cloud: Cloud, volume_id: str, instance_id: str) -> None:
    wanted = ('in-use', [(instance_id, 'attached')])
    until(lambda: volume_state(cloud, volume_id) == wanted, f'{volume_id} attached')


def test_attach_and_detach_take_time(cloud: Cloud, instance: Make, volume: Make) -> None:
    host, disk = instance(), volume()
    with cloud.still():
        attach(cloud, disk, host)
        assert volume_state(cloud, disk) == ('in-use', [(host, 'attaching')])
    attached(cloud, disk, host)
    with cloud.still():
        cloud.client('ec2').detach_volume(VolumeId=disk)
        assert volume_state(cloud, disk) == ('in-use', [(host, 'detaching')])
    until(lambda: volume_state(cloud, disk) == ('available', []), 'detached')
    states = [one['to'] for one in cloud.history(kind='volume-attachment', id=disk)]
    assert states == ['attaching', 'attached', 'detaching', 'detached']


def test_a_volume_is_attached_once(cloud: Cloud, instance: Make, volume: Make) -> None:
    first, second, disk = instance(), instance(), volume()
    attach(cloud, disk, first)
    with refused('VolumeInUse', disk):
        attach(cloud, disk, second)
    with refused('VolumeInUse', disk):
        cloud.client('ec2').delete_volume(VolumeId=disk)
    with refused('InvalidParameterValue', '/dev/sdf'):
        attach(cloud, volume(), first)


def test_what_does_not_exist_or_does_not_fit(cloud: Cloud, instance: Make, volume: Make) -> None:
    host, disk = instance(), volume()
    ec2 = cloud.client('ec2')
    with refused('InvalidVolume.NotFound', 'vol-0123456789abcdef0'):
        attach(cloud, 'vol-0123456789abcdef0', host)
    with refused('InvalidInstanceID.NotFound', 'i-0123456789abcdef0'):
        attach(cloud, disk, 'i-0123456789abcdef0')
    with refused('InvalidInstanceID.Malformed', 'i-xyz'):
        attach(cloud, disk, 'i-xyz')
    with refused('InvalidVolume.ZoneMismatch', host):
        attach(cloud, volume(AvailabilityZone='us-east-1b'), host)
    with refused('IncorrectState', disk):
        ec2.detach_volume(VolumeId=disk)
    other = instance()
    attach(cloud, disk, host)
    with refused('InvalidAttachment.NotFound', other):
        ec2.detach_volume(VolumeId=disk, InstanceId=other)


def test_terminating_keeps_volumes_attached_until_terminated(cloud: Cloud, instance: Make, volume: Make) -> None:
    old, new, disk = instance(), instance(), volume()
    attach(cloud, disk, old)
    attached(cloud, disk, old)
    with cloud.still():
        cloud.client('ec2').terminate_instances(InstanceIds=[old])
        assert instance_state(cloud, old) == 'shutting-down'
        with refused('VolumeInUse'):
            attach(cloud, disk, new)
    until(lambda: volume_state(cloud, disk) == ('available', []), 'released')
    assert instance_state(cloud, old) == 'terminated'
    ended = cloud.history(kind='instance', id=old, to='terminated')[0]['time']
    assert cloud.history(kind='volume-attachment', id=disk, to='detached')[0]['time'] >= ended
    with refused('IncorrectState', old):
        attach(cloud, disk, old, '/dev/sdg')


def test_stopped_instances_keep_their_volumes(cloud: Cloud, instance: Make, volume: Make) -> None:
    host, disk = instance(), volume()
    attach(cloud, disk, host)
    attached(cloud, disk, host)
    cloud.client('ec2').stop_instances(InstanceIds=[host])
    until(lambda: instance_state(cloud, host) == 'stopped', 'stopped')
    assert volume_state(cloud, disk) == ('in-use', [(host, 'attached')])
    cloud.client('ec2').start_instances(InstanceIds=[host])
    until(lambda: instance_state(cloud, host) == 'running', 'running again')
    assert volume_state(cloud, disk) == ('in-use', [(host, 'attached')])


def test_multi_attach(cloud: Cloud, instance: Make, volume: Make) -> None:
    disk = volume(VolumeType='io2', Iops=100, MultiAttachEnabled=True)
    first, second = instance(), instance()
    attach(cloud, disk, first)
    attach(cloud, disk, second)
    with refused('VolumeInUse'):
        attach(cloud, disk, second, '/dev/sdg')
    with refused('InvalidParameterCombination', 'multiple attachments'):
        cloud.client('ec2').detach_volume(VolumeId=disk)


@pytest.mark.parametrize(
    ('code', 'wanted'),
    [
        ('InvalidParameterCombination', {'VolumeType': 'gp3', 'MultiAttachEnabled': True}),
        ('InvalidParameterValue', {'VolumeType': 'gp3', 'Size': 70000}),
        ('InvalidParameterValue', {'VolumeType': 'gp3', 'Iops': 90000}),
        ('InvalidParameterValue', {'VolumeType': 'gp3', 'Throughput': 1000}),
        ('MissingParameter', {'VolumeType': 'io2'}),
        ('UnknownVolumeType', {'VolumeType': 'gp9'}),
        ('InvalidZone.NotFound', {'AvailabilityZone': 'mars-1a'}),
    ],
)
def test_impossible_volumes(cloud: Cloud, code: str, wanted: dict[str, object]) -> None:
    request = {'AvailabilityZone': 'us-east-1a', 'Size': 10, **wanted}
    with refused(code):
        cloud.client('ec2').create_volume(**request)


def test_volumes_keep_what_was_asked_for(cloud: Cloud, volume: Make) -> None:
    ec2 = cloud.client('ec2')
    tags = [{'ResourceType': 'volume', 'Tags': [{'Key': 'purpose', 'Value': 'keep'}]}]
    key = cloud.client('kms').create_key()['KeyMetadata']['KeyId']
    disk = volume(Iops=4000, Throughput=500, Encrypted=True, KmsKeyId=key, TagSpecifications=tags)
    shown = ec2.describe_volumes(Filters=[{'Name': 'tag:purpose', 'Values': ['keep']}])['Volumes'][0]
    assert shown['VolumeId'] == disk
    assert (shown['Iops'], shown['Throughput'], shown['Encrypted']) == (4000, 500, True)
    assert shown['Tags'] == [{'Key': 'purpose', 'Value': 'keep'}]
    assert ec2.modify_volume(VolumeId=disk, Size=20)['VolumeModification']['TargetSize'] == 20
    with refused('InvalidParameterValue', 'smaller'):
        ec2.modify_volume(VolumeId=disk, Size=5)


def test_describes_are_behind_and_strict(cloud: Cloud) -> None:
    ec2 = cloud.client('ec2')
    fresh = ec2.create_volume(AvailabilityZone='us-east-1a', Size=1, VolumeType='gp3')['VolumeId']
    with refused('InvalidVolume.NotFound', fresh):
        ec2.describe_volumes(VolumeIds=[fresh])
    until(lambda: volume_state(cloud, fresh), 'shown at last')
    with refused('InvalidParameterValue', 'no-such-filter'):
        ec2.describe_volumes(Filters=[{'Name': 'no-such-filter', 'Values': ['x']}])


def test_pages(cloud: Cloud, volume: Make) -> None:
    wanted = {volume(Size=7), volume(Size=7), volume(Size=7)}
    pages = (
        cloud.client('ec2')
        .get_paginator('describe_volumes')
        .paginate(Filters=[{'Name': 'size', 'Values': ['7']}], PaginationConfig={'PageSize': 2})
    )
    sizes = [[one['VolumeId'] for one in page['Volumes']] for page in pages]
    assert [len(one) for one in sizes] == [2, 1]
    assert wanted == {one for page in sizes for one in page}


def test_attachment_limit(cloud: Cloud, instance: Make, network: Network) -> None:
    host = instance()
    ec2 = cloud.client('ec2')
    names = [f'/dev/sd{letter}' for letter in 'fghijklmnop'] + [f'/dev/sdb{letter}' for letter in 'abcdefghijklmnop']
    disks = [ec2.create_volume(AvailabilityZone='us-east-1a', Size=1, VolumeType='gp3')['VolumeId'] for _ in names]
    until(lambda: all(volume_state(cloud, one) == ('available', []) for one in disks), 'available')
    # 28 on Nitro: the root volume, the primary interface and 26 more.
    for disk, name in zip(disks[:26], names[:26], strict=True):
        attach(cloud, disk, host, name)
    with refused('AttachmentLimitExceeded', host):
        attach(cloud, disks[26], host, names[26])


def test_what_goes_with_its_instance(cloud: Cloud, instance: Make, volume: Make) -> None:
    host, kept, gone = instance(), volume(), volume()
    ec2 = cloud.client('ec2')
    attach(cloud, kept, host, '/dev/sdf')
    attach(cloud, gone, host, '/dev/sdg')
    attached(cloud, kept, host)
    attached(cloud, gone, host)

    def marked(one: str) -> bool:
        return bool(ec2.describe_volumes(VolumeIds=[one])['Volumes'][0]['Attachments'][0]['DeleteOnTermination'])

    with refused('InvalidInstanceAttributeValue', '/dev/sdz'):
        ec2.modify_instance_attribute(InstanceId=host, BlockDeviceMappings=[{'DeviceName': '/dev/sdz'}])
    assert not marked(kept)
    # Without a word a volume goes along.
    for device in ('/dev/sdf', '/dev/sdg'):
        ec2.modify_instance_attribute(InstanceId=host, BlockDeviceMappings=[{'DeviceName': device, 'Ebs': {}}])
    until(lambda: marked(kept) and marked(gone), 'marked')
    back = [{'DeviceName': '/dev/sdf', 'Ebs': {'DeleteOnTermination': False}}]
    ec2.modify_instance_attribute(InstanceId=host, BlockDeviceMappings=back)
    until(lambda: not marked(kept), 'kept')
    ec2.terminate_instances(InstanceIds=[host])
    with refused('IncorrectInstanceState', host):
        ec2.modify_instance_attribute(InstanceId=host, BlockDeviceMappings=back)
    until(lambda: volume_state(cloud, kept) == ('available', []), 'free')
    with refused('InvalidVolume.NotFound', gone):
        ec2.describe_volumes(VolumeIds=[gone])


def test_a_snapshot_takes_time_and_is_found_by_its_tags(cloud: Cloud, volume: Make) -> None:
    ec2, disk = cloud.client('ec2'), volume()
    with refused('InvalidVolume.NotFound', 'vol-0'):
        ec2.create_snapshot(VolumeId='vol-0')
    tags = [{'ResourceType': 'snapshot', 'Tags': [{'Key': 'finding', 'Value': 'f'}]}]
    with cloud.still():
        made = ec2.create_snapshot(VolumeId=disk, Description='before', TagSpecifications=tags)
    assert (made['State'], made['VolumeId'], made['Encrypted']) == ('pending', disk, False)

    def state() -> str:
        by_tag = [{'Name': 'tag:finding', 'Values': ['f']}]
        (found,) = ec2.describe_snapshots(OwnerIds=['self'], Filters=by_tag)['Snapshots']
        assert found['SnapshotId'] == made['SnapshotId']
        return str(found['State'])

    until(lambda: state() == 'completed', 'completed')
    states = [one['to'] for one in cloud.history(kind='snapshot', id=made['SnapshotId'])]
    assert states == ['pending', 'completed']
