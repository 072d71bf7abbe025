"""The benchmark's programs on real kernels: a scratch array, NFS from two clients, and what may go wrong meanwhile."""

import json
from functools import partial

from ..benchmark_programs import of_kind
from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import on_each, together
from ._benchmark import (
    BASE,
    check_phases,
    check_setup,
    ended,
    expect_true,
    kill,
    nothing_left,
    program,
    refused,
    start,
    starting_in,
    tell,
    try_program,
    until,
)
from ._nfs import ADDRESS, EXPORT, MOUNT_POINT, client_roles, expect, serve, server_roles
from .scratch import ROLES as SCRATCH
from .scratch import SASWORK as SASWORK_DISKS
from .scratch import TARGET as SCRATCH_TARGET
from .scratch import UTILLOC as UTILLOC_DISKS

TITLE = 'Benchmark: its programs measure a scratch array and NFS, refuse what would do harm, and leave nothing'
MACHINES = 3
TIMEOUT = 1200

SASWORK = SASWORK_DISKS[0]
STORE = SASWORK_DISKS[1] + UTILLOC_DISKS[1]


def run(lab: Lab, steps: Steps) -> None:
    """One run, with the accidents that a run has to survive."""
    volumes = [lab.volume(512), lab.volume(512)]
    server = lab.machine('server', volumes=volumes, interfaces=[lab.interface(ADDRESS)])
    clients = [lab.machine('client1', instance_store=(STORE, 160)), lab.machine('client2')]
    first, second = clients
    with steps.step('boot three machines'):
        together(machine.start().wait for machine in (server, *clients))
    with steps.step('an NFS server, two clients, a scratch array on one of them'):
        server.install(server_roles())
        expect(serve(server, 1, volumes, '--may-format'), 0)
        first.install({**client_roles(), **SCRATCH})
        second.install(client_roles())
        together(partial(client.wait_for_unit, 'sas-grid-nfs-client.target', 180) for client in clients)
        first.wait_for_unit(SCRATCH_TARGET)
        for client in clients:
            client.run(f'ls {MOUNT_POINT}')
    with steps.step('sas-io on the scratch array, as an account that is not root'):
        output = program(first, 'sas-io', Directory=SASWORK, FileMiB='48', User='nobody')
        check_setup(output, 'xfs')
        tell(steps, 'scratch', check_phases(output, ['write', 'read', 'write-random-data', 'read-random-data'], 48))
        nothing_left(first, SASWORK)
    with steps.step('sas-io on NFS, from both clients at the same time'):
        on_nfs(steps, clients)
        nothing_left(server, EXPORT)
    with steps.step('raw-device: instance store under arrays, EBS volumes that are served'):
        raw_devices(steps, {server: len(volumes), first: STORE})
    with steps.step('network: all three hosts in turn'):
        between(steps, [server, *clients])
    with steps.step('fio and iozone on NFS from one client, the mixed workload from the other'):
        together([partial(by_tools, steps, first), partial(mixed, second)])
        nothing_left(server, EXPORT)
    with steps.step('what others do is seen: on the array, through NFS'):
        for directory in (SASWORK, MOUNT_POINT):
            in_use(first, directory)
    with steps.step('others fill the array meanwhile: it stops, and removes its files'):
        filled(first)
        nothing_left(first, SASWORK)
    with steps.step('killed in the middle, as Systems Manager does it: nothing is left'):
        start(first, MOUNT_POINT, 200)
        kill(first)
        until(server, f'[ ! -e {EXPORT}/{BASE} ]', f'left: $(ls -R {EXPORT}/{BASE})')
        nothing_left(first, SASWORK)
    with steps.step('another run is in the way; when its host is lost, clean-up on the other one removes its files'):
        start(second, MOUNT_POINT, 400)
        refused(
            try_program(first, 'sas-io', RunId='another-run', Directory=MOUNT_POINT, FileMiB='16', Data='zero'),
            'busy',
            'another run of the benchmark writes to',
        )
        second.kill()
        expect_true('its files are still there', bool(server.run(f'find {EXPORT}/{BASE} -type f')))
        program(first, 'clean-up', Directories=f'{MOUNT_POINT},{SASWORK}', All='yes')
        nothing_left(server, EXPORT)


def on_nfs(steps: Steps, clients: list[Machine]) -> None:
    """Both begin to write when they were told to."""
    wanted = {'Directory': MOUNT_POINT, 'FileMiB': '32', 'Hosts': '2', 'Data': 'zero'}
    wanted['StartAt'] = starting_in(clients[0], 40)
    outputs = on_each(clients, lambda client: program(client, 'sas-io', **wanted))
    began = []
    for output in outputs:
        check_setup(output, 'nfs4')
        phases = check_phases(output, ['write', 'read'], 32)
        tell(steps, 'NFS, one of two clients', phases)
        began.append(float(phases[0]['startedAt']))
    steps.fact('clients began apart by', round(abs(began[0] - began[1]), 2), 's')
    expect_true(f'they began at {began}, and were to at {wanted["StartAt"]}', abs(began[0] - began[1]) < 3)
    expect_true(f'none was late: {began}', max(began) < int(wanted['StartAt']) + 3)


