"""A Lustre on ldiskfs is copied behind its write barrier, and other machines serve the copy."""

import time

from ..disks import Volume
from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import together
from ._lustre import FSNAME, MDS, MGS, MOUNT_POINT, OSS, needs
from ._lustre_losses import directories, until_more
from ._lustre_small import Small, until
from ._night import mounted, told
from ._sequence import Writer, numbers
from .backup import copy_of

__all__ = ['TIMEOUT', 'TITLE', 'needs', 'run']

TITLE = 'Backup of a Lustre on ldiskfs: its volumes are copied behind the barrier, other machines serve the copy'
TIMEOUT = 2400
TREE = f'{MOUNT_POINT}/tree'
MAKES_FILES = (
    f'mkdir -p {TREE}; n=0; while [ ! -e /run/stop-directories ]; do mkdir {TREE}/$n || exit 1;'
    f' echo $n >{TREE}/$n/file && sync {TREE}/$n/file || exit 1; n=$((n + 1)); echo $n >/run/directories; sleep 0.05;'
    ' done'
)
"""Each has an object on a target: a copy whose targets fit together has both, or neither."""


def run(lab: Lab, steps: Steps) -> None:
    small = Small(lab, 'ldiskfs')
    client = small.client
    with steps.step('boot four machines'):
        together(machine.start().wait for machine in (*small.servers(), client))
    with steps.step('install the roles, serve blank volumes, mount'):
        small.install()
        small.serve_all()
        small.mount()
        mounted(client)
    writer = Writer(client, f'{MOUNT_POINT}/sequence')
    with steps.step('one writes with fsync, another makes directories with files'):
        client.run(f'lfs setstripe -c 1 -i 1 {writer.path}')
        writer.start()
        client.background(MAKES_FILES, 'directories')
        until(client, '[ -s /run/directories ]', 'no directory is made')
        until_more(client, 20)
    with steps.step('the volumes of each server are copied at one instant behind the barrier, and let go'):
        mgs = small.machine_of(MGS)
        told(mgs, 'hold', 0, f'held {FSNAME}', what='hold', token='one', seconds='60')
        made, acknowledged = directories(client), writer.count()
        copies = {server.slot: copies_of(lab, small.machine_of(server)) for server in (MGS, MDS, OSS[0])}
        told(mgs, 'hold', 0, 'which was held until now', what='release', token='one', seconds='60')
        until_more(client, made + 1)
        steps.fact('made before the hold: directories with a file', made)
        steps.fact('acknowledged before the hold: writes to an open file', acknowledged)
    with steps.step('the originals end; other machines have the copies, at the same addresses'):
        client.run('touch /run/stop-directories; while systemctl is-active --quiet directories; do sleep 0.2; done')
        writer.stop()
        client.stop(300)
        for machine in small.servers():
            machine.kill()
        small.begin_anew(copies)
        together(machine.start().wait for machine in small.servers())
        small.install()
    with steps.step('the copy is served'):
        started = time.monotonic()
        small.serve_all()
        steps.fact('a copy is served', time.monotonic() - started, 's')
    with steps.step('a client mounts it: all that was acknowledged before the hold is there, and can be read'):
        started = time.monotonic()
        client.start().wait()
        mounted(client, 900)
        steps.fact('mounted after the boot of the node', time.monotonic() - started, 's')
        expect_files(client, made)
        found = numbers(client, writer.path)
        if found < acknowledged:
            raise ScenarioFailed(f'{acknowledged} writes were acknowledged before the hold, {found} are in the copy')
        steps.fact('writes to the open file in the copy', found)
    with steps.step('the copy takes new files'):
        client.run(f'mkdir {TREE}/new && echo new >{TREE}/new/file && sync {TREE}/new/file', 300)


def copies_of(lab: Lab, machine: Machine) -> list[Volume]:
    """As EBS makes snapshots of all volumes of one server: what they had at one instant, also while it writes."""
    machine.freeze()
    try:
        return [copy_of(lab, volume) for volume in machine.volumes]
    finally:
        machine.thaw()


def expect_files(client: Machine, made: int) -> None:
    """Each directory has its file with what was written; one more may not have been acknowledged yet."""
    found = int(client.run(f'ls {TREE} | wc -l'))
    if not made <= found <= made + 1:
        raise ScenarioFailed(f'{made} directories were made before the hold, {found} are in the copy')
    code, said = client.try_run(
        f'for n in $(seq 0 {made - 1}); do [ "$(cat {TREE}/$n/file)" = $n ] || exit 1; done', 400
    )
    if code != 0:
        raise ScenarioFailed(f'a file that was made before the hold is not as it was: {said}')
