"""NFS servers, their clients and their volumes: the real host software on emulated hosts."""

import json
from collections.abc import Callable

import pytest

from sas_grid_localcloud import signals
from sas_grid_localcloud.hosts import kind, sandbox

from .conftest import Cloud

UserData = Callable[..., str]
SLOT = '--slot nfs-00 --epoch {epoch} --address 172.16.4.21 --volumes vol-0b,vol-0c'
FIRST = SLOT.format(epoch=1) + ' --may-format'
SERVER = {
    'SERVICE': 'nfs',
    'KIND': 'ebs',
    'VOLUMES_PER_SLOT': '2',
    'EXPORT_NAME': 'sasdata',
    'CLIENTS': '172.16.0.0/20',
}
CLIENT = {'SERVER': '172.16.4.21', 'EXPORT': '/export/sasdata', 'MOUNT_POINT': '/sasdata', 'NCONNECT': '16'}


@pytest.fixture
def server_data(user_data: UserData) -> str:
    return user_data(nfs_server=SERVER)


@pytest.fixture
def served(cloud: Cloud, server_data: str) -> Cloud:
    """A cloud with a served NFS slot."""
    launch(cloud, 'i-0001', server_data)
    answer = cloud.serve('i-0001', FIRST)
    assert answer.code == 0, answer.err
    return cloud


def launch(cloud: Cloud, instance: str, data: str) -> None:
    cloud.launch(instance, data)
    cloud.attach(instance, '172.16.4.21', 'vol-0b', 'vol-0c')


def replace(cloud: Cloud, old: str, new: str, data: str) -> None:
    cloud.terminate(old)
    cloud.detach(old, '172.16.4.21', 'vol-0b', 'vol-0c')
    launch(cloud, new, data)


def mounts(cloud: Cloud, instance: str) -> dict[str, list[str]]:
    root = cloud.state / 'hosts' / instance
    lines = [line.split() for line in (root / 'proc/mounts').read_text().splitlines()]
    return {line[1].removeprefix(str(root)): line for line in lines}


def calls(cloud: Cloud, instance: str, *tools: str) -> list[str]:
    lines = (cloud.state / 'hosts' / instance / 'var/log/tools.log').read_text().splitlines()
    return [line.partition(' ')[2] for line in lines if line.split()[1] in tools]


def test_a_slot_is_formatted_once_and_served(served: Cloud) -> None:
    assert served.serve('i-0001', FIRST).code == 0
    for volume in ('vol-0b', 'vol-0c'):
        block = served.superblock(volume)
        assert (block['target'], block['formatCount'], block['mountedBy']) == ('sas-grid-nfs-00', 1, 'i-0001')
        assert block['mounted'] == ['data', 'state']
    assert served.superblock('vol-0b')['uuid'] == served.superblock('vol-0c')['uuid']
    assert [line['id'] for line in served.history('format')] == ['vol-0b', 'vol-0c']
    assert [(line['id'], line['to']) for line in served.history('mount')] == [
        ('vol-0b', 'i-0001'),
        ('vol-0c', 'i-0001'),
    ]
    assert set(mounts(served, 'i-0001')) == {'/export/sasdata', '/var/lib/nfs/nfsdcld'}
    nfsd = json.loads((served.state / 'hosts/i-0001/run/nfsd').read_text())
    assert (nfsd['address'], nfsd['scope'], nfsd['threads']) == ('172.16.4.21', 'sas-grid-nfs-00', '64')
    assert nfsd['exports'] == [['/export/sasdata', ['172.16.0.0/20']]]
    assert [line['to'] for line in served.history('nfs-server')] == ['i-0001']
    assert served.history('violation') == []


