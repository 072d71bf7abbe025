"""The benchmark's programs on real kernels: a scratch array, NFS from two clients, and what may go wrong meanwhile."""

import time
from functools import partial

from ..benchmark_programs import Record, of_kind, script
from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import on_each, together
from ._nfs import ADDRESS, EXPORT, MOUNT_POINT, client_roles, expect, serve, server_roles
from .scratch import ROLES as SCRATCH
from .scratch import SASWORK
from .scratch import TARGET as SCRATCH_TARGET

TITLE = 'Benchmark: its programs measure a scratch array and NFS, refuse what would do harm, and leave nothing'
MACHINES = 3

RUN = 'lab-run'
PHASES = ['write', 'read', 'write-random-data', 'read-random-data']
PLACE = f'.sas-grid-benchmark/{RUN}'


def run(lab: Lab, steps: Steps) -> None:
    """One run, with the accidents that a run has to survive."""
    volumes = [lab.volume(512), lab.volume(512)]
    server = lab.machine('server', volumes=volumes, interfaces=[lab.interface(ADDRESS)])
    clients = [lab.machine('client1', instance_store=(8, 160)), lab.machine('client2')]
    with steps.step('boot three machines'):
        together(machine.start().wait for machine in (server, *clients))
    with steps.step('an NFS server, two clients, a scratch array on one of them'):
        server.install(server_roles())
        expect(serve(server, 1, volumes, '--may-format'), 0)
        clients[0].install({**client_roles(), **SCRATCH})
        clients[1].install(client_roles())
        together(partial(client.wait_for_unit, 'sas-grid-nfs-client.target', 180) for client in clients)
        clients[0].wait_for_unit(SCRATCH_TARGET)
        for client in clients:
            client.run(f'ls {MOUNT_POINT}')
    with steps.step('sas-io on the scratch array'):
        output = program(clients[0], 'sas-io', Directory=SASWORK[0], FileMiB='48')
        check_whole(output, 'xfs', steps, 'scratch')
        nothing_left(clients[0], SASWORK[0])
    with steps.step('sas-io on NFS, from both clients at the same time'):
        outputs = both(clients, StartAt=starting_in(clients[0], 45))
        for output in outputs:
            check_whole(output, 'nfs4', steps, 'NFS, one of two clients')
        check_together(outputs, steps)
        nothing_left(server, EXPORT)
    with steps.step('fio and iozone on NFS'):
        for name in ('fio', 'iozone'):
            if clients[0].try_run(f'command -v {name}')[0] == 0:
                output = program(clients[0], name, Directory=MOUNT_POINT, FileMiB='16')
                expect_true(f'{name} came to its end', bool(of_kind(output, 'done')))
                nothing_left(server, EXPORT)
            else:
                steps.fact(f'{name} is in the image', 'no')
    with steps.step('what others do is seen: on the array, through NFS'):
        check_busy(clients[0], SASWORK[0])
        check_busy(clients[0], MOUNT_POINT)
    with steps.step('killed in the middle, as Systems Manager does it: nothing is left'):
        kill_program(clients[0])
        wait_until_empty(server, clients[0])
    with steps.step('a client is lost in the middle: clean-up on the other one removes its files'):
        start_program(clients[1])
        clients[1].kill()
        expect_true('its files are still there', bool(server.run(f'find {EXPORT}/.sas-grid-benchmark -type f')))
        program(clients[0], 'clean-up', Directories=f'{MOUNT_POINT},{SASWORK[0]}', All='yes')
        nothing_left(server, EXPORT)


def program(machine: Machine, document: str, **parameters: str) -> str:
    """Run a program to its end, which has to be a good one."""
    code, output = try_program(machine, document, **parameters)
    if code != 0:
        raise ScenarioFailed(f'{machine.name}: {document} ended with {code}:\n{output[-3000:]}')
    return output


def try_program(machine: Machine, document: str, **parameters: str) -> tuple[int, str]:
    """Run a program; its exit code and output."""
    guard = {} if document == 'clean-up' else {'BusyMBps': '0'}
    machine.put('/run/benchmark.sh', script(document, {'RunId': RUN, **guard, **parameters}), 0o700)
    return machine.try_run('/run/benchmark.sh </dev/null 2>&1', timeout=500)


def starting_in(machine: Machine, seconds: int) -> str:
    """A time by the clock of the machines."""
    return str(int(machine.run('date +%s')) + seconds)


