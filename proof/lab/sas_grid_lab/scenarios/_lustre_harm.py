"""What harms a Lustre short of the loss of a server: what clients see then, the documents have to say of the hosts."""

import time

from ..lab import Lab
from ..report import ScenarioFailed, Steps
from ..together import together
from . import _lustre_errors as errors
from ._asked import complaints, expect_probe, node_health
from ._lustre import MOUNT_POINT, check_not_evicted, eviction
from ._lustre_small import OSS, SECOND_ADDRESS, Small, until
from ._sequence import Writer, check

FILL = f'{MOUNT_POINT}/fill'
OPEN = f'{MOUNT_POINT}/open'
# It has data that is not on the server yet, and tells which errors it gets until a write is acknowledged again.
OPEN_PROGRAM = """
import errno, os, sys, time

path, go, said = sys.argv[1:]
file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
os.write(file, b'a' * 65536)
os.fsync(file)
os.write(file, b'b' * 65536)
with open(said, 'w', buffering=1) as log:
    print('dirty', file=log)
    while not os.path.exists(go):
        time.sleep(0.1)
    while True:
        try:
            os.fsync(file)
            os.pwrite(file, b'c' * 4096, 0)
            os.fsync(file)
        except OSError as problem:
            print(errno.errorcode[problem.errno], file=log)
            time.sleep(0.2)
        else:
            print('acknowledged', file=log)
            break
"""


def run(backend: str, lab: Lab, steps: Steps) -> None:
    """The whole story."""
    small = Small(lab, backend)
    client = small.client
    with steps.step('boot five machines'):
        together(machine.start().wait for machine in (*small.machines(), client))
    with steps.step('install the roles, serve blank volumes, mount'):
        small.install()
        small.serve_all()
        small.mount()
    with steps.step('all is well, say the probe and the node health'):
        expect_probe(small.oss, 0, 'serves')
        expect_health(small, set())
    writers = start_writers(small, 'first')
    with steps.step('a second machine is told to serve the same targets: refused, and the first one serves on'):
        second_mount(small, writers)
    with steps.step('a target is full: ENOSPC there, room elsewhere, and the server is healthy'):
        full(small, writers, steps)
    with steps.step('nothing acknowledged is lost until here'):
        for writer in writers:
            check(client, writer.path, writer.stop())
        check_not_evicted(client)
    with steps.step('a client is evicted: told by an error, seen by the node health, and it goes on'):
        evict(small, steps)
    writers = start_writers(small, 'second')
    errors.RUN[backend](small, writers, steps)
    lost_disk(small, writers, steps)
    with steps.step('nothing acknowledged is lost, read anew from the servers'):
        known = [writer.stop() for writer in writers]
        client.run(f'systemctl restart {MOUNT_POINT[1:]}.mount', 300)
        for writer, written in zip(writers, known, strict=True):
            check(client, writer.path, written)
            steps.fact(f'{writer.path}: acknowledged writes', written.count)
        expect_probe(small.oss, 0, 'serves')


def start_writers(small: Small, name: str) -> list[Writer]:
    """A writer on each target."""
    paths = enumerate(f'{MOUNT_POINT}/{name}-{number}' for number in range(len(OSS.targets)))
    return [errors.start_writer(small.client, number, path) for number, path in paths]


def go_on(writers: list[Writer], within: float = 120) -> None:
    """All writers get further."""
    for writer, count in [(writer, writer.count()) for writer in writers]:
        writer.wait_for_more(count, within)


def expect_health(small: Small, reasons: set[str]) -> None:
    """The client has these reasons and no other; schedulers hear of none that only people have to know."""
    code, said = node_health(small.client)
    if complaints(said) != reasons or (code == 20) != bool(reasons):
        raise ScenarioFailed(f'the node health says ({code}): {said}')
    file = small.client.run('cat /run/sas-grid/health')
    if not file.startswith('healthy '):
        raise ScenarioFailed(f'schedulers are told: {file}')


def second_mount(small: Small, writers: list[Writer]) -> None:
    """Protection keeps the second machine out; what it says of itself is not what the first one says."""
    with small.attached_to_second():
        code, said = small.tell(small.second, small.epoch + 1, address=SECOND_ADDRESS)
        wanted = {'ldiskfs': 'is mounted elsewhere', 'zfs': 'pool is imported on oss-00'}[small.backend]
        if code != 75 or wanted not in said:
            raise ScenarioFailed(f'the second machine ended with {code}:\n{said}')
        expect_probe(small.second, 20, 'fails 0 of 2 targets are mounted')
    expect_probe(small.oss, 0, 'serves')
    go_on(writers)