def test_a_replacement_takes_the_pool_over_without_formatting(served: Cloud, server_data: str) -> None:
    before = served.superblock('vol-0b')
    replace(served, 'i-0001', 'i-0002', server_data)
    answer = served.serve('i-0002', SLOT.format(epoch=2))
    assert answer.code == 0, answer.err
    after = served.superblock('vol-0b')
    assert (after['uuid'], after['formatCount'], after['mountedBy']) == (before['uuid'], 1, 'i-0002')
    assert calls(served, 'i-0002', 'vgcreate', 'lvcreate', 'mkfs.ext4') == []
    assert [(line['id'], line['from'], line['to']) for line in served.history('mount')][2:] == [
        ('vol-0b', 'i-0001', None),
        ('vol-0c', 'i-0001', None),
        ('vol-0b', None, 'i-0002'),
        ('vol-0c', None, 'i-0002'),
    ]
    assert served.history('violation') == []


def test_a_pool_that_another_host_has_mounted_is_refused_until_that_host_is_off(
    served: Cloud, server_data: str
) -> None:
    launch(served, 'i-0002', server_data)
    answer = served.serve('i-0002', SLOT.format(epoch=2))
    assert answer.code == 75
    assert 'wrong fs type, bad option, bad superblock' in answer.err
    assert 'mounted elsewhere' in answer.err
    assert mounts(served, 'i-0002') == {}
    assert not (served.state / 'hosts/i-0002/dev/sas-grid-nfs-00/data').exists()
    assert served.superblock('vol-0b')['mountedBy'] == 'i-0001'
    assert [line['to'] for line in served.history('violation')] == ['second mount refused']
    served.terminate('i-0001')
    assert served.serve('i-0002', SLOT.format(epoch=2)).code == 0
    assert served.superblock('vol-0c')['mountedBy'] == 'i-0002'


def test_what_no_protection_keeps_apart_is_told(served: Cloud, server_data: str) -> None:
    launch(served, 'i-0002', server_data)
    root = served.state / 'hosts/i-0002'
    script = f"""
        disks=$(readlink -f "$SAS_GRID_ROOT"/dev/disk/by-id/*)
        see='devices{{use_devicesfile=0}}'
        vgchange --config "$see" -a y -K sas-grid-nfs-00 && mkdir {root}/mnt &&
        mount -t ext4 {root}/dev/sas-grid-nfs-00/state {root}/mnt"""
    answer = sandbox.run('i-0002', script, 120)
    assert answer.code == 0, answer.err
    assert [line['to'] for line in served.history('violation')] == ['state mounted without protection']
    assert sandbox.run('i-0002', f'mkfs.ext4 -q {root}/dev/sas-grid-nfs-00/data', 120).code == 0
    assert served.superblock('vol-0b')['formatCount'] == 2
    assert [line['to'] for line in served.history('violation')][1:] == ['reformatted']
    assert [line['id'] for line in served.history('format')][2:] == ['vol-0b', 'vol-0c']


def test_volumes_that_are_not_the_slots_are_refused(cloud: Cloud, server_data: str) -> None:
    launch(cloud, 'i-0001', server_data)
    assert cloud.serve('i-0001', SLOT.format(epoch=1)).code == 4
    (cloud.state / 'volumes/vol-0c/disk').write_bytes(b'somebody wrote here')
    answer = cloud.serve('i-0001', FIRST)
    assert answer.code == 4
    assert 'blank' in answer.err
    assert (cloud.state / 'volumes/vol-0c/disk').read_bytes() == b'somebody wrote here'
    assert cloud.superblock('vol-0b') == {}


def test_the_pool_of_another_slot_and_half_a_pool_are_refused(served: Cloud, server_data: str) -> None:
    served.terminate('i-0001')
    served.detach('i-0001', '172.16.4.21', 'vol-0b', 'vol-0c')
    launch(served, 'i-0002', server_data)
    assert served.serve('i-0002', SLOT.format(epoch=2).replace('nfs-00', 'nfs-01') + ' --may-format').code == 4
    served.launch('i-0003', server_data)
    served.attach('i-0003', '172.16.4.21', 'vol-0b', 'vol-0d')
    answer = served.serve('i-0003', SLOT.format(epoch=2).replace('vol-0c', 'vol-0d') + ' --may-format')
    assert answer.code == 4, answer.err
    assert [served.superblock(volume).get('formatCount') for volume in ('vol-0b', 'vol-0d')] == [1, None]