def both(clients: list[Machine], **parameters: str) -> list[str]:
    wanted = {'Directory': MOUNT_POINT, 'FileMiB': '48', 'Hosts': '2', **parameters}
    return on_each(clients, lambda client: program(client, 'sas-io', **wanted))


def check_whole(output: str, file_system: str, steps: Steps, what: str) -> None:
    """All phases, with all bytes; how it was set up; how fast it was, which says nothing of an emulated machine."""
    phases, setups, [facts] = (of_kind(output, kind) for kind in ('phase', 'setup', 'host'))
    expect_true(f'phases {[phase["phase"] for phase in phases]}', [phase['phase'] for phase in phases] == PHASES)
    for setup in setups:
        seen = (setup['fileSystemType'], setup['cachesDropped'], setup['reduced'])
        expect_true(f'set up as {seen}', seen == (file_system, True, True))
    expect_true(f'of an instance: {facts}', facts['instanceId'].startswith('i-') and facts['physicalCores'] >= 1)
    expect_true('it came to its end', bool(of_kind(output, 'done')))
    for phase in phases:
        expect_true(f'bytes of {phase}', phase['bytes'] == 48 * 1024 * 1024 * phase['processes'])
        steps.fact(f'{what}: {phase["phase"]}', round(rate(phase), 1), 'MB/s')


def rate(phase: Record) -> float:
    return float(phase['bytes'] / (phase['endedAt'] - phase['startedAt']) / 1e6)


def check_together(outputs: list[str], steps: Steps) -> None:
    """Both began to write when they were told to."""
    first, second = (of_kind(output, 'phase')[0]['startedAt'] for output in outputs)
    steps.fact('clients began apart by', round(abs(first - second), 2), 's')
    expect_true(f'they began at {first} and {second}', abs(first - second) < 3)


def check_busy(client: Machine, directory: str) -> None:
    """With somebody else at work the program refuses."""
    load = f'while :; do dd if=/dev/zero of={directory}/other.$$ bs=64k count=400 oflag=sync 2>/dev/null; done'
    client.run(f'mkdir -p -m 777 {directory}/others')
    client.background(load.replace(directory, f'{directory}/others'), 'others')
    time.sleep(3)
    code, output = try_program(client, 'sas-io', Directory=directory, FileMiB='16', BusyMBps='1', BusyCpuPercent='100')
    client.run(f'systemctl stop others; rm -rf {directory}/others')
    refused = [(record['reason'], record['text']) for record in of_kind(output, 'refused')]
    if code != 75 or not refused or refused[0][0] != 'busy' or 'unknown number of MB/s' in refused[0][1]:
        raise ScenarioFailed(f'{client.name}: {directory} is in use, and the program said {code} {refused}:\n{output}')


def start_program(client: Machine) -> None:
    """A program that is writing."""
    parameters = {'RunId': RUN, 'BusyMBps': '0', 'Directory': MOUNT_POINT, 'FileMiB': '200', 'Data': 'zero'}
    client.put('/run/benchmark.sh', script('sas-io', parameters), 0o700)
    client.run('setsid /run/benchmark.sh </dev/null >/run/benchmark.out 2>&1 & echo $! >/run/benchmark.pid')
    written = f'[ -n "$(find {MOUNT_POINT}/{PLACE} -size +1M 2>/dev/null)" ]'
    client.run(f'for n in $(seq 200); do ! {written} || exit 0; sleep 0.2; done; exit 1')


def kill_program(client: Machine) -> None:
    start_program(client)
    client.run('kill -9 -- -$(cat /run/benchmark.pid)')


def wait_until_empty(server: Machine, client: Machine) -> None:
    empty = f'[ ! -e {EXPORT}/.sas-grid-benchmark ]'
    server.run(f'for n in $(seq 150); do ! {empty} || exit 0; sleep 0.2; done; ls -R {EXPORT}; exit 1')
    client.run('! ls -d /run/sas-grid/benchmark-*')


def nothing_left(machine: Machine, directory: str) -> None:
    left = machine.run(f'ls -A {directory}; ls -d /run/sas-grid/benchmark-* 2>/dev/null || true').split()
    expect_true(f'left in {directory}: {left}', not set(left) - {'lost+found'})


def expect_true(what: str, holds: bool) -> None:
    """Fail when it does not hold."""
    if not holds:
        raise ScenarioFailed(what)
