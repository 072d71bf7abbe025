"""Slots served by the real host software on emulated hosts."""

import json
from collections.abc import Callable

import pytest

from sas_grid_localcloud.hosts import kind, sandbox

from .conftest import HOST_FILES, Cloud

UserData = Callable[..., str]
MGS = '--slot mgs-00 --epoch 1 --address 172.16.4.10 --volumes vol-0a --may-format'
OSS = '--slot oss-01 --epoch {epoch} --address 172.16.4.21 --volumes vol-0b,vol-0c'
COMMON = {
    'FSNAME': 'sasfs',
    'MGS_NID': '172.16.4.10@tcp',
    'BACKEND': 'ldiskfs',
    'LUSTRE_SOFTWARE': 'preinstalled',
}


@pytest.fixture
def mgs(cloud: Cloud, user_data: UserData) -> Cloud:
    """A cloud with a served MGS."""
    data = user_data(lustre_mgs={**COMMON, 'SERVICE': 'mgs', 'VOLUMES_PER_SLOT': '1', 'MONITORING': 'false'})
    cloud.launch('i-0001', data)
    cloud.attach('i-0001', '172.16.4.10', 'vol-0a')
    served = cloud.serve('i-0001', MGS)
    assert served.code == 0, served.err
    return cloud


@pytest.fixture
def oss_data(user_data: UserData) -> str:
    return user_data(lustre_oss={**COMMON, 'SERVICE': 'oss', 'VOLUMES_PER_SLOT': '2'})


def test_first_serve_formats_each_volume_as_its_own_target(mgs: Cloud, oss_data: str) -> None:
    mgs.launch('i-0002', oss_data)
    mgs.attach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    served = mgs.serve('i-0002', OSS.format(epoch=1) + ' --may-format')
    assert served.code == 0, served.err
    first, second = mgs.superblock('vol-0b'), mgs.superblock('vol-0c')
    assert [first['target'], second['target']] == ['sasfs-OST0002', 'sasfs-OST0003']
    assert first['mgsnode'] == '172.16.4.10@tcp'
    assert first['servicenode'] == '172.16.4.21@tcp'
    assert first['mountedBy'] == second['mountedBy'] == 'i-0002'


def test_a_replacement_serves_the_same_targets_without_formatting(mgs: Cloud, oss_data: str) -> None:
    mgs.launch('i-0002', oss_data)
    mgs.attach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    assert mgs.serve('i-0002', OSS.format(epoch=1) + ' --may-format').code == 0
    before = mgs.superblock('vol-0b')['uuid']
    mgs.terminate('i-0002')
    mgs.detach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    mgs.launch('i-0003', oss_data)
    mgs.attach('i-0003', '172.16.4.21', 'vol-0b', 'vol-0c')
    served = mgs.serve('i-0003', OSS.format(epoch=2))
    assert served.code == 0, served.err
    after = mgs.superblock('vol-0b')
    assert (after['uuid'], after['formatCount'], after['mountedBy']) == (before, 1, 'i-0003')
    assert mgs.history('violation') == []


def test_a_target_served_elsewhere_is_not_mounted_twice(mgs: Cloud, oss_data: str) -> None:
    for instance in ('i-0002', 'i-0003'):
        mgs.launch(instance, oss_data)
        mgs.attach(instance, '172.16.4.21', 'vol-0b', 'vol-0c')
    assert mgs.serve('i-0002', OSS.format(epoch=1) + ' --may-format').code == 0
    assert mgs.serve('i-0003', OSS.format(epoch=2)).code == 75
    assert mgs.superblock('vol-0b')['mountedBy'] == 'i-0002'
    assert [line['to'] for line in mgs.history('violation')] == ['second mount refused'] * 2


def test_targets_with_recorded_errors_are_repaired_or_not_mounted(mgs: Cloud, oss_data: str) -> None:
    def damage(volume: str, how: str) -> None:
        path = mgs.state / 'volumes' / volume / 'superblock.json'
        path.write_text(json.dumps({**mgs.superblock(volume), 'errors': how}))

    mgs.launch('i-0002', oss_data)
    mgs.attach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    assert mgs.serve('i-0002', OSS.format(epoch=1) + ' --may-format').code == 0
    mgs.terminate('i-0002')
    mgs.detach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    damage('vol-0b', 'bad')
    damage('vol-0c', 'some')
    mgs.launch('i-0003', oss_data)
    mgs.attach('i-0003', '172.16.4.21', 'vol-0b', 'vol-0c')
    answer = mgs.serve('i-0003', OSS.format(epoch=2))
    assert answer.code == 1
    assert 'sasfs-OST0002 is damaged beyond automatic repair' in answer.err
    assert not mgs.superblock('vol-0b')['mountedBy']
    assert (mgs.superblock('vol-0c')['mountedBy'], mgs.superblock('vol-0c')['errors']) == ('i-0003', '')
    # A person has repaired it.
    damage('vol-0b', '')
    answer = mgs.serve('i-0003', OSS.format(epoch=2))
    assert answer.code == 0, answer.err
    assert mgs.superblock('vol-0b')['mountedBy'] == 'i-0003'