def test_a_volume_that_was_taken_away_leaves_a_dead_pool_also_when_it_is_back(served: Cloud) -> None:
    served.detach('i-0001', '172.16.4.99', 'vol-0c')
    assert [(line['id'], line['to']) for line in served.history('violation')] == [('vol-0c', 'detached')]
    served.attach('i-0001', '172.16.4.21', 'vol-0c')
    answer = served.serve('i-0001', FIRST)
    assert answer.code == 1
    assert 'has to be replaced' in answer.err
    assert served.superblock('vol-0c')['formatCount'] == 1


def test_after_stop_and_start_the_host_serves_its_pool_again(served: Cloud) -> None:
    for state in ('stopping', 'stopped'):
        signals.publish('instance-state', instance_id='i-0001', state=state)
    assert served.superblock('vol-0b')['mountedBy'] is None
    assert not (served.state / 'hosts/i-0001/run/nfsd').exists()
    signals.publish('instance-state', instance_id='i-0001', state='running')
    served.wait(lambda: (served.state / 'hosts/i-0001/run/nfsd').exists())
    assert served.superblock('vol-0b')['mountedBy'] == 'i-0001'
    assert served.superblock('vol-0b')['formatCount'] == 1
    assert served.history('violation') == []


def test_volumes_that_have_grown_are_used(served: Cloud) -> None:
    for volume in ('vol-0b', 'vol-0c'):
        signals.publish('volume-resized', volume_id=volume, size=20)
    answer = served.serve('i-0001', FIRST)
    assert answer.code == 0, answer.err
    data = served.superblock('vol-0c')['group']['volumes']['data']
    # Two volumes of 20 GiB, less an extent of each for LVM and 128 MiB for the state.
    assert data['extents'] == data['fileSystem']['extents'] == 2 * (20 * 256 - 1) - 32
    assert served.superblock('vol-0b')['formatCount'] == 1


def test_errors_are_repaired_before_data_is_mounted_or_it_is_not_mounted(served: Cloud, server_data: str) -> None:
    def damage(how: str, logical: str = 'data') -> None:
        for volume in ('vol-0b', 'vol-0c'):
            block = served.superblock(volume)
            block['group']['volumes'][logical]['fileSystem']['errors'] = how
            (served.state / 'volumes' / volume / 'superblock.json').write_text(json.dumps(block))

    served.terminate('i-0001')
    served.detach('i-0001', '172.16.4.21', 'vol-0b', 'vol-0c')
    damage('bad')
    launch(served, 'i-0002', server_data)
    answer = served.serve('i-0002', SLOT.format(epoch=2))
    assert answer.code == 1
    assert 'damaged beyond automatic repair' in answer.err
    damage('some')
    damage('bad', 'state')
    # No other repair is begun until somebody asks for it.
    assert served.serve('i-0002', SLOT.format(epoch=2)).code == 1
    (served.state / 'hosts' / 'i-0002' / 'run/sas-grid/e2fsck.failed').unlink()
    answer = served.serve('i-0002', SLOT.format(epoch=2))
    assert answer.code == 0, answer.err
    assert 'state of sas-grid-nfs-00 is repaired with e2fsck -y' in answer.err
    assert 'recovering journal' in answer.err + answer.out


