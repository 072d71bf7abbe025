"""A hanging service is seen and its server replaced, a recovered one serves again: real functions and host software."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from slot_tier import PROGRAM, SlotTier, needs_functions, with_hosts

from conftest import Cloud, instance_state, until

pytestmark = needs_functions


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts."""
    yield from with_hosts(tmp_path_factory.mktemp('health') / 'state')


def superblock(cloud: Cloud, volume: str) -> tuple[str, int, str]:
    found = json.loads((cloud.state / 'volumes' / volume / 'superblock.json').read_text())
    return found['uuid'], found['formatCount'], found['mountedBy']


def test_a_service_that_hangs_is_replaced_with_its_volumes_and_never_while_the_question_is_at_fault(
    cloud: Cloud,
) -> None:
    tier = SlotTier(cloud)
    first = tier.serve()
    data = superblock(cloud, tier.volume)
    assert data[1:] == (1, first)
    root = cloud.state / 'hosts' / first

    # It serves, and again after a reboot: recovered in place, the same instance, told by nobody.
    tier.round()
    assert serves(tier.round())
    assert tier.row()['probe']['provenBy'] == PROGRAM
    cloud.client('ec2').reboot_instances(InstanceIds=[first])
    tier.round()
    until(lambda: serves(tier.round()), 'the host after its reboot')
    assert superblock(cloud, tier.volume) == data

    # It hangs: three rounds in a row, also while the workflow looks at the tier, as in a busy account it always does.
    (root / 'run/nfsd-hangs').touch()
    tier.round()
    assert [tier.round()['missing'] for _ in range(2)] == [['nfs-00']] * 2
    assert tier.row()['probe']['misses'] == 2
    tier.lease(60)
    assert tier.round()['marked'] == first
    tier.lease(-60)
    assert tier.row()['owner'] == first

    # From here on it is a failure as any other: the slot moves when the instance was seen terminated.
    second = tier.serve()
    assert second != first
    assert instance_state(cloud, first) == 'terminated'
    assert superblock(cloud, tier.volume) == (data[0], 1, second)
    assert tier.row()['epoch'] == 2
    assert cloud.history(kind='violation') == []
    tier.round()
    assert serves(tier.round())


def serves(result: dict[str, Any]) -> bool:
    return result['asked'] == 1 and result['missing'] == result['unknown'] == []
