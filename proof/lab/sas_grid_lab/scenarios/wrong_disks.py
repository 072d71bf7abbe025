"""Volumes that are not what the slot needs, and one that is full."""

import hashlib
import os
import threading
import time
from functools import partial

from ..disks import Volume
from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import together
from ._asked import expect_probe
from ._nfs import EXPORT, EXPORTED_WORK, WORK, client_roles, expect, serve, server_roles

TITLE = 'Wrong disks: foreign data, missing, late and full volumes'
MACHINES = 2
TIMEOUT = 1200
LATE_SECONDS = 20
SCRATCH = {'scratch': {'SASWORK_DISKS': '1'}}
NO_NVME = '/etc/modprobe.d/no-nvme.conf'


def run(lab: Lab, steps: Steps) -> None:
    blank, late, table, xfs, noise = (lab.volume(size) for size in (384, 384, 384, 384, 384))
    server = lab.machine(
        'server', volumes=[blank, table, xfs, noise], interfaces=[lab.interface('10.77.0.50')], spare_ports=6
    )
    client = lab.machine('client', instance_store=(1, 384))
    write_partition_table(table)
    write_noise(noise)
    with steps.step('boot two machines'):
        together(machine.start().wait for machine in (server, client))
    with steps.step('install the roles'):
        together([partial(server.install, server_roles()), partial(client.install, client_roles() | SCRATCH)])
    with steps.step('a client whose scratch disk is not there at a boot: its unit fails'):
        client.wait_for_unit('sas-grid-scratch.target')
        client.run('echo kept >/saswork/kept')
        boot_without_disk(client)
    with steps.step('foreign data is refused: a partition table, XFS, random bytes'):
        server.run(f'mkfs.xfs -q {xfs.device} && sync')
        for volume in (table, xfs, noise):
            unchanged(server, partial(serve, server, 1, [blank, volume], '--may-format'), [blank, volume], 4)
    with steps.step('blank volumes without permission to format are refused'):
        unchanged(server, partial(serve, server, 1, [blank, xfs]), [blank, xfs], 4)
    with steps.step('a missing volume: not yet, after the bound'):
        unchanged(
            server, partial(serve, server, 1, [blank.id, 'vol-0ffffffffffffffff'], '--may-format', wait=5), [blank], 75
        )
    with steps.step('a volume that comes late is waited for'):
        timer = threading.Timer(LATE_SECONDS, server.attach, [late])
        timer.start()
        expect(serve(server, 2, [blank, late], '--may-format'), 0)
        timer.join()
    with steps.step('the client mounts'):
        client.wait_for_unit('sas-grid-nfs-client.target')
    full_disks(server, client, [blank, late], steps)
    with steps.step('a volume that is taken away and comes back: this server has to be replaced'):
        expect_probe(server, 0, 'serves')
        server.detach(late)
        expect(serve(server, 2, [blank, late], wait=2), 75)
        expect_probe(server, 20, 'fails ')
        server.attach(late)
        steps.fact('the probe says', expect_probe(server, 20, 'fails /'))
        expect(serve(server, 2, [blank, late]), 1, 'has to be replaced')

    with steps.step("the client's scratch, whose disk came later, was started again by itself"):
        steps.fact('started again after', started_again(client), 's')


def full_disks(server: Machine, client: Machine, volumes: list[Volume], steps: Steps) -> None:
    """The file system, /run and the root disk are full, one after the other; what serves goes on, or comes back."""
    with steps.step('a full file system is an error of the client, not of the server'):
        fill(server, client)
        expect(serve(server, 2, volumes), 0)
    with steps.step('a host whose /run is full serves again all the same'):
        server.run('dd if=/dev/zero of=/run/full bs=1M 2>/dev/null; true')
        expect(serve(server, 2, volumes), 0)
        server.run('rm /run/full')
    with steps.step('a reboot: the full file system is served again, and the client goes on'):
        server.reboot()
        server.wait_for_unit('sas-grid-slot.service')
        client.run(f'rm {WORK}/fill && echo more >{WORK}/more && sync {WORK}/more', timeout=120)
        server.run(f'grep -qx more {EXPORTED_WORK}/more && findmnt -n /var/lib/nfs/nfsdcld')
    with steps.step('a reboot with a full root disk: no server without its export; it serves when there is room'):
        fill_root(server)
        server.reboot()
        server.run(
            'for i in $(seq 100); do systemctl is-failed --quiet nfs-server.service && break; sleep 1; done;'
            ' systemctl is-failed nfs-server.service && ! ss -Hltn | grep -q ":2049 "',
            timeout=180,
        )
        server.run('rm /var/full /var/fuller')
        server.wait_for_unit('sas-grid-slot.service')
        client.run(f'echo again >{WORK}/again && sync {WORK}/again', timeout=120)
        server.run(f'grep -qx again {EXPORTED_WORK}/again')


