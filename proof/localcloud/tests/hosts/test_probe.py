"""The health probe on emulated hosts: what it says of a service that serves, fails and hangs, and after a reboot."""

import socket
import subprocess
import threading
from collections.abc import Callable

import pytest

from sas_grid_localcloud import signals
from sas_grid_localcloud.hosts import sandbox

from .conftest import HOST_FILES, Cloud
from .test_nfs import FIRST, SERVER
from .test_nfs import launch as launch_nfs
from .test_serving import COMMON

UserData = Callable[..., str]
PROBE = (HOST_FILES / 'documents/probe.sh').read_text()


def probe(instance: str, seconds: int = 2) -> tuple[int, str]:
    """Exit code and what it says."""
    result = sandbox.run(instance, f'export SAS_GRID_PROBE_SECONDS={seconds}\n{PROBE}', 60)
    assert result.err == ''
    return result.code, result.out.strip()


@pytest.fixture
def nfs(cloud: Cloud, user_data: UserData) -> Cloud:
    launch_nfs(cloud, 'i-0001', user_data(nfs_server=SERVER))
    assert probe('i-0001') == (20, '- 0 fails this host knows no slot: its root volume may have been replaced')
    answer = cloud.serve('i-0001', FIRST)
    assert answer.code == 0, answer.err
    return cloud


@pytest.fixture
def mgs(cloud: Cloud, user_data: UserData) -> Cloud:
    settings = {**COMMON, 'SERVICE': 'mgs', 'VOLUMES_PER_SLOT': '1', 'MONITORING': 'false'}
    cloud.launch('i-0001', user_data(lustre_mgs=settings))
    cloud.attach('i-0001', '172.16.4.10', 'vol-0a')
    slot = '--slot mgs-00 --epoch 7 --address 172.16.4.10 --volumes vol-0a --may-format'
    answer = cloud.serve('i-0001', slot)
    assert answer.code == 0, answer.err
    return cloud


def test_an_export_that_is_served(nfs: Cloud) -> None:
    assert probe('i-0001') == (0, 'nfs-00 1 serves')


def test_nfsd_that_was_stopped_and_one_that_hangs(nfs: Cloud) -> None:
    root = nfs.state / 'hosts/i-0001'
    (root / 'run/nfsd-hangs').touch()
    assert probe('i-0001') == (20, 'nfs-00 1 fails nfsd does not answer on 172.16.4.21')
    (root / 'run/nfsd-hangs').unlink()
    assert sandbox.run('i-0001', 'systemctl stop nfs-server.service', 120).code == 0
    assert probe('i-0001') == (20, 'nfs-00 1 fails nfsd does not answer on 172.16.4.21')


def test_an_export_that_is_read_only_or_gone(nfs: Cloud) -> None:
    mounts = nfs.state / 'hosts/i-0001/proc/mounts'
    lines = mounts.read_text()
    export = next(line for line in lines.splitlines() if '/export/sasdata' in line)
    mounts.write_text(lines.replace(export, export.replace('rw,', 'ro,').replace(' rw ', ' ro ')))
    assert probe('i-0001') == (20, 'nfs-00 1 fails /export/sasdata has become read-only after an error')
    mounts.write_text(lines.replace(export, ''))
    assert probe('i-0001') == (20, 'nfs-00 1 fails /export/sasdata is not mounted')


def test_a_host_that_has_just_started_cannot_tell(nfs: Cloud) -> None:
    root = nfs.state / 'hosts/i-0001'
    (root / 'run/nfsd-hangs').touch()
    (root / 'proc/uptime').write_text('61.04 240.12\n')
    assert probe('i-0001') == (75, 'nfs-00 1 unsure it started 61 s ago: nfsd does not answer on 172.16.4.21')
    (root / 'proc/uptime').write_text('901.04 240.12\n')
    assert probe('i-0001')[0] == 20


def test_after_a_reboot_the_same_host_serves_its_slot_again(nfs: Cloud) -> None:
    """What EC2 or a person recovers in place: the instance stays, so do its volumes, and nobody tells it anything."""
    before = nfs.superblock('vol-0b')
    signals.publish('instance-rebooted', instance_id='i-0001')
    nfs.wait(lambda: probe('i-0001')[0] == 0)
    after = nfs.superblock('vol-0b')
    assert (after['uuid'], after['formatCount'], after['mountedBy']) == (before['uuid'], 1, 'i-0001')
    assert nfs.history('violation') == []


