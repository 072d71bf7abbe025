"""A slot whose old owner still runs is given to a second machine."""

from functools import partial

from ..lab import Lab
from ..report import ScenarioFailed, Steps
from ..together import together
from ._nfs import EXPORT, expect, serve, server_roles

TITLE = 'Served twice: a second machine refuses while the old owner has the volumes mounted, and the data stays intact'
MACHINES = 2
CHECKSUMS = f'cd {EXPORT} && sha256sum file-*'
WRITER = f'while dd if=/dev/urandom of={EXPORT}/live bs=64k count=4 conv=fsync 2>/dev/null; do sleep 0.2; done; exit 1'


def run(lab: Lab, steps: Steps) -> None:
    volumes = [lab.volume(384, shared=True), lab.volume(384, shared=True)]
    owner = lab.machine('owner', volumes=volumes, interfaces=[lab.interface('10.77.0.50')])
    second = lab.machine('second', volumes=volumes, interfaces=[lab.interface('10.77.0.51')])
    with steps.step('boot two machines'):
        together(machine.start().wait for machine in (owner, second))
    with steps.step('install the role'):
        together(partial(machine.install, server_roles()) for machine in (owner, second))
    with steps.step('the owner serves and writes'):
        expect(serve(owner, 2, volumes, '--may-format'), 0)
        owner.run(f'for i in 1 2 3; do dd if=/dev/urandom of={EXPORT}/file-$i bs=1M count=8 conv=fsync 2>&1; done')
        before = owner.run(CHECKSUMS)
        owner.background(WRITER, 'writer')
    with steps.step('an older epoch is refused'):
        expect(serve(owner, 1, volumes), 3)
    with steps.step('the second machine is told to serve, and may format: it refuses'):
        expect(serve(second, 3, volumes, '--may-format'), 75, 'mounted elsewhere')
        second.run(f'! findmnt {EXPORT} && ! systemctl is-active --quiet nfs-server && ! ls /dev/mapper | grep sas')
    with steps.step('the owner has served on'):
        owner.run(f'systemctl is-active writer nfs-server && findmnt -n -o OPTIONS {EXPORT} | grep -q ^rw')
        if errors := owner.try_run("dmesg | grep -i -E 'ext4-fs (error|warning)|i/o error'")[1].strip():
            raise ScenarioFailed(f'the owner has errors:\n{errors}')
        if owner.run(CHECKSUMS) != before:
            raise ScenarioFailed('the files have changed')
    with steps.step('the owner lets go: file systems are clean'):
        owner.run(
            'systemctl stop writer nfs-server nfsdcld && umount /var/lib/nfs/nfsdcld /export/sasdata'
            ' && e2fsck -fn /dev/sas-grid-nfs-00/state && e2fsck -fn /dev/sas-grid-nfs-00/data'
            ' && vgchange -an sas-grid-nfs-00'
        )
    with steps.step('now the second machine serves, with the data'):
        expect(serve(second, 3, volumes), 0)
        if second.run(CHECKSUMS) != before:
            raise ScenarioFailed('the files have changed')
