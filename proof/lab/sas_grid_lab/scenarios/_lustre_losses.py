"""The servers of a Lustre die under load, one kind after the other; each time a new machine takes over."""

import time
from functools import partial

from ..disks import Volume
from ..lab import Lab
from ..machine import Machine
from ..plugs import Interface
from ..report import ScenarioFailed, Steps
from ..together import together
from ._lustre import (
    FSNAME,
    MDS,
    MGS,
    MGS_ADDRESS,
    MOUNT_POINT,
    OSS,
    TARGETS,
    Server,
    check_client,
    check_not_evicted,
    client_roles,
    page_is_complete,
    recovered,
    roles,
    serve,
    until_page,
)
from ._sequence import Writer, check

SERVERS = (MGS, MDS, *OSS)
LOAD = (
    f'fio --name=load --directory={MOUNT_POINT} --filename=fio --size=16m --bs=64k --rw=randwrite --rate=512k'
    ' --ioengine=psync --end_fsync=1 --verify=crc32c --do_verify=1 --verify_fatal=1 >/run/fio.log 2>&1;'
    ' echo $? >/run/fio.code'
)
WAIT_FOR_LOAD = 'for i in $(seq 500); do [ ! -e /run/fio.code ] || break; sleep 0.5; done'
MAKES_DIRECTORIES = (
    f'mkdir -p {MOUNT_POINT}/tree; number=0; while [ ! -e /run/stop-directories ]; do'
    f' mkdir {MOUNT_POINT}/tree/$number || exit 1; number=$((number + 1)); echo $number >/run/directories; sleep 0.1;'
    ' done'
)


class System:
    """The machines of a Lustre, and the volumes and addresses that outlive them."""

    def __init__(self, lab: Lab, backend: str) -> None:
        self._lab, self._backend = lab, backend
        self._volumes: dict[str, list[Volume]] = {
            server.slot: [lab.volume(1024) for _ in server.targets] for server in SERVERS
        }
        self._interfaces: dict[str, Interface] = {server.slot: lab.interface(server.address) for server in SERVERS}
        self._epochs = dict.fromkeys(self._volumes, 1)
        self.machines: dict[str, Machine] = {
            server.slot: lab.machine(
                server.slot,
                512 if server is MGS else 576,
                self._volumes[server.slot],
                interfaces=[self._interfaces[server.slot]],
            )
            for server in SERVERS
        }

    def install(self, server: Server) -> None:
        self.machines[server.slot].install(roles(server, self._backend))

    def serve(self, server: Server, *options: str) -> None:
        volumes = ','.join(volume.id for volume in self._volumes[server.slot])
        serve(self.machines[server.slot], server, self._epochs[server.slot], volumes, *options)

    def replace(self, server: Server, steps: Steps) -> None:
        """Kill its machine, and have a new one serve its targets on its address."""
        slot, old = server.slot, self.machines[server.slot]
        old_id = host_id(old)
        old.kill()
        killed = time.monotonic()
        new = self.machines[slot] = self._lab.machine(f'{slot}-again', 576)
        new.start()
        if server in OSS:
            watched = self.machines[MDS.slot]
            until_page(watched, lambda page: str(page['health']).startswith(f'PROBLEM: {server.address}: NO ANS'))
        new.wait()
        self.install(server)
        moved = time.monotonic()
        for volume in self._volumes[slot]:
            new.attach(volume)
        new.attach_interface(self._interfaces[slot])
        self._epochs[slot] += 1
        self.serve(server)
        steps.fact(f'{slot}: served again after the kill', time.monotonic() - killed, 's')
        steps.fact(f'{slot}: of that in moving and sas-grid-serve', time.monotonic() - moved, 's')
        if self._backend == 'zfs' and old_id == host_id(new):
            raise ScenarioFailed(f'two machines have the host id {old_id}: multihost cannot tell them apart')
        self.check_stops_on_errors(server)

    def check_stops_on_errors(self, server: Server) -> None:
        """Of ldiskfs the options in force are read; a pool suspends by itself."""
        if self._backend != 'ldiskfs':
            return
        options = self.machines[server.slot].run('grep -h ^errors= /proc/fs/ldiskfs/*/options').split()
        if options != ['errors=remount-ro'] * len(server.targets):
            raise ScenarioFailed(f'{server.slot} goes on after an error: {options}')