def full(small: Small, writers: list[Writer], steps: Steps) -> None:
    """One target has no room left. Others have."""
    client = small.client
    # What it still gets there is Lustre's matter: a bit of what is free has been granted to each client.
    check(client, writers[0].path, writers[0].stop())
    command = f'lfs setstripe -c 1 -i 0 {FILL} && dd if=/dev/urandom of={FILL} bs=1M conv=fsync 2>&1'
    code, said = client.try_run(command, 600)
    if code == 0 or 'No space left on device' not in said:
        raise ScenarioFailed(f'the client got no ENOSPC ({code}): {said}')
    expect_probe(small.oss, 0, 'serves')
    expect_health(small, set())
    fresh = f'{MOUNT_POINT}/fresh'
    for number in range(4):
        client.run(f'echo fresh >{fresh}-{number} && sync {fresh}-{number}')
    places = client.run(f'for file in {fresh}-*; do lfs getstripe -i $file; done').split()
    if set(places) != {'1'}:
        raise ScenarioFailed(f'new files went to the targets {places}, of which the first is full')
    writers[1].wait_for_more(writers[1].count(), 60)
    steps.fact('a full target: what was written until ENOSPC', int(client.run(f'stat -c %s {FILL}')) >> 20, 'MiB')
    started = time.monotonic()
    free = "lfs df | awk '/OST0000/ {print $4}'"
    client.run(f'rm {FILL}')
    until(client, f'[ $({free}) -gt {100 << 10} ]', 'the room does not come back')
    steps.fact('room is back after the deletion', time.monotonic() - started, 's')
    writers[0] = errors.start_writer(client, 0, f'{writers[0].path}-again')


def evict(small: Small, steps: Steps) -> None:
    """What was not on the server yet is lost, and told; the client connects anew by itself."""
    client, target = small.client, OSS.targets[1]
    client.put('/run/open.py', OPEN_PROGRAM)
    client.run(f'lfs setstripe -c 1 -i 1 {OPEN}')
    client.background(f'exec python3 /run/open.py {OPEN} /run/go /run/open.said', 'open')
    until(client, 'grep -q dirty /run/open.said 2>/dev/null', 'nothing is dirty')
    small.oss.run(f'lctl set_param obdfilter.{target}.evict_client=nid:{client.address}@tcp')
    client.run('touch /run/go')
    until(client, 'grep -q acknowledged /run/open.said', 'no write is acknowledged again', 300)
    seen = client.run('cat /run/open.said').split()[1:-1]
    steps.fact('an evicted client gets the errors', ' '.join(seen))
    if complaint := wrong_errors(seen):
        raise ScenarioFailed(complaint)
    log = client.run("dmesg | grep -E 'Lustre|LNet'")
    states = client.run("lctl get_param 'osc.*.state' 'mdc.*.state'")
    if f'evicted by {target}' not in eviction(log, '') or 'EVICTED' not in eviction('', states):
        raise ScenarioFailed(f'the eviction is not seen:\n{log}\n{states}')
    expect_health(small, {f'evicted: this client lost what it had open of {target}'})
    expect_probe(small.oss, 0, 'serves')
    data = f"open('{OPEN}', 'rb').read(65536) == b'c' * 4096 + b'a' * 61440"
    client.run(f'python3 -c "import sys; sys.exit(not ({data}))"')


def wrong_errors(seen: list[str]) -> str:
    """What is wrong with the errors that an evicted client got: EIO first; then it may take a moment to connect."""
    if seen[:1] != ['EIO'] or set(seen) - {'EIO', 'ESHUTDOWN'} or len(seen) > 10:
        return f'the evicted client got the errors {seen}'
    return ''


def lost_disk(small: Small, writers: list[Writer], steps: Steps) -> None:
    """A target's disk is taken away under load: the server has to be replaced, and the probe says so."""
    volume, old = small.volumes[1], small.oss
    with steps.step('one more machine, if the second one serves already'):
        small.prepare_second()
    with steps.step('the disk of a target is taken away under load: the probe says so'):
        old.detach(volume)
        started = time.monotonic()
        until(old, f'[ ! -e {volume.device} ]', 'the guest still has the disk')
        expect_probe(old, 20, f'fails the disk of {volume.id} is gone')
    if small.backend == 'ldiskfs':
        without_disk(small, writers, started, steps)
    with steps.step('a new machine serves both targets, and clients write again'):
        small.replace(steps)
        errors.clients_go_on(small, writers, steps)


def without_disk(small: Small, writers: list[Writer], started: float, steps: Steps) -> None:
    """What a server on ldiskfs does then. One on ZFS tries again for ever, and has no processor left for anything."""
    volume, writer, old = small.volumes[1], writers[1], small.oss
    with steps.step('clients are told, and the other target serves on'):
        until(small.client, f'systemctl is-failed --quiet {writer.unit}', 'the client is told nothing', 180)
        if 'Errno 5' not in writer.failed():
            raise ScenarioFailed(f'the client was told {writer.failed()}')
        steps.fact('a client is told of the lost disk, by EIO, after', time.monotonic() - started, 's')
        writers[0].wait_for_more(writers[0].count(), 60)
        expect_code(small.tell(old, small.epoch), 75, 'is not there yet')
    with steps.step('the disk comes back: this server has to be replaced, say the probe and the serve document'):
        old.attach(volume)
        expect_probe(old, 20, f'fails {OSS.targets[1]} is on a disk that was taken away')
        expect_code(small.tell(old, small.epoch), 1, 'this server has to be replaced')


def expect_code(answer: tuple[int, str], code: int, text: str) -> None:
    """The exit code, and a text that the message must have."""
    if answer[0] != code or text not in answer[1]:
        raise ScenarioFailed(f'exit code {answer[0]}, not {code} with {text!r}:\n{answer[1]}')
