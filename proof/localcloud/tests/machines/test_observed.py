"""What a machine's kernel says becomes the history that stand-ins write."""

import json
from pathlib import Path
from typing import Any

import pytest

from sas_grid_localcloud import history
from sas_grid_localcloud.hosts import folders
from sas_grid_localcloud.machines.membership import Membership, Names
from sas_grid_localcloud.machines.observed import Observed

SERVER = """/dev/root / ext4 rw 0 0
/dev/mapper/sas--grid--nfs--00-data /export/sasdata ext4 rw,noatime 0 0
=
64
=
"""
CLIENT = """/dev/root / ext4 rw 0 0
172.16.4.64:/export/sasdata /sasdata nfs4 rw,vers=4.2 0 0
=
0
=
"""
UNIT = (
    '{ path=/usr/bin/unshare ; argv[]=/usr/bin/unshare --uts /bin/sh -c echo sas-grid-nfs-00 '
    '>/proc/sys/kernel/hostname && exec /usr/sbin/rpc.nfsd -H 172.16.4.64 -G 30 -L 30 64 ; ignore_errors=no }'
)


def disks(uuid: str, mountpoint: str | None = '/export/sasdata') -> str:
    """As lsblk tells of two volumes that are one logical volume, beside a root disk."""
    logical = {'name': 'sas--grid--nfs--00-data', 'fstype': 'ext4', 'uuid': uuid, 'mountpoint': mountpoint}
    volumes = [
        {'name': f'nvme{n}n1', 'fstype': 'LVM2_member', 'uuid': f'pv{n}', 'serial': f'vol{n}', 'children': [logical]}
        for n in (1, 2)
    ]
    root = {'name': 'vda', 'fstype': 'ext4', 'uuid': 'r', 'serial': None, 'mountpoint': '/'}
    return json.dumps({'blockdevices': [root, *volumes]})


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folders.open_in(tmp_path)
    history.open_in(tmp_path)
    return tmp_path


def observed(instance_id: str, names: Names | None = None) -> Observed:
    return Observed(instance_id, Membership(instance_id, names or Names()))


def records(state: Path, kind: str) -> list[tuple[str, Any, Any]]:
    file = state / 'history.jsonl'
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [(line['id'], line['from'], line['to']) for line in lines if line['kind'] == kind]


def test_a_server_has_formatted_mounted_and_serves(state: Path) -> None:
    machine = observed('i-1')
    assert machine.changed(SERVER)
    machine.note(SERVER, f'{disks("one")}=\n{UNIT}\n=\n')
    assert not machine.changed(SERVER)
    assert [id for id, _, _ in records(state, 'format')] == ['vol-1', 'vol-2']
    assert sorted(records(state, 'mount')) == [('vol-1', None, 'i-1'), ('vol-2', None, 'i-1')]
    assert records(state, 'nfs-server') == [('172.16.4.64', None, 'i-1')]
    block = json.loads((state / 'volumes/vol-1/superblock.json').read_text())
    assert block['uuid'] == 'sas--grid--nfs--00-data=one'
    assert block['formatCount'] == 1


def test_who_takes_over_has_formatted_nothing(state: Path) -> None:
    observed('i-1').note(SERVER, f'{disks("one")}=\n{UNIT}\n=\n')
    observed('i-2').note(SERVER, f'{disks("one")}=\n{UNIT}\n=\n')
    assert len(records(state, 'format')) == 2
    assert ('vol-1', None, 'i-2') in records(state, 'mount')
    assert json.loads((state / 'volumes/vol-1/superblock.json').read_text())['formatCount'] == 1


def test_another_identity_is_a_second_format(state: Path) -> None:
    observed('i-1').note(SERVER, f'{disks("one")}=\n{UNIT}\n=\n')
    observed('i-2').note(SERVER, f'{disks("two")}=\n{UNIT}\n=\n')
    assert len(records(state, 'format')) == 4
    assert json.loads((state / 'volumes/vol-1/superblock.json').read_text())['formatCount'] == 2


