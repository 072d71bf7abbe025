"""An NFS server dies under load; its volumes and its address move to a new machine."""

import time
from functools import partial
from pathlib import PurePosixPath

from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import together
from ._nfs import (
    ADDRESS,
    EXPORT,
    EXPORTED_WORK,
    MOUNT_POINT,
    SLOT,
    WORK,
    client_roles,
    expect,
    serve,
    server_roles,
)
from ._sequence import Writer, check

TITLE = 'NFS: the server dies under load, a new machine takes over its volumes and address'
MACHINES = 4
CLIENTS = PurePosixPath('/var/lib/nfs/nfsdcld/main.sqlite')
LOAD = (
    f'fio --name=load --directory={WORK} --filename=fio-$(hostname) --size=16m --bs=64k --rw=randwrite --rate=1m'
    ' --ioengine=psync --fsync=8 --end_fsync=1 --verify=crc32c --do_verify=1 --verify_fatal=1 >/run/fio.log 2>&1;'
    ' echo $? >/run/fio.code'
)
WAIT_FOR_LOAD = 'for i in $(seq 300); do [ ! -e /run/fio.code ] || break; sleep 0.5; done'


def run(lab: Lab, steps: Steps) -> None:
    volumes = [lab.volume(512), lab.volume(512)]
    interface = lab.interface(ADDRESS)
    old = lab.machine('server', volumes=volumes, interfaces=[interface])
    new = lab.machine('replacement')
    clients = [lab.machine('client1'), lab.machine('client2')]
    with steps.step('boot four machines'):
        together(machine.start().wait for machine in (old, new, *clients))
    with steps.step('install the servers'):
        together(partial(machine.install, server_roles()) for machine in (old, new))
    with steps.step('serve the slot on blank volumes, where the distribution started a server of its own'):
        old.run('systemctl start nfs-server.service')
        expect(serve(old, 1, volumes, '--may-format'), 0)
    with steps.step('install the clients, which mount'):
        together(partial(client.install, client_roles()) for client in clients)
        together(partial(client.wait_for_unit, 'sas-grid-nfs-client.target', 180) for client in clients)
        check_settings(old, clients)
        clients[0].run(f'mkdir {WORK}')
    with steps.step('throughput across'):
        for name, value in throughput(clients[0]).items():
            steps.fact(f'{name}, one client', value, 'MB/s')
    writers = [Writer(client, f'{WORK}/sequence-{client.name}') for client in clients]
    with steps.step('load: sequences with fsync, and fio'):
        together(writer.start for writer in writers)
        for client in clients:
            client.background(LOAD, 'load')
        time.sleep(6)
    with steps.step('kill the server, move volumes and address, serve'):
        old.kill()
        killed, counts = time.monotonic(), [writer.count() for writer in writers]
        for volume in volumes:
            new.attach(volume)
        new.attach_interface(interface)
        moved = time.monotonic()
        expect(serve(new, 2, volumes), 0)
        steps.fact('served again after the kill', time.monotonic() - killed, 's')
        steps.fact('of that in sas-grid-serve', time.monotonic() - moved, 's')
    with steps.step('the clients go on by themselves'):
        together(partial(writer.wait_for_more, count, 180) for writer, count in zip(writers, counts, strict=True))
        steps.fact('clients write again after the kill', time.monotonic() - killed, 's')
    with steps.step('opens and locks were reclaimed, and are held'):
        check_reclaimed(new, clients)
    with steps.step('the load ends without an error'):
        for client in clients:
            client.run(f'{WAIT_FOR_LOAD}; cat /run/fio.log; exit $(cat /run/fio.code)')
    with steps.step('nothing acknowledged is lost'):
        for writer in writers:
            written = writer.stop()
            check(new, f'{EXPORTED_WORK}/sequence-{writer.machine.name}', written)
            steps.fact(f'{writer.machine.name}: acknowledged writes', written.count)
            steps.fact(f'{writer.machine.name}: longest stall', written.longest_stall, 's')
    with steps.step('a list of clients that is no database any more keeps nobody from being served'):
        new.run(f'systemctl stop nfs-server nfsdcld && head -c 5000 /dev/urandom >{CLIENTS} && umount {CLIENTS.parent}')
        expect(serve(new, 2, volumes), 0, 'is begun anew')
        new.run(f'systemctl is-active --quiet nfsdcld && head -c 15 {CLIENTS} | grep -qx "SQLite format 3"')
        clients[0].run(f'echo more >{WORK}/more && sync {WORK}/more', 120)


