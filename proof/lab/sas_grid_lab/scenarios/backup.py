"""Writes to an NFS server are held while its volumes are copied, and a copy is served by another machine."""

import time
from functools import partial

from ..commands import host
from ..disks import Volume
from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import together
from ._nfs import ADDRESS, EXPORT, SLOT, WORK, client_roles, expect, serve, server_roles
from ._night import check_pool, told
from ._sequence import Writer, check, numbers

TITLE = 'Backup: writes to an NFS server are held, the hold ends by itself, a copy of the volumes is served'
MACHINES = 3
TIMEOUT = 1200
COPY_ADDRESS = '10.77.0.51'
HELD = 'held /export/sasdata'
OVER = 'was over before it was released'
SHORT = 12
"""seconds of a hold that nobody releases"""


def run(lab: Lab, steps: Steps) -> None:
    volumes = [lab.volume(512), lab.volume(512)]
    server = lab.machine('server', volumes=volumes, interfaces=[lab.interface(ADDRESS)])
    other, client = lab.machine('other'), lab.machine('client')
    with steps.step('boot three machines'):
        together(machine.start().wait for machine in (server, other, client))
    with steps.step('serve the slot on blank volumes, mount'):
        together(partial(machine.install, server_roles()) for machine in (server, other))
        expect(serve(server, 1, volumes, '--may-format'), 0)
        client.install(client_roles())
        client.wait_for_unit('sas-grid-nfs-client.target')
        client.run(f'mkdir {WORK}')
    writer = Writer(client, f'{WORK}/sequence')
    with steps.step('a writer runs; writes are held, the volumes are copied, and let go'):
        writer.start()
        writer.wait_for_more(100, 120)
        held = time.monotonic()
        steps.fact('writes are held after', told(server, 'hold', 0, HELD, what='hold', token='one', seconds='60'), 's')
        acknowledged = writer.count()
        copies = [copy_of(lab, volume) for volume in volumes]
        time.sleep(3)
        expect_still(writer, acknowledged)
        told(server, 'hold', 0, 'which was held until now', what='release', token='one', seconds='60')
        steps.fact('from the question to hold until released', time.monotonic() - held, 's')
        writer.wait_for_more(acknowledged, 60)
    with steps.step('a hold that nobody releases ends by itself, and says so'):
        ends_by_itself(server, writer, steps)
    with steps.step('a later hold takes the place of an earlier one'):
        for token in ('three', 'four'):
            told(server, 'hold', 0, HELD, what='hold', token=token, seconds='60')
        told(server, 'hold', 20, OVER, what='release', token='three', seconds='60')
        expect_still(writer, writer.count())
        told(server, 'hold', 0, 'which was held until now', what='release', token='four', seconds='60')
        writer.wait_for_more(writer.count(), 60)
    with steps.step('the copy is clean without recovery'):
        for copy in copies:
            other.attach(copy)
        check_pool(other, f'sas-grid-{SLOT}', 'data')
    with steps.step('another machine serves the copy: all that was acknowledged before the hold is there'):
        other.attach_interface(lab.interface(COPY_ADDRESS))
        started = time.monotonic()
        expect(serve(other, 1, copies), 0)
        steps.fact('a copy is served, in sas-grid-serve', time.monotonic() - started, 's')
        client.run(f'mount -t nfs4 -o ro {COPY_ADDRESS}:{EXPORT} /mnt')
        found = numbers(client, '/mnt/work/sequence')
        if not acknowledged <= found <= acknowledged + 1:
            raise ScenarioFailed(f'{acknowledged} writes were acknowledged before the hold, {found} are in the copy')
        steps.fact('acknowledged before the hold, all in the copy', acknowledged)
    with steps.step('nothing is lost of what was written on'):
        written = writer.stop()
        check(server, f'{EXPORT}/work/sequence', written)
        steps.fact('acknowledged writes in all', written.count)
        steps.fact('longest stall of the writer', written.longest_stall, 's')


def copy_of(lab: Lab, volume: Volume) -> Volume:
    """A volume with another id that begins with the contents of this one, as one of a snapshot does."""
    made = lab.volume(volume.size_mib)
    host(['cp', '--sparse=always', volume.path, made.path], timeout=120)
    return made


def expect_still(writer: Writer, before: int) -> None:
    """Nothing is acknowledged while writes are held."""
    if (now := writer.count()) != before:
        raise ScenarioFailed(f'{now - before} writes were acknowledged while they were held')


def ends_by_itself(server: Machine, writer: Writer, steps: Steps) -> None:
    """Its timer ends it: not before its time, and not much later."""
    started = time.monotonic()
    told(server, 'hold', 0, HELD, what='hold', token='two', seconds=str(SHORT))
    before = writer.count()
    writer.wait_for_more(before, 120)
    passed = time.monotonic() - started
    steps.fact(f'a hold of {SHORT} s that nobody releases: from the question until writes go on', passed, 's')
    if passed < SHORT:
        raise ScenarioFailed(f'a hold of {SHORT} s was over after {passed:.1f} s')
    told(server, 'hold', 20, OVER, what='release', token='two', seconds=str(SHORT))