def test_what_is_unmounted_or_stopped_is_told(state: Path) -> None:
    machine = observed('i-1')
    machine.note(SERVER, f'{disks("one")}=\n{UNIT}\n=\n')
    machine.note(CLIENT, f'{disks("one", None)}=\n\n=\n')
    assert ('vol-1', 'i-1', None) in records(state, 'mount')
    assert records(state, 'nfs-server')[-1] == ('172.16.4.64', 'i-1', None)
    assert records(state, 'nfs-mount') == [('172.16.4.64:/export/sasdata', None, 'i-1')]
    assert (state / 'hosts/i-1/proc/mounts').read_text().splitlines()[1].split()[1] == '/sasdata'


def test_power_that_is_gone_takes_mounts_and_servers_with_it(state: Path) -> None:
    machine = observed('i-1')
    machine.note(SERVER, f'{disks("one")}=\n{UNIT}\n=\n')
    machine.ended()
    assert ('vol-1', 'i-1', None) in records(state, 'mount')
    assert records(state, 'nfs-server')[-1] == ('172.16.4.64', 'i-1', None)
    machine.note(SERVER, f'{disks("one")}=\n{UNIT}\n=\n')
    assert records(state, 'nfs-server')[-1][1:] == ('i-1', None)


NODE = '/dev/mapper/sasgfs2-sasdata /sasdata gfs2 rw,noatime 0 0\n=\n0\n=\n'


def status(own: int, *members: int) -> str:
    """As dlm_tool tells it."""
    lines = [f'node {n} {"M" if n in members else "X"} add 255 rem 0 fail 0 fence 0 at 0 0' for n in (1, 2)]
    return '\n'.join([f'cluster nodeid {own} quorate 1 ring seq 13 13', *lines, ''])


def fenced(node: str, by: str, status: str = 'success') -> str:
    """As stonith_admin tells it."""
    return (
        '<pacemaker-result api-version="2.25" request="stonith_admin"><list name="fencing history" count="1">'
        f'<fence_event action="reboot" target="{node}" client="pacemaker-controld.646" origin="node1" delegate="{by}"'
        f' status="{status}" completed="2026-11-27 19:30:00Z"/></list></pacemaker-result>'
    )


def shared(uuid: str) -> str:
    text = disks(uuid, '/sasdata').replace('ext4', 'gfs2')
    return f'{text}=\n\n=\n'


def test_members_of_a_cluster_share_a_mount(state: Path) -> None:
    names = Names()
    for number, instance in enumerate(('i-1', 'i-2'), 1):
        observed(instance, names).note(NODE + status(number, 1, 2), shared('one') + f'node{number}\n')
    assert records(state, 'cluster-member') == [('node1', None, 'i-1'), ('node2', None, 'i-2')]
    assert ('vol-1', None, 'i-2') in records(state, 'shared-mount')
    assert not records(state, 'mount')
    assert len(records(state, 'format')) == 2


def test_a_fence_is_told_once_by_who_did_it(state: Path) -> None:
    names = Names()
    one, two = observed('i-1', names), observed('i-2', names)
    one.note(NODE + status(1, 1, 2), shared('one') + 'node1\n')
    two.note(NODE + status(2, 1, 2), shared('one') + 'node2\n')
    two.ended()
    assert ('vol-1', 'i-2', None) in records(state, 'shared-mount')
    one.note(NODE + status(1, 1), shared('one') + 'node1\n' + fenced('node2', 'node1', 'failed'))
    one.note(NODE + status(1, 1), shared('one') + 'node1\n' + fenced('node2', 'node3'))
    assert not records(state, 'fence')
    for _ in range(2):
        one.note(NODE + status(1, 1), shared('one') + 'node1\n' + fenced('node2', 'node1'))
    assert records(state, 'fence') == [('i-2', 'node2', 'off')]


def test_who_leaves_the_cluster_in_order_is_no_member_any_more(state: Path) -> None:
    machine = observed('i-1')
    machine.note(NODE + status(1, 1, 2), shared('one') + 'node1\n')
    machine.note(CLIENT, f'{disks("one", None)}=\n\n=\n')
    assert records(state, 'cluster-member')[-1] == ('node1', 'i-1', None)