def test_damage_that_is_left_to_a_person_is_repaired_after_snapshots_when_it_is_listed(
    mgs: Cloud, oss_data: str
) -> None:
    program = (HOST_FILES / 'documents/serve.sh').read_text()

    def tell(more: str = '') -> kind.Result:
        return sandbox.run('i-0003', f'set -- {OSS.format(epoch=2)}\n{more}\n{program}', 180)

    mgs.launch('i-0002', oss_data)
    mgs.attach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    assert mgs.serve('i-0002', OSS.format(epoch=1) + ' --may-format').code == 0
    mgs.terminate('i-0002')
    mgs.detach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    path = mgs.state / 'volumes/vol-0b/superblock.json'
    path.write_text(json.dumps({**mgs.superblock('vol-0b'), 'errors': 'orphans'}))
    mgs.launch('i-0003', oss_data)
    mgs.attach('i-0003', '172.16.4.21', 'vol-0b', 'vol-0c')
    found = tell()
    assert found.code == 5, found.err
    finding = found.err.split()[-1]
    assert tell().err.split()[-1] == finding
    assert tell(f'FINDING={finding} SNAPSHOTS=snap-0000000a').code == 5
    assert not mgs.superblock('vol-0b')['mountedBy']
    repaired = tell(f'FINDING={finding} SNAPSHOTS=snap-0000000a,snap-0000000b')
    assert repaired.code == 0, repaired.err
    assert (mgs.superblock('vol-0b')['mountedBy'], mgs.superblock('vol-0b')['errors']) == ('i-0003', '')
    assert mgs.history('violation') == []


def test_damage_that_is_not_listed_is_for_a_person(mgs: Cloud, oss_data: str) -> None:
    program = (HOST_FILES / 'documents/serve.sh').read_text()
    mgs.launch('i-0002', oss_data)
    mgs.attach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    assert mgs.serve('i-0002', OSS.format(epoch=1) + ' --may-format').code == 0
    mgs.terminate('i-0002')
    mgs.detach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    path = mgs.state / 'volumes/vol-0b/superblock.json'
    path.write_text(json.dumps({**mgs.superblock('vol-0b'), 'errors': 'bad'}))
    mgs.launch('i-0003', oss_data)
    mgs.attach('i-0003', '172.16.4.21', 'vol-0b', 'vol-0c')
    answer = sandbox.run('i-0003', f'set -- {OSS.format(epoch=2)}\n{program}', 180)
    assert answer.code == 1
    assert "sasfs-OST0002 is for a person: e2fsck would do more than is safe (Entry 'data'" in answer.err


def test_without_an_mgs_the_host_says_not_yet_and_serves_later(cloud: Cloud, oss_data: str) -> None:
    cloud.launch('i-0002', oss_data)
    cloud.attach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    answer = cloud.serve('i-0002', OSS.format(epoch=1) + ' --may-format')
    assert (answer.code, cloud.superblock('vol-0b')) == (75, {})


def test_serving_what_is_served_changes_nothing(mgs: Cloud) -> None:
    again = mgs.serve('i-0001', MGS)
    assert again.code == 0, again.err
    assert mgs.superblock('vol-0a')['formatCount'] == 1
    assert len(mgs.history('mount')) == 1


def test_an_older_epoch_and_a_foreign_slot_are_refused(mgs: Cloud) -> None:
    assert mgs.serve('i-0001', MGS.replace('--epoch 1', '--epoch 3')).code == 0
    assert mgs.serve('i-0001', MGS.replace('--epoch 1', '--epoch 2')).code == 3
    assert mgs.serve('i-0001', MGS.replace('mgs-00', 'mgs-01').replace('--epoch 1', '--epoch 9')).code == 3


def test_data_that_is_not_the_slots_is_refused(mgs: Cloud, oss_data: str) -> None:
    mgs.launch('i-0002', oss_data)
    mgs.attach('i-0002', '172.16.4.21', 'vol-0b', 'vol-0c')
    (mgs.state / 'volumes/vol-0b/disk').write_bytes(b'somebody wrote here')
    answer = mgs.serve('i-0002', OSS.format(epoch=1) + ' --may-format')
    assert answer.code == 4, answer.err
    assert (mgs.state / 'volumes/vol-0b/disk').read_bytes() == b'somebody wrote here'


def test_after_stop_and_start_the_host_serves_its_slot_again(mgs: Cloud) -> None:
    from sas_grid_localcloud import signals

    for state in ('stopping', 'stopped'):
        signals.publish('instance-state', instance_id='i-0001', state=state)
    assert mgs.superblock('vol-0a')['mountedBy'] is None
    signals.publish('instance-state', instance_id='i-0001', state='running')
    mgs.wait(lambda: mgs.superblock('vol-0a')['mountedBy'] == 'i-0001')
    assert mgs.superblock('vol-0a')['formatCount'] == 1


def test_foreign_user_data_is_not_run(cloud: Cloud) -> None:
    cloud.launch('i-0009', '#!/bin/bash\ntouch "$SAS_GRID_ROOT/was-here"\n')
    assert not (cloud.state / 'hosts/i-0009/was-here').exists()
    assert cloud.history('user-data')[0]['to'] == 'not run'
