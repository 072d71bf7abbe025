"""A GFS2 cluster of emulated hosts that share their volumes."""

import json
from collections.abc import Callable

import pytest

from sas_grid_localcloud.hosts import boot, kind, sandbox, snapshots

from .conftest import Cloud

UserData = Callable[..., str]
NODES = {'n1': '172.16.4.31', 'n2': '172.16.4.32', 'n3': '172.16.4.33'}
SETTINGS = {
    'CLUSTER': 'sasfs',
    'NODES': ','.join(f'{name}={address}' for name, address in NODES.items()),
    'VOLUMES': 'vol-0a,vol-0b',
    'MOUNT_POINT': '/sas',
    'MAY_FORMAT': 'yes',
    'STRIPE_KIB': '1024',
    'SPARE_JOURNALS': '1',
    'FENCE': 'ec2',
    'REGION': 'us-east-1',
}
JOIN = 'SAS_GRID_WAIT=2 "$SAS_GRID_ROOT/opt/cdk-sas-grid/bin/sas-grid-gfs2"'


@pytest.fixture
def node_data(user_data: UserData) -> str:
    return user_data(gfs2_node=SETTINGS)


@pytest.fixture
def nodes(cloud: Cloud, node_data: str) -> Cloud:
    """A cloud with a cluster of three."""
    for name in NODES:
        begin(cloud, f'i-{name}', name, node_data)
    for name in NODES:
        cloud.wait(lambda name=name: boot.online(f'i-{name}'))
    return cloud


def begin(cloud: Cloud, instance: str, name: str, data: str, *volumes: str) -> None:
    cloud.begin(instance, data, NODES[name])
    cloud.attach(instance, f'172.16.5.{instance[-1]}', *(volumes or ('vol-0a', 'vol-0b')))


def gfs2_mounts(cloud: Cloud, instance: str) -> list[str]:
    root = cloud.state / 'hosts' / instance
    lines = [line.split() for line in (root / 'proc/mounts').read_text().splitlines()]
    return [line[1].removeprefix(str(root)) for line in lines if line[2] == 'gfs2']


def test_one_node_formats_and_all_mount(nodes: Cloud) -> None:
    for name in NODES:
        log = (nodes.state / f'hosts/i-{name}/var/log/user-data.log').read_text()
        assert gfs2_mounts(nodes, f'i-{name}') == ['/sas'], log
    for volume in ('vol-0a', 'vol-0b'):
        block = nodes.superblock(volume)
        assert (block['formatCount'], block['mountedOn']) == (1, ['i-n1', 'i-n2', 'i-n3'])
    assert [line['id'] for line in nodes.history('format')] == ['vol-0a', 'vol-0b']
    assert nodes.history('violation') == []


def test_one_node_holds_for_all_and_a_copy_is_clean_only_while_one_does(nodes: Cloud) -> None:
    def fsfreeze(name: str, verb: str) -> int:
        return sandbox.run(f'i-{name}', f'fsfreeze {verb} "$SAS_GRID_ROOT/sas"', 60).code

    volumes = {'snap-a': 'vol-0a', 'snap-b': 'vol-0b'}

    def unclean() -> list[bool]:
        snapshots.take(volumes)
        blocks = [json.loads((snapshots.folder_of(one) / 'superblock.json').read_text()) for one in volumes]
        assert [block['mountedOn'] for block in blocks] == [[], []]
        return [block.get('unclean', False) for block in blocks]

    assert unclean() == [True, True]
    assert fsfreeze('n2', '-u') == 1
    assert fsfreeze('n1', '-f') == 0
    assert [fsfreeze('n1', '-f'), fsfreeze('n2', '-f'), fsfreeze('n2', '-u')] == [1, 1, 1]
    assert unclean() == [False, False]
    assert fsfreeze('n1', '-u') == 0
    assert unclean() == [True, True]
    # Whoever holds and is lost holds nothing any more.
    assert fsfreeze('n1', '-f') == 0
    nodes.terminate('i-n1')
    assert fsfreeze('n2', '-f') == 0


