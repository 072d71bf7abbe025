"""A deployment with an NFS server is put to sleep, and wakes: the documents on real kernels."""

import time
from functools import partial

from ..lab import Lab
from ..report import Steps
from ..together import together
from ._nfs import ADDRESS, MOUNT_POINT, SLOT, client_roles, expect, serve, server_roles
from ._night import check_let_go, check_pool, mounted, node, told
from ._sequence import Writer, check

TITLE = 'Night: a node says who works, the NFS server unmounts, another one serves in the morning'
MACHINES = 3
TIMEOUT = 1200
FOLDER = f'{MOUNT_POINT}/night'
POOL = f'sas-grid-{SLOT}'


def run(lab: Lab, steps: Steps) -> None:
    volumes = [lab.volume(512), lab.volume(512)]
    interface = lab.interface(ADDRESS)
    old = lab.machine('server', volumes=volumes, interfaces=[interface])
    new, client = lab.machine('replacement'), lab.machine('client')
    with steps.step('boot three machines'):
        together(machine.start().wait for machine in (old, new, client))
    with steps.step('serve the slot on blank volumes, mount'):
        together(partial(machine.install, server_roles()) for machine in (old, new))
        expect(serve(old, 1, volumes, '--may-format'), 0)
        client.install({**client_roles(), **node(client, MOUNT_POINT)})
        client.wait_for_unit('sas-grid-nfs-client.target')
        client.wait_for_unit('sas-grid-node.service')
        mounted(client)
        client.run(f'runuser -u sas -- mkdir {FOLDER}')
    writer = Writer(client, f'{FOLDER}/evening', 'sas')
    with steps.step('while somebody works, the node says who'):
        writer.start()
        steps.fact('a node says who works', told(client, 'sleep', 10, 'sas has 1 process at work', what='work'), 's')
        writer.wait_for_more(100, 120)
    with steps.step('nobody works any more, says the node'):
        written = writer.stop()
        told(client, 'sleep', 0, 'nobody is at work', what='work')
    with steps.step('the node stops, then the server unmounts; told again, nothing is left to do'):
        client.stop(300)
        steps.fact('the server unmounts', told(old, 'sleep', 0, 'unmounted the export', what='unmount'), 's')
        check_let_go(old)
        told(old, 'sleep', 0, 'unmounted the export', what='unmount')
    with steps.step('the server ends; on another machine both file systems are clean without recovery'):
        old.kill()
        for volume in volumes:
            new.attach(volume)
        check_pool(new, POOL, 'data', 'state')
    with steps.step('the other machine serves'):
        new.attach_interface(interface)
        started = time.monotonic()
        expect(serve(new, 2, volumes), 0)
        steps.fact('served in the morning, in sas-grid-serve', time.monotonic() - started, 's')
        new.run('! dmesg | grep -E "EXT4-fs.*(recover|orphan)"')
    with steps.step('the node starts, and says when its file system is mounted: all that was acknowledged is there'):
        client.start().wait()
        steps.fact('mounted after the boot of the node', mounted(client), 's')
        check(client, writer.path, written)
        steps.fact('acknowledged writes, of which none was lost', written.count)
    writer = Writer(client, f'{FOLDER}/late', 'sas')
    with steps.step('a stop with force: the server unmounts under a writer, who goes on when it is served again'):
        writer.start()
        told(new, 'sleep', 0, 'unmounted the export', what='unmount')
        check_let_go(new)
        before = writer.count()
        expect(serve(new, 3, volumes), 0)
        steps.fact('the writer writes again after it was served', writer.wait_for_more(before, 240), 's')
        check(client, writer.path, writer.stop())