def raw_devices(steps: Steps, disks: dict[Machine, int]) -> None:
    """Data disks are found by EC2's names, each once, and read without a change."""
    outputs = on_each(disks, lambda machine: program(machine, 'raw-device', MaxMiB='16', Readers='2'))
    for (machine, count), output in zip(disks.items(), outputs, strict=True):
        [phase] = of_kind(output, 'phase')
        seen = (phase['processes'], phase['bytes'])
        expect_true(f'{machine.name}: read by {seen}', seen == (2 * count, count * 16 << 20))
        tell(steps, f'{count} disks of {machine.name}', [phase])


def between(steps: Steps, machines: list[Machine]) -> None:
    """Each sends to each other one; the server is told by the address that it has itself."""
    if any(machine.try_run('command -v iperf3')[0] != 0 for machine in machines):
        steps.fact('iperf3 is in the image', 'no')
        return
    peers = [machine.address for machine in machines]
    wanted = {'Peers': ','.join(peers), 'Seconds': '3', 'Streams': '2', 'StartAt': starting_in(machines[0], 25)}
    outputs = on_each(machines, lambda machine: program(machine, 'network', **wanted))
    for machine, output in zip(machines, outputs, strict=True):
        found = of_kind(output, 'raw')
        place = peers.index(machine.address)
        others = [peers[(place + step) % len(peers)] for step in range(1, len(peers))]
        expect_true(f'{machine.name} sent to {found}', [record['peer'] for record in found] == others)
        expect_true(f'{machine.name}: {found}', all(record['exitCode'] == 0 for record in found))
    # The last one's output stands between its record and the next.
    last = outputs[0].split('"tool":"iperf3"')[-1]
    received = json.loads(last[last.index('\n') + 1 : last.rindex('\n}') + 2])['end']['sum_received']['bits_per_second']
    steps.fact('emulated, network between two hosts', round(received / 8e6, 1), 'MB/s')


def by_tools(steps: Steps, client: Machine) -> None:
    """The programs that need tools: how they end, and what they move."""
    small = {'Directory': MOUNT_POINT, 'FileMiB': '8'}
    phases = of_kind(program(client, 'fio', Seconds='3', Files='10', **small), 'phase')
    expect_true(f'phases of fio {phases}', [phase['phase'] for phase in phases] == ['write', 'read', 'mixed'])
    expect_true(f'bytes of fio {phases}', all(phase['bytes'] > 0 for phase in phases))
    tell(steps, 'fio on NFS', phases)
    if client.try_run('command -v iozone')[0] == 0:
        output = program(client, 'iozone', Threads='2', **small)
        expect_true('iozone tested twice', [record['exitCode'] for record in of_kind(output, 'raw')] == [0, 0])
    else:
        steps.fact('iozone is in the image', 'no')


def mixed(client: Machine) -> None:
    """Its nineteen steps, in four streams."""
    output = program(client, 'mixed-sas', Directory=MOUNT_POINT, InputMiB='1', Jobs='19', Streams='4')
    expect_true('nineteen steps', output.count('"realSeconds"') == 19)
    [phase] = of_kind(output, 'phase')
    expect_true(f'bytes of the mixed workload: {phase}', phase['bytes'] > 0)


def in_use(client: Machine, directory: str) -> None:
    """With somebody else at work the program refuses, and says how much is moved."""
    load = f'while :; do dd if=/dev/zero of={directory}/others/file bs=64k count=400 oflag=sync 2>/dev/null; done'
    client.run(f'mkdir -p -m 777 {directory}/others')
    client.background(load, 'others')
    until(client, f'[ -s {directory}/others/file ]', 'nothing is written')
    try:
        answer = try_program(client, 'sas-io', Directory=directory, FileMiB='16', BusyMBps='1', BusyCpuPercent='100')
    finally:
        client.run(f'systemctl stop others; rm -rf {directory}/others')
    text = refused(answer, 'busy', 'allowed are less than 1 MB/s')
    if 'unknown' in text:
        raise ScenarioFailed(f'{client.name}: the kernel does not tell of {directory}: {text}')


def filled(client: Machine) -> None:
    """Somebody takes what is free, but for 24 MiB, while it writes."""
    start(client, SASWORK, 500)
    free = f"$(df -Pk {SASWORK} | awk 'NR == 2 {{print $4 - 24576}}')"
    # It writes on between the look and the taking.
    client.run(f'for n in $(seq 20); do ! fallocate -l {free}KiB {SASWORK}/others || exit 0; done; exit 1')
    text = refused(ended(client), 'disk-full')
    client.run(f'[ -s {SASWORK}/others ] && rm {SASWORK}/others')
    expect_true(f'why it stopped: {text}', 'room left' in text or 'others have filled' in text)
