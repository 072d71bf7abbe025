"""What hosts are told for the night and for a backup, by the documents, and what lies on their disks then."""

import re
import time

from .. import documents
from ..machine import Machine
from ..report import ScenarioFailed
from ._lustre_small import until

# As sas-grid-serve has it: whatever LVM's own list of devices says.
ANY_DEVICE = "--config 'devices{use_devicesfile=0}'"


def told(machine: Machine, document: str, code: int, text: str, **parameters: str) -> float:
    """A host answers a document with this exit code and this text; returns the seconds."""
    started = time.monotonic()
    found, said = documents.run(machine, document, parameters)
    if found != code or text not in said:
        raise ScenarioFailed(f'{machine.name}: {document} {parameters}: {found}: {said}\nnot {code} with {text!r}')
    return time.monotonic() - started


def mounted(client: Machine, within: float = 300) -> float:
    """Wait until a host with users says that its file system is mounted, and until then that it is not yet."""
    started = time.monotonic()
    while (answer := documents.run(client, 'sleep', {'what': 'mounted'}))[0] != 0:
        if answer[0] != 75 or time.monotonic() - started > within:
            raise ScenarioFailed(f'{client.name} does not say that it is mounted: {answer}')
        time.sleep(1)
    return time.monotonic() - started


def node(client: Machine, mount_point: str) -> dict[str, dict[str, str]]:
    """The role of a node of the grid, with the account sas."""
    own = {'HOST_NAME': client.name, 'HOSTS': f'{client.name}={client.address}', 'DOMAIN': 'sas-grid.internal'}
    return {'grid-node': {**own, 'SAS_UID': '6000', 'SAS_GID': '6000', 'SHARED_MOUNT': mount_point}}


def check_clean(machine: Machine, device: str) -> None:
    """A file system that needs no recovery of its journal, and in which e2fsck finds nothing."""
    features = machine.run(f'dumpe2fs -h {device} 2>/dev/null | sed -n "s/^Filesystem features: *//p"').split()
    if 'has_journal' not in features or 'needs_recovery' in features:
        raise ScenarioFailed(f'{machine.name}: {device} needs the recovery of its journal: {features}')
    code, said = machine.try_run(f'e2fsck -fn {device} 2>&1', 600)
    if code != 0 and (code != 4 or not only_dirdata(said)):
        raise ScenarioFailed(f'{machine.name}: e2fsck -fn {device} ends with {code}:\n{said}')


# What e2fsck says of itself, and of all that it leaves as it is.
SAYS = r"""e2fsck |Pass \d|Fix\? no$|.*: \*{10} WARNING: |.*: \d+/\d+ files |$"""
TYPE = r"""Entry '.*' in .* has an incorrect filetype \(was (\d+), should be (\d+)\)\."""


def only_dirdata(said: str) -> bool:
    """Whether nothing is found but Lustre's mark (16) in the types of entries, which not every e2fsck knows."""
    found = [line for line in said.splitlines() if not re.match(SAYS, line)]
    types = [re.fullmatch(TYPE, line) for line in found]
    return bool(found) and all(one is not None and int(one[1]) == int(one[2]) | 16 for one in types)


def check_pool(machine: Machine, pool: str, *volumes: str) -> None:
    """These volumes of a pool are clean. Nobody serves it yet."""
    until(machine, f'vgs {ANY_DEVICE} {pool} >/dev/null 2>&1', f'{pool} is not seen')
    machine.run(f'vgchange -q {ANY_DEVICE} -a y -K {pool}')
    for volume in volumes:
        check_clean(machine, f'/dev/{pool}/{volume}')
    machine.run(f'udevadm settle; vgchange -q {ANY_DEVICE} -a n {pool}')


def check_let_go(machine: Machine) -> None:
    """Nothing of the slot is mounted, and no pool is open: whoever is given the volumes has them alone."""
    code, said = machine.try_run(
        '! grep -E "/export/|/srv/lustre/|nfsdcld| lustre" /proc/mounts && ! ls /dev/mapper | grep sas'
    )
    if code != 0:
        raise ScenarioFailed(f'{machine.name} has not let go: {said}')
