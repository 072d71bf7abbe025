"""Snapshots carry what is on their volumes at that moment, and volumes that are made of them begin with it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from slot_tier import SlotTier, needs_functions

from conftest import Cloud, instance_state, unique, until, volume_state
from errors import refused
from sas_grid_localcloud.hosts import sparse

Make = Callable[..., str]


@pytest.fixture
def disk(hosted: Cloud) -> Make:
    """Makes available volumes with something written on them."""
    ec2 = hosted.client('ec2')

    def make(text: str = '', **more: Any) -> str:
        wanted = {'AvailabilityZone': 'us-east-1a', 'Size': 10, 'VolumeType': 'gp3', **more}
        wanted = {key: value for key, value in wanted.items() if value is not None}
        one = str(ec2.create_volume(**wanted)['VolumeId'])
        until(lambda: volume_state(hosted, one) == ('available', []), f'{one} available')
        if text:
            write(hosted, one, text)
        return one

    return make


def folder(cloud: Cloud, volume: str) -> Path:
    return cloud.state / 'volumes' / volume


def write(cloud: Cloud, volume: str, text: str) -> None:
    """As the tools of a host do it."""
    place = folder(cloud, volume)
    place.mkdir(exist_ok=True)
    disk = place / 'disk'
    with disk.open('r+b' if disk.exists() else 'wb') as file:
        file.write(text.encode())
        file.truncate(1 << 20)
    (place / 'superblock.json').write_text(json.dumps({'uuid': text, 'mountedBy': 'i-1', 'mounted': ['data']}))


def read(cloud: Cloud, volume: str) -> str:
    """What is on it, by both of its parts."""
    block = json.loads((folder(cloud, volume) / 'superblock.json').read_text())
    on_disk = (folder(cloud, volume) / 'disk').read_bytes()
    assert len(on_disk) == 1 << 20
    assert on_disk.rstrip(b'\0').decode() == block['uuid']
    assert (block['mountedBy'], block['mounted']) == (None, []), 'nobody has it mounted'
    return str(block['uuid'])


def snapshot(cloud: Cloud, volume: str, **more: Any) -> str:
    return str(cloud.client('ec2').create_snapshot(VolumeId=volume, **more)['SnapshotId'])


def completed(cloud: Cloud, *snapshots: str) -> list[dict[str, Any]]:
    def all_completed() -> Any:
        found = cloud.client('ec2').describe_snapshots(SnapshotIds=list(snapshots))['Snapshots']
        return all(one['State'] == 'completed' for one in found) and found

    return list(until(all_completed, 'completed'))


def test_a_volume_of_a_snapshot_begins_with_what_was_on_the_other_at_that_moment(hosted: Cloud, disk: Make) -> None:
    source = disk('before')
    taken = snapshot(hosted, source)
    # It is pending for a while; what is written meanwhile is not in it.
    write(hosted, source, 'after')
    completed(hosted, taken)
    restored, blank = disk(SnapshotId=taken), disk()
    assert read(hosted, restored) == 'before'
    assert not (folder(hosted, blank) / 'superblock.json').exists()
    write(hosted, restored, 'other')
    assert read(hosted, disk(SnapshotId=taken)) == 'before', 'volumes share nothing'


def test_what_is_pending_is_not_restored_and_progress_is_told(hosted: Cloud, disk: Make) -> None:
    ec2, source = hosted.client('ec2'), disk('data', Size=20)
    with hosted.still():
        taken = snapshot(hosted, source)
        [shown] = ec2.describe_snapshots(SnapshotIds=[taken])['Snapshots']
        assert (shown['State'], shown['Progress'], shown['VolumeSize']) == ('pending', '0%', 20)
        with refused('IncorrectState', 'pending'):
            disk(SnapshotId=taken)
    [shown] = completed(hosted, taken)
    assert shown['Progress'] == '100%'
    with refused('InvalidParameterValue', 'expect size >= 20GB'):
        disk(SnapshotId=taken, Size=10)
    with refused('InvalidSnapshot.NotFound', 'snap-0'):
        disk(SnapshotId='snap-0')
    larger = ec2.describe_volumes(VolumeIds=[disk(SnapshotId=taken, Size=None)])['Volumes'][0]
    assert (larger['Size'], larger['SnapshotId']) == (20, taken)


def test_what_is_made_of_an_encrypted_snapshot_is_encrypted_with_its_key(hosted: Cloud, disk: Make) -> None:
    key = hosted.client('kms').create_key()['KeyMetadata']['Arn']
    taken = snapshot(hosted, disk(Encrypted=True, KmsKeyId=key))
    [shown] = completed(hosted, taken)
    assert (shown['Encrypted'], shown['KmsKeyId']) == (True, key)
    made = hosted.client('ec2').describe_volumes(VolumeIds=[disk(SnapshotId=taken)])['Volumes'][0]
    assert (made['Encrypted'], made['KmsKeyId']) == (True, key)


def test_a_copy_outlives_its_original_and_a_deleted_one_frees_what_it_had(hosted: Cloud, disk: Make) -> None:
    ec2 = hosted.client('ec2')
    taken = snapshot(hosted, disk('kept'), Description='one')
    completed(hosted, taken)
    tags = [{'ResourceType': 'snapshot', 'Tags': [{'Key': 'copy', 'Value': 'yes'}]}]
    made = ec2.copy_snapshot(SourceSnapshotId=taken, SourceRegion='us-east-1', TagSpecifications=tags)
    copied = made['SnapshotId']
    assert made['Tags'] == [{'Key': 'copy', 'Value': 'yes'}]
    [shown] = completed(hosted, copied)
    assert (shown['Description'], shown['VolumeSize']) == ('one', 10)
    ec2.delete_snapshot(SnapshotId=taken)
    assert not (hosted.state / 'snapshots' / taken).exists()
    with refused('InvalidSnapshot.NotFound', taken):
        ec2.describe_snapshots(SnapshotIds=[taken])
    with refused('InvalidSnapshot.NotFound', taken):
        ec2.delete_snapshot(SnapshotId=taken)
    assert read(hosted, disk(SnapshotId=copied)) == 'kept'


@pytest.fixture
def instance(hosted: Cloud) -> str:
    ec2 = hosted.client('ec2')
    vpc = ec2.create_vpc(CidrBlock='10.8.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.8.0.0/22', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': subnet}
    made = str(ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]['InstanceId'])
    until(lambda: instance_state(hosted, made) == 'running', 'running')
    return made


def test_the_volumes_of_an_instance_have_one_moment(hosted: Cloud, disk: Make, instance: str) -> None:
    ec2, tag = hosted.client('ec2'), unique('set')
    disks = [disk(f'disk {number}') for number in range(3)]
    for one, device in zip(disks, ('/dev/sdf', '/dev/sdg', '/dev/sdh'), strict=True):
        ec2.create_tags(Resources=[one], Tags=[{'Key': 'position', 'Value': device}])
        ec2.attach_volume(VolumeId=one, InstanceId=instance, Device=device)
    until(lambda: all(volume_state(hosted, one)[1][0][1] == 'attached' for one in disks), 'attached')  # type: ignore[index]
    made = ec2.create_snapshots(
        InstanceSpecification={'InstanceId': instance, 'ExcludeBootVolume': True, 'ExcludeDataVolumeIds': disks[2:]},
        CopyTagsFromSource='volume',
        TagSpecifications=[{'ResourceType': 'snapshot', 'Tags': [{'Key': 'set', 'Value': tag}]}],
    )['Snapshots']
    assert sorted(one['VolumeId'] for one in made) == sorted(disks[:2])
    assert len({one['StartTime'] for one in made}) == 1
    for one in disks:
        write(hosted, one, 'later')
    found = ec2.describe_snapshots(Filters=[{'Name': 'tag:set', 'Values': [tag]}])['Snapshots']
    assert {one['VolumeId']: {tag['Key']: tag['Value'] for tag in one['Tags']} for one in found} == {
        disks[0]: {'position': '/dev/sdf', 'set': tag},
        disks[1]: {'position': '/dev/sdg', 'set': tag},
    }
    completed(hosted, *(one['SnapshotId'] for one in found))
    of = {one['VolumeId']: one['SnapshotId'] for one in found}
    assert [read(hosted, disk(SnapshotId=of[one])) for one in disks[:2]] == ['disk 0', 'disk 1']
    with refused('InvalidParameterValue', 'no volume of the instance'):
        ec2.create_snapshots(InstanceSpecification={'InstanceId': instance, 'ExcludeDataVolumeIds': [disk()]})


@needs_functions
def test_a_snapshot_of_a_slot_that_is_served_has_its_file_system(hosted: Cloud) -> None:
    tier = SlotTier(hosted)
    tier.serve()
    served = json.loads((folder(hosted, tier.volume) / 'superblock.json').read_text())
    assert served['mountedBy']
    taken = snapshot(hosted, tier.volume)
    completed(hosted, taken)
    restored = str(
        hosted.client('ec2').create_volume(AvailabilityZone='us-east-1a', VolumeType='gp3', SnapshotId=taken)[
            'VolumeId'
        ]
    )
    found = json.loads((folder(hosted, restored) / 'superblock.json').read_text())
    assert (found['uuid'], found['formatCount'], found['mountedBy']) == (served['uuid'], 1, None)
    assert found['group']['volumes'].keys() == served['group']['volumes'].keys()


def test_copies_have_the_holes_of_the_original(tmp_path: Path) -> None:
    source, target = tmp_path / 'source', tmp_path / 'target'
    with source.open('wb') as file:
        file.truncate(1 << 30)
        for at, text in ((0, b'first'), (512 << 20, b'middle'), ((1 << 30) - 4, b'last')):
            file.seek(at)
            file.write(text)
        # What was written and wiped is a hole, too.
        file.seek(100 << 20)
        file.write(bytes(64 << 20))
    sparse.copy(source, target)
    assert target.stat().st_size == 1 << 30
    assert target.stat().st_blocks * 512 < 8 << 20
    with target.open('rb') as file:
        for at, text in ((0, b'first'), (512 << 20, b'middle'), ((1 << 30) - 4, b'last')):
            file.seek(at)
            assert file.read(len(text)) == text


def test_a_copy_that_leaves_too_little_room_is_not_made(tmp_path: Path) -> None:
    source = tmp_path / 'source'
    source.write_bytes(b'data')
    with pytest.raises(sparse.NoRoom, match='at least'):
        sparse.copy(source, tmp_path / 'target', keep_free=1 << 60)
    assert list(tmp_path.iterdir()) == [source]
