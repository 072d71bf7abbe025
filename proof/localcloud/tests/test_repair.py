"""A server dies with damage on its file system: the successor repairs what loses nothing, after a snapshot."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slot_tier import SlotTier, needs_functions, with_hosts

from conftest import Cloud, instance_state, until

pytestmark = needs_functions


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts."""
    yield from with_hosts(tmp_path_factory.mktemp('repair') / 'state')


def data_of(cloud: Cloud, tier: SlotTier) -> tuple[Path, dict[str, Any]]:
    """The block of the slot's volume, and its file system with the data."""
    file = cloud.state / 'volumes' / tier.volume / 'superblock.json'
    block = json.loads(file.read_text())
    return file, block


def lose(cloud: Cloud, tier: SlotTier, server: str, errors: str) -> None:
    """The server dies, and e2fsck will find this on its file system."""
    cloud.client('ec2').terminate_instances(InstanceIds=[server])
    until(lambda: instance_state(cloud, server) == 'terminated', 'its end')
    file, block = data_of(cloud, tier)
    block['group']['volumes']['data']['fileSystem']['errors'] = errors
    file.write_text(json.dumps(block))


def snapshots(cloud: Cloud, tier: SlotTier) -> list[dict[str, Any]]:
    found = cloud.client('ec2').describe_snapshots(OwnerIds=['self'])['Snapshots']
    return [one for one in found if one['VolumeId'] == tier.volume]


def test_orphans_are_taken_off_their_list_once_a_snapshot_is_completed(cloud: Cloud) -> None:
    tier = SlotTier(cloud)
    first = tier.serve()
    before = data_of(cloud, tier)[1]
    lose(cloud, tier, first, 'orphans')

    second = tier.serve()
    assert second != first
    after = data_of(cloud, tier)[1]
    assert after['group']['volumes']['data']['fileSystem']['errors'] == ''
    assert (after['uuid'], after['formatCount'], after['mountedBy']) == (before['uuid'], 1, second)
    [kept] = snapshots(cloud, tier)
    assert kept['State'] == 'completed'
    assert cloud.history(kind='violation') == []


def test_damage_that_is_not_on_the_list_waits_for_a_person_who_is_told_what_to_do(cloud: Cloud) -> None:
    tier = SlotTier(cloud)
    lose(cloud, tier, tier.serve(), 'bad')

    def told() -> bool:
        # The paths of a sandbox are long, so that only the end of what the host said fits into the row.
        tier.reconcile()
        return 'After a snapshot: vgchange' in str(tier.row().get('reason', ''))

    until(told, 'the row to say what a person has to do')
    assert ' && e2fsck -f ' in tier.row()['reason']
    assert tier.row()['servedEpoch'] < tier.row()['epoch']
    block = data_of(cloud, tier)[1]
    assert block['group']['volumes']['data']['fileSystem']['errors'] == 'bad'
    assert block['formatCount'] == 1
    assert snapshots(cloud, tier) == []