def test_lustre_that_is_healthy_and_one_that_is_not(mgs: Cloud) -> None:
    assert probe('i-0001') == (0, 'mgs-00 7 serves')
    (mgs.state / 'hosts/i-0001/run/lustre-unhealthy').touch()
    assert probe('i-0001') == (20, 'mgs-00 7 fails Lustre is not healthy: NOT HEALTHY')


def test_targets_that_are_not_all_mounted_and_another_nid(mgs: Cloud) -> None:
    root = mgs.state / 'hosts/i-0001'
    (root / 'run/lnet-nids').write_text('172.16.0.9@tcp\n')
    assert probe('i-0001') == (20, "mgs-00 7 fails LNet has the NIDs '172.16.0.9@tcp', not 172.16.4.10@tcp")
    (root / 'proc/mounts').write_text('')
    assert probe('i-0001') == (20, 'mgs-00 7 fails 0 of 1 targets are mounted')


def test_after_a_reboot_the_targets_are_mounted_again(mgs: Cloud) -> None:
    signals.publish('instance-rebooted', instance_id='i-0001')
    mgs.wait(lambda: probe('i-0001')[0] == 0)
    assert mgs.superblock('vol-0a')['mountedBy'] == 'i-0001'
    assert mgs.superblock('vol-0a')['formatCount'] == 1


def test_a_check_that_hangs_is_left_behind_once(mgs: Cloud) -> None:
    root = mgs.state / 'hosts/i-0001'
    tools = root / 'hanging-tools'
    tools.mkdir()
    # As lctl does with a kernel module that hangs: no signal that may be caught ends it.
    (tools / 'lctl').write_text("#!/bin/sh\ntrap '' TERM\nsleep 30\n")
    (tools / 'lctl').chmod(0o755)
    hanging = f'export PATH={tools}:$PATH SAS_GRID_PROBE_SECONDS=1\n{PROBE}'
    first = sandbox.run('i-0001', hanging, 40)
    assert (first.code, first.out.strip()) == (20, 'mgs-00 7 fails its check hangs for 1 s')
    second = sandbox.run('i-0001', hanging.replace('flock -w 15', 'flock -w 0'), 40)
    assert (second.code, second.out.strip()) == (20, 'mgs-00 7 fails an earlier check of it hangs')


def test_a_host_without_a_slot_of_its_kind_cannot_tell(cloud: Cloud, user_data: UserData) -> None:
    cloud.launch('i-0001', user_data())
    (cloud.state / 'hosts/i-0001/etc/sas-grid/slot.env').write_text('SLOT=oss-00\nEPOCH=1\nADDRESS=172.16.4.9\n')
    assert probe('i-0001') == (75, 'oss-00 1 unsure this host has no role that serves a slot')


CALL = bytes.fromhex('80000028207361730000000000000002000186a30000000400000000') + bytes(16)
"""A null call of NFS version 4 (RFC 5531): length, xid, call, RPC 2, program, version, procedure 0, no credentials."""
ACCEPTED = bytes.fromhex('80000018207361730000000100000000') + bytes(12)
PROGRAM_UNAVAILABLE = ACCEPTED[:-1] + b'\x01'


@pytest.mark.parametrize(('reply', 'code'), [(ACCEPTED, 0), (PROGRAM_UNAVAILABLE, 1), (ACCEPTED[:20], 1), (b'', 1)])
def test_a_null_call_is_what_nfsd_expects_and_only_its_success_counts(reply: bytes, code: int) -> None:
    heard: list[bytes] = []

    def answer(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(600)
            heard.append(connection.recv(1000))
            connection.sendall(reply)

    with socket.create_server(('127.0.0.1', 0)) as listener:
        thread = threading.Thread(target=answer, args=(listener,))
        thread.start()
        port = listener.getsockname()[1]
        script = PROBE[PROBE.index("null_call='") : PROBE.index('\nnfs() {')].replace('/2049', f'/{port}')
        done = subprocess.run(
            ['bash', '-c', f'{script}\nexec bash -c "$null_call" 127.0.0.1'], timeout=600, check=False
        )
        thread.join()
    assert heard == [CALL]
    assert done.returncode == code
