"""A Lustre on ldiskfs: its barrier holds what is written, it is put to sleep tier by tier, and wakes."""

import time

from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import together
from ._lustre import FSNAME, MDS, MGS, MOUNT_POINT, check_not_evicted, needs
from ._lustre_losses import MAKES_DIRECTORIES, directories, until_more
from ._lustre_small import OSS, Small, until
from ._night import check_clean, check_let_go, mounted, told
from ._sequence import Writer, check

__all__ = ['TIMEOUT', 'TITLE', 'needs', 'run']

TITLE = 'Night and backup of a Lustre on ldiskfs: the barrier holds and ends by itself; all unmount, and serve again'
TIMEOUT = 2400
HELD = f'held {FSNAME}'
SHORT = 15
"""seconds of a hold that nobody releases"""


def run(lab: Lab, steps: Steps) -> None:
    small = Small(lab, 'ldiskfs')
    client = small.client
    with steps.step('boot five machines'):
        together(machine.start().wait for machine in (*small.machines(), client))
    with steps.step('install the roles, serve blank volumes, mount'):
        small.install()
        small.serve_all()
        small.mount()
        mounted(client)
    writer = Writer(client, f'{MOUNT_POINT}/evening', 'sas')
    with steps.step('while somebody works, the node says who'):
        client.run(f'lfs setstripe -c 1 -i 1 {writer.path} && chown sas {writer.path}', 400)
        writer.start()
        client.background(MAKES_DIRECTORIES, 'directories')
        until(client, '[ -s /run/directories ]', 'no directory is made')
        told(client, 'sleep', 10, 'sas has 1 process at work', what='work')
    with steps.step('the barrier holds metadata until it is released'):
        until_released(small.machine_of(MGS), client, writer, steps)
    with steps.step('a barrier that nobody releases ends by itself, and says so'):
        ends_by_itself(small.machine_of(MGS), client, steps)
    with steps.step('nobody works any more, says the node'):
        written = writer.stop()
        client.run('touch /run/stop-directories; while systemctl is-active --quiet directories; do sleep 0.2; done')
        client.run('! systemctl is-failed --quiet directories')
        made = directories(client)
        check_not_evicted(client)
        told(client, 'sleep', 0, 'nobody is at work', what='work')
    with steps.step('the node stops'):
        client.stop(300)
    for server in (MDS, OSS, MGS):
        with steps.step(f'{server.slot} unmounts; told again, nothing is left to do; its disks are clean'):
            machine = small.machine_of(server)
            seconds = told(machine, 'sleep', 0, 'unmounted all targets', what='unmount')
            steps.fact(f'{server.slot} unmounts', seconds, 's')
            check_let_go(machine)
            told(machine, 'sleep', 0, 'unmounted all targets', what='unmount')
            for volume in small.volumes_of(server):
                check_clean(machine, volume.device)
    with steps.step('the object storage server ends; all are served in the morning, its targets by another machine'):
        small.oss.kill()
        small.move()
        started = time.monotonic()
        small.serve_all()
        steps.fact('all served in the morning', time.monotonic() - started, 's')
    with steps.step('the node starts, and says when its file system is mounted: all that was acknowledged is there'):
        client.start().wait()
        steps.fact('mounted after the boot of the node', mounted(client), 's')
        check(client, writer.path, written)
        steps.fact('acknowledged writes, of which none was lost', written.count)
        expect_directories(client, made)


def until_released(mgs: Machine, client: Machine, writer: Writer, steps: Steps) -> None:
    """No directory is made while it is frozen."""
    seconds = told(mgs, 'hold', 0, HELD, what='hold', token='one', seconds='60')
    steps.fact('metadata is held after', seconds, 's')
    made, acknowledged = directories(client), writer.count()
    steps.fact('what barrier_stat says', mgs.run(f'lctl barrier_stat {FSNAME}').strip().replace('\n', '; '))
    time.sleep(4)
    # One that was made just before may not have been counted yet.
    if (more := directories(client) - made) > 1:
        raise ScenarioFailed(f'{more} directories were made behind the barrier')
    steps.fact('writes of data that were acknowledged meanwhile', writer.count() - acknowledged)
    told(mgs, 'hold', 0, 'which was held until now', what='release', token='one', seconds='60')
    until_more(client, made + 1, 60)


def ends_by_itself(mgs: Machine, client: Machine, steps: Steps) -> None:
    """The servers end it: not before its time, and not much later."""
    started = time.monotonic()
    told(mgs, 'hold', 0, HELD, what='hold', token='two', seconds=str(SHORT))
    held = time.monotonic() - started
    until_more(client, directories(client), 120)
    passed = time.monotonic() - started
    steps.fact(f'a barrier of {SHORT} s: held after {held:.1f} s, directories are made again after', passed, 's')
    if passed < SHORT:
        raise ScenarioFailed(f'a barrier of {SHORT} s was over after {passed:.1f} s')
    told(mgs, 'hold', 20, 'was not held any more', what='release', token='two', seconds=str(SHORT))


def expect_directories(client: Machine, made: int) -> None:
    """All directories that the client was told of are there."""
    found = int(client.run(f'ls {MOUNT_POINT}/tree | wc -l'))
    if found != made:
        raise ScenarioFailed(f'{made} directories were made, {found} are there')