def run(backend: str, lab: Lab, steps: Steps) -> None:
    """The whole story."""
    system = System(lab, backend)
    client = lab.machine('client', 576)
    with steps.step('boot five machines'):
        together(machine.start().wait for machine in (*system.machines.values(), client))
    with steps.step('install the roles'):
        together(partial(system.install, server) for server in SERVERS)
    # As Lustre's manual has it: MGS, then MDT, then OSTs.
    for servers in ([MGS], [MDS], OSS):
        with steps.step(f'serve {" and ".join(one.slot for one in servers)} on blank volumes'):
            together(partial(system.serve, one, '--may-format') for one in servers)
            for one in servers:
                system.check_stops_on_errors(one)
    with steps.step('serve again: nothing changes'):
        together(partial(system.serve, one) for one in (MGS, *OSS))
    with steps.step('mount on the client: flock, parameters'):
        client.install(client_roles())
        steps.fact('mounted after', client.wait_for_unit('sas-grid-lustre-client.target', 300), 's')
        check_client(client)
    with steps.step('the monitoring page knows all'):
        until_page(system.machines[MDS.slot], lambda page: page_is_complete(page, client.address))
        page = system.machines[MDS.slot].run(f'curl -fsS http://{MGS_ADDRESS}/')
        if f'Lustre file system {FSNAME}' not in page:
            raise ScenarioFailed('the page is no page')
    with steps.step('load: sequences with fsync on each target, directories, and fio over all targets'):
        writers = [Writer(client, f'{MOUNT_POINT}/sequence-{number}') for number in range(len(TARGETS))]
        for number, writer in enumerate(writers):
            client.run(f'lfs setstripe -c 1 -i {number} {writer.path}')
            writer.start()
        client.background(MAKES_DIRECTORIES, 'directories')
        client.background(LOAD, 'load')
        time.sleep(6)
    with steps.step(f'kill {OSS[0].slot}; a new machine serves its two targets, and no client is evicted'):
        lose_oss(system, client, writers, steps)
    with steps.step('the load ends without an error'):
        client.run(f'{WAIT_FOR_LOAD}; cat /run/fio.log; exit $(cat /run/fio.code)', 300)
    with steps.step(f'kill {MDS.slot}: directories are made again'):
        made = directories(client)
        killed = time.monotonic()
        system.replace(MDS, steps)
        until_more(client, made)
        steps.fact('metadata again after the kill', time.monotonic() - killed, 's')
        steps.fact("Lustre's own recovery of the MDT", recovered(system.machines[MDS.slot], MDS.targets[0]), 's')
        check_not_evicted(client)
    with steps.step(f'kill {MGS.slot}: clients write on'):
        before = [writer.count() for writer in writers]
        system.replace(MGS, steps)
        for writer, count in zip(writers, before, strict=True):
            writer.wait_for_more(count, 60)
    with steps.step('nothing acknowledged is lost, read anew from the servers'):
        check_everything(client, writers, steps)
    with steps.step('the monitoring page is content again'):
        until_page(system.machines[MDS.slot], lambda page: page_is_complete(page, client.address))


def lose_oss(system: System, client: Machine, writers: list[Writer], steps: Steps) -> None:
    """An object storage server is killed while a client writes to it."""
    before = [writer.count() for writer in writers]
    killed = time.monotonic()
    system.replace(OSS[0], steps)
    for writer, count in zip(writers, before, strict=True):
        writer.wait_for_more(count, 400)
    steps.fact('client writes to the lost targets again after the kill', time.monotonic() - killed, 's')
    for target in OSS[0].targets:
        steps.fact(f"Lustre's own recovery of {target}", recovered(system.machines[OSS[0].slot], target), 's')
    check_not_evicted(client)


def host_id(machine: Machine) -> str:
    return machine.run('hostid').strip()


def directories(client: Machine) -> int:
    """How many directories the client was told that it has made."""
    return int(client.run('cat /run/directories'))


def until_more(client: Machine, than: int, within: float = 400) -> None:
    """Wait until more directories are made."""
    end = time.monotonic() + within
    while directories(client) <= than + 3:
        if time.monotonic() > end:
            raise ScenarioFailed(f'no directory was made for {within:g} s')
        time.sleep(0.5)


def check_everything(client: Machine, writers: list[Writer], steps: Steps) -> None:
    """All that was acknowledged is there when it is read from the servers."""
    written = [writer.stop() for writer in writers]
    client.run('touch /run/stop-directories; while systemctl is-active --quiet directories; do sleep 0.2; done')
    client.run('! systemctl is-failed --quiet directories')
    made = directories(client)
    client.run(f'systemctl restart {MOUNT_POINT[1:]}.mount', 300)
    for writer, known in zip(writers, written, strict=True):
        check(client, writer.path, known)
        steps.fact(f'{writer.path}: acknowledged writes', known.count)
        steps.fact(f'{writer.path}: longest stall', known.longest_stall, 's')
    found = int(client.run(f'ls {MOUNT_POINT}/tree | wc -l'))
    if found != made:
        raise ScenarioFailed(f'{made} directories were made, {found} are there')
    steps.fact('directories made', made)
    check_not_evicted(client)