def boot_without_disk(client: Machine) -> None:
    """A boot without instance store, for whose disks the unit waits five seconds; they come when it has failed."""
    client.put('/etc/systemd/system/sas-grid-scratch.service.d/soon.conf', '[Service]\nEnvironment=SAS_GRID_WAIT=5\n')
    client.put(NO_NVME, 'install nvme /bin/false\n')
    client.reboot()
    client.run(
        'for i in $(seq 200); do systemctl is-failed --quiet sas-grid-scratch.service && break; sleep 0.5; done;'
        ' systemctl is-failed sas-grid-scratch.service && systemctl is-active sas-grid-retry.service',
        timeout=120,
    )
    client.run(f'rm {NO_NVME} && modprobe nvme && udevadm settle && ! systemctl is-active sas-grid-scratch.target')


def started_again(client: Machine) -> float:
    """Wait until the role is up, with what it had; returns the seconds between the failure and the next start."""
    client.run(
        'for i in $(seq 900); do systemctl is-active --quiet sas-grid-scratch.target && break; sleep 1; done;'
        ' systemctl is-active sas-grid-scratch.target sas-grid-nfs-client.target && grep -qx kept /saswork/kept',
        timeout=920,
    )
    starts = client.run(
        'for unit in retry scratch; do systemctl show -P ExecMainStartTimestampMonotonic sas-grid-$unit; done'
    )
    failed, again = (int(text) / 1e6 for text in starts.split())
    return again - failed


def fill_root(server: Machine) -> None:
    """Fills the root disk, and what the shutdown frees again, as whatever filled it would have done."""
    filler = (
        '[Unit]\\nDefaultDependencies=no\\nAfter=local-fs.target\\nBefore=sysinit.target\\n'
        '[Service]\\nType=oneshot\\nExecStart=-/bin/sh -c "cat /dev/zero >>/var/fuller; sync"\\n'
        '[Install]\\nWantedBy=sysinit.target\\n'
    )
    server.run(f"printf '{filler}' >/etc/systemd/system/fill.service && systemctl enable fill.service")
    server.run('fallocate -l $(df --output=avail -B1 / | tail -n 1) /var/full; cat /dev/zero >/var/fuller; sync; true')


def write_partition_table(volume: Volume) -> None:
    """A master boot record with one partition."""
    with volume.path.open('r+b') as file:
        file.seek(446)
        file.write(bytes([0, 0, 2, 0, 0x83, 0, 0, 0]) + (2048).to_bytes(4, 'little') + (65536).to_bytes(4, 'little'))
        file.seek(510)
        file.write(b'\x55\xaa')


def write_noise(volume: Volume) -> None:
    """Data without any signature, as of an application that uses the disk directly."""
    with volume.path.open('r+b') as file:
        file.seek(64 * 1024)
        file.write(os.urandom(4096))


def checksum(volume: Volume) -> str:
    """Of every byte on the volume."""
    with volume.path.open('rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()


def unchanged(server: Machine, call: 'partial[tuple[int, str]]', volumes: list[Volume], code: int) -> None:
    """The call ends with the code, and not a byte on the volumes differs."""
    before = [checksum(volume) for volume in volumes]
    expect(call(), code)
    server.run('sync')
    if [checksum(volume) for volume in volumes] != before:
        raise ScenarioFailed(f'a refused volume was written, of {", ".join(volume.id for volume in volumes)}')


def fill(server: Machine, client: Machine) -> None:
    """Write until there is no room. What was written is whole, and the server's own state can still be written."""
    client.run(f'mkdir {WORK}')
    server.run(f'fallocate -l $((($(stat -f -c "%a * %S" {EXPORT})) - 16777216)) {EXPORT}/ballast')
    code, output = client.try_run(f'dd if=/dev/urandom of={WORK}/fill bs=1M conv=fsync 2>&1', timeout=240)
    if code == 0 or 'No space left on device' not in output:
        raise ScenarioFailed(f'the client got no ENOSPC ({code}): {output}')
    server.run(f'[ "$(stat -f -c %a {EXPORT})" -lt 256 ] && systemctl is-active --quiet nfs-server')
    server.run('touch /var/lib/nfs/nfsdcld/room && rm /var/lib/nfs/nfsdcld/room')
    started = time.monotonic()
    client.run(f'stat {WORK}/fill', timeout=30)
    if time.monotonic() - started > 20:
        raise ScenarioFailed('the server answers no more in time')