def check_settings(server: Machine, clients: list[Machine]) -> None:
    """What users rely on: versions, safe options, one address, connections."""
    for condition in (
        f'exportfs -s | grep -q "^{EXPORT} .*[(,]sync,.*[(,]root_squash"',
        '! exportfs -s | grep -q -E "[(,](async|no_root_squash|insecure)[,)]"',
        'grep -q -- "-3 +4" /proc/fs/nfsd/versions',
        f'[ "$(ss -Hltn "sport = 2049" | awk "{{print \\$4}}")" = {ADDRESS}:2049 ]',
        f'findmnt -n -o FSTYPE,OPTIONS {EXPORT} | grep -q "^ext4 .*noatime"',
        '! ss -Hltn | grep -q ":111 "',
        'findmnt -n /var/lib/nfs/nfsdcld',
        f'[ "$(lvs --noheadings -o stripes sas-grid-{SLOT}/data | tr -d " ")" = 2 ]',
    ):
        server.run(condition)
    for client in clients:
        for option in ('vers=4.2', 'hard', 'nconnect=2', 'noatime', 'proto=tcp', 'timeo=600', 'sec=sys'):
            client.run(f'grep " {MOUNT_POINT} nfs4 " /proc/mounts | grep -q "[ ,]{option},"')
        client.run(f'systemctl is-active --quiet {MOUNT_POINT[1:]}.automount')


def throughput(client: Machine) -> dict[str, float]:
    """iozone's figures, or fio's where iozone is not to be had; of an emulated machine they say nothing."""
    code, output = client.try_run(f'cd {WORK} && iozone -e -s 16m -r 1m -i 0 -i 1 -f iozone 2>&1 && rm -f iozone')
    if code == 0:
        row = next(line.split() for line in output.splitlines() if line.split()[:2] == ['16384', '1024'])
        return {name: int(row[place]) * 1.024e-3 for name, place in (('write', 2), ('rewrite', 3), ('read', 4))}
    figures = {}
    for name in ('write', 'read'):
        terse = client.run(
            f'cd {WORK} && fio --name=t --size=16m --bs=1m --rw={name} --ioengine=psync --end_fsync=1 --minimal'
        ).split(';')
        figures[name] = int(terse[6 if name == 'read' else 47]) * 1.024e-3
    return figures


def check_reclaimed(server: Machine, clients: list[Machine]) -> None:
    """The state lies on the slot's volume, no reclaim failed, and a lock that is held is given to nobody else."""
    server.run(f'findmnt -n -o SOURCE {CLIENTS.parent} | grep -q state && [ -s {CLIENTS} ]')
    said = server.run(
        'for i in $(seq 60); do dmesg | grep -q "done reclaiming" && break; sleep 0.5; done; dmesg | grep NFSD || true'
    )
    if 'all clients done reclaiming' not in said:
        raise ScenarioFailed(f'the server does not say that its clients reclaimed:\n{said}')
    for client, other in (clients, clients[::-1]):
        failures = client.try_run("dmesg | grep -i -E 'reclaim|nfs.*(error|lost|stale)'")[1]
        if failures.strip():
            raise ScenarioFailed(f'{client.name}: {failures}')
        code, output = other.try_run(f'flock --nonblock --conflict-exit-code 9 {WORK}/sequence-{client.name} true')
        # flock(2) on NFS is a lock of the whole file, as the writer's.
        if code != 9:
            raise ScenarioFailed(f'{other.name} got the lock that {client.name} holds ({code}): {output}')