def test_a_lost_node_is_fenced_and_another_instance_takes_its_place(nodes: Cloud, node_data: str) -> None:
    before = nodes.superblock('vol-0a')['uuid']
    begin(nodes, 'i-n9', 'n2', node_data)
    nodes.wait((nodes.state / 'hosts/i-n9/etc/sas-grid/installed').exists)
    root = nodes.state / 'hosts/i-n9'
    nodes.wait((root / 'run/units/pacemaker.service').exists)
    # The instance that was n2 before still runs: it may write.
    assert gfs2_mounts(nodes, 'i-n9') == []
    nodes.terminate('i-n2')
    nodes.wait(lambda: boot.online('i-n9'))
    assert gfs2_mounts(nodes, 'i-n9') == ['/sas'], (root / 'var/log/user-data.log').read_text()
    assert [(line['id'], line['from']) for line in nodes.history('fence')] == [('i-n2', 'n2')]
    block = nodes.superblock('vol-0b')
    assert (block['uuid'], block['formatCount']) == (before, 1)
    assert block['mountedOn'] == ['i-n1', 'i-n3', 'i-n9']
    assert nodes.history('violation') == []


def test_a_node_that_leaves_gives_its_locks_back_and_joins_again(nodes: Cloud) -> None:
    left = sandbox.run('i-n3', f'{JOIN} --leave', 120)
    assert left.code == 0, left.err
    assert gfs2_mounts(nodes, 'i-n3') == []
    assert nodes.superblock('vol-0a')['mountedOn'] == ['i-n1', 'i-n2']
    again = sandbox.run('i-n3', JOIN, 60)
    assert again.code == 0, again.err
    assert nodes.superblock('vol-0a')['formatCount'] == 1


def test_locks_keep_others_from_a_volume_that_is_in_use(nodes: Cloud) -> None:
    alone = sandbox.run('i-n1', 'lvchange --activate ey sasfs/sasdata', 120)
    assert (alone.code, 'locked by other host' in alone.err) == (5, True)
    second = sandbox.run('i-n1', 'vgcreate --shared sasfs "$SAS_GRID_ROOT"/dev/nvme1n1', 120)
    assert (second.code, 'already exists' in second.err) == (5, True)
    nodes.begin('i-x', '', '172.16.4.99')
    nodes.attach('i-x', '172.16.5.99', 'vol-0a', 'vol-0b')
    nodes.wait(lambda: boot.online('i-x'))
    script = """
        dnf install lvm2
        lvmdevices --adddev "$SAS_GRID_ROOT/dev/nvme1n1"; lvmdevices --adddev "$SAS_GRID_ROOT/dev/nvme2n1"
        lvchange --activate sy sasfs/sasdata"""
    outside = sandbox.run('i-x', script, 120)
    assert (outside.code, 'lvmlockd' in outside.err) == (5, True)


def test_without_all_nodes_without_permission_or_with_foreign_data_nothing_is_formatted(
    cloud: Cloud, user_data: UserData
) -> None:
    def try_to_join(**settings: str) -> kind.Result:
        lines = '\n'.join(f'{key}={value}' for key, value in {**SETTINGS, **settings}.items())
        (cloud.state / 'hosts/i-n1/etc/sas-grid/gfs2-node.env').write_text(f'{lines}\n')
        return sandbox.run('i-n1', JOIN, 60)

    cloud.launch('i-n1', user_data(), NODES['n1'])
    cloud.attach('i-n1', '172.16.5.1', 'vol-0a', 'vol-0b')
    sandbox.run('i-n1', 'dnf install corosync pacemaker resource-agents lvm2-lockd gfs2-utils dlm', 120)
    lonely = try_to_join()
    assert (lonely.code, 'no quorum' in lonely.err) == (75, True)
    assert try_to_join(MAY_FORMAT='no').code == 4
    (cloud.state / 'volumes/vol-0b/disk').write_bytes(b'somebody wrote here')
    assert try_to_join().code == 4
    assert cloud.superblock('vol-0a') == {}