def test_a_client_mounts_and_goes_on_with_the_next_server(served: Cloud, server_data: str, user_data: UserData) -> None:
    served.launch('i-node', user_data(nfs_client=CLIENT), '172.16.0.11')
    log = (served.state / 'hosts/i-node/var/log/user-data.log').read_text()
    assert 'exit code 0' in log, log
    source, _, kind, options, *_ = mounts(served, 'i-node')['/sasdata']
    assert (source, kind) == ('172.16.4.21:/export/sasdata', 'nfs4')
    assert 'nconnect=16' in options
    root = served.state / 'hosts/i-node'
    assert (root / 'sys/class/bdi/0:40/read_ahead_kb').read_text() == '15360\n'
    assert '[nfsrahead]\nnfs4=15360' in (root / 'etc/nfs.conf').read_text()

    mount_again = 'exec "$SAS_GRID_ROOT/opt/cdk-sas-grid/bin/sas-grid-mount-nfs"'
    assert sandbox.run('i-node', mount_again, 120).code == 0
    served.terminate('i-0001')
    hanging = sandbox.run('i-node', mount_again, 120)
    assert hanging.code == 1
    assert 'does not answer' in hanging.err
    served.detach('i-0001', '172.16.4.21', 'vol-0b', 'vol-0c')
    launch(served, 'i-0002', server_data)
    assert sandbox.run('i-node', mount_again, 120).code == 1
    assert served.serve('i-0002', SLOT.format(epoch=2)).code == 0
    assert sandbox.run('i-node', mount_again, 120).code == 0


def test_a_client_is_refused_outside_of_the_exports_networks_and_waits_for_a_server(
    served: Cloud, user_data: UserData
) -> None:
    def try_to_mount(**settings: str) -> kind.Result:
        lines = '\n'.join(f'{key}={value}' for key, value in {**CLIENT, **settings}.items())
        (served.state / 'hosts/i-node/etc/sas-grid/nfs-client.env').write_text(f'{lines}\n')
        program = 'SAS_GRID_MOUNT_WAIT=1 "$SAS_GRID_ROOT/opt/cdk-sas-grid/bin/sas-grid-mount-nfs"'
        return sandbox.run('i-node', program, 120)

    served.launch('i-node', user_data(), '10.0.0.11')
    sandbox.run('i-node', 'dnf install nfs-utils', 120)
    denied = try_to_mount()
    assert denied.code == 75
    assert 'access denied by server while mounting 172.16.4.21:/export/sasdata' in denied.err
    assert try_to_mount(SERVER='172.16.4.77').code == 75
    unknown = try_to_mount(EXPORT='/export/other')
    assert 'No such file or directory' in unknown.err
    assert mounts(served, 'i-node') == {}


def test_instance_store_is_pooled_exported_and_empty_after_a_replacement(cloud: Cloud, user_data: UserData) -> None:
    settings = {'KIND': 'instance-store', 'EXPORT_NAME': 'sasdata', 'CLIENTS': '172.16.0.0/20'}
    data = user_data(nfs_server={**settings, 'SERVICE': 'nfs', 'INSTANCE_STORE_DISKS': '2'})
    # Its root volume is there before it boots, and has a name of the same kind.
    signals.publish('volume-attached', volume_id='vol-root', instance_id='i-0001', device='/dev/xvda')
    cloud.launch('i-0001', data, '172.16.4.50')
    log = (cloud.state / 'hosts/i-0001/var/log/user-data.log').read_text()
    assert 'is exported on 172.16.4.50' in log, log
    assert mounts(cloud, 'i-0001')['/export/sasdata'][2] == 'xfs'
    first = cloud.state / 'hosts/i-0001/instance-store/0/superblock.json'
    made = json.loads(first.read_text())['uuid']
    again = sandbox.run('i-0001', 'exec "$SAS_GRID_ROOT/opt/cdk-sas-grid/bin/sas-grid-nfs-local"', 120)
    assert again.code == 0, again.err
    assert json.loads(first.read_text())['uuid'] == made
    assert len(calls(cloud, 'i-0001', 'mkfs.xfs')) == 1

    for state in ('stopping', 'stopped'):
        signals.publish('instance-state', instance_id='i-0001', state=state)
    assert not first.exists()
    signals.publish('instance-state', instance_id='i-0001', state='running')
    cloud.wait(lambda: (cloud.state / 'hosts/i-0001/run/nfsd').exists())
    assert json.loads(first.read_text())['uuid'] != made
    cloud.terminate('i-0001')
    cloud.launch('i-0002', data, '172.16.4.51')
    assert calls(cloud, 'i-0002', 'mkfs.xfs') != []
    assert [line['id'] for line in cloud.history('mount') + cloud.history('format')] == []
