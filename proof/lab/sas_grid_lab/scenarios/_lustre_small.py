"""A small Lustre, told to serve as the workflow tells it: an MGS, an MDS, an OSS with two targets, and a client."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from .. import documents
from ..commands import host
from ..disks import Volume
from ..lab import Lab
from ..machine import Machine
from ..plugs import Interface
from ..report import ScenarioFailed, Steps
from ..together import together
from ._lustre import MDS, MGS, MOUNT_POINT, Server, client_roles, roles
from ._lustre import OSS as BOTH

OSS = BOTH[0]
SECOND_ADDRESS = '10.77.0.111'
TARGET_MIB = 320
MAY_BE_REPAIRED = 5


class Small:
    """Its machines. The targets' volumes can be attached to a second machine, too."""

    def __init__(self, lab: Lab, backend: str) -> None:
        self._lab, self.backend = lab, backend
        self.epoch = 1
        self.volumes = [lab.volume(TARGET_MIB, shared=True) for _ in OSS.targets]
        self._own = {server.slot: [lab.volume(512)] for server in (MGS, MDS)}
        self._interfaces = {server.slot: lab.interface(server.address) for server in (MGS, MDS, OSS)}
        self._others = {
            server: lab.machine(server.slot, 512, self._own[server.slot], interfaces=[self._interfaces[server.slot]])
            for server in (MGS, MDS)
        }
        # ZFS tries a disk that is gone again and again: one processor has no time left for anything else.
        self._oss_vcpus = 2 if backend == 'zfs' else 1
        self.oss = self._machine(OSS.slot, self.volumes, [self._interfaces[OSS.slot]])
        self.second = self._machine('second', [], [lab.interface(SECOND_ADDRESS)])
        self.client = lab.machine('client', 576)

    def _machine(self, name: str, volumes: list[Volume], interfaces: Sequence[Interface] = ()) -> Machine:
        return self._lab.machine(name, 576, volumes, interfaces=interfaces, vcpus=self._oss_vcpus)

    @contextmanager
    def attached_to_second(self) -> Iterator[None]:
        """The volumes on both. A host that has a volume for longer keeps pages of it that are not true any more."""
        for volume in self.volumes:
            self.second.attach(volume)
        yield
        for volume in self.volumes:
            self.second.detach(volume)

    def servers(self) -> list[Machine]:
        """Those that serve, or are to."""
        return [*self._others.values(), self.oss]

    def machines(self) -> list[Machine]:
        """All that can be servers."""
        return [*self.servers(), self.second]

    def machine_of(self, server: Server) -> Machine:
        """Which machine serves a slot, or is to."""
        return self.oss if server is OSS else self._others[server]

    def volumes_of(self, server: Server) -> list[Volume]:
        """The volumes of a slot."""
        return self.volumes if server is OSS else self._own[server.slot]

    def install(self) -> None:
        together(
            [
                *(partial(machine.install, roles(server, self.backend)) for server, machine in self._others.items()),
                *(partial(m.install, roles(OSS, self.backend)) for m in (self.oss, self.second) if m.running),
            ]
        )

    def serve_all(self) -> None:
        """As Lustre's manual has it: MGS, then MDT, then OSTs."""
        for server, machine in self._others.items():
            self._until_served(machine, server, '', '')
        self._until_served(self.oss, OSS, '', '')

    def mount(self) -> None:
        """The client is a node of a grid."""
        node = {'HOST_NAME': self.client.name, 'HOSTS': f'{self.client.name}={self.client.address}'}
        own = {'DOMAIN': 'sas-grid.internal', 'SAS_UID': '6000', 'SAS_GID': '6000', 'SHARED_MOUNT': MOUNT_POINT}
        self.client.install({**client_roles(), 'grid-node': {**node, **own}})
        self.client.wait_for_unit('sas-grid-lustre-client.target', 300)
        self.client.wait_for_unit('sas-grid-node.service', 300)

    def tell(
        self, machine: Machine, epoch: int, finding: str = '', snapshots: str = '', address: str = OSS.address
    ) -> tuple[int, str]:
        """Tell a machine to serve the targets."""
        return self._tell(machine, OSS, epoch, 'false', finding, snapshots, address)

    def _tell(
        self, machine: Machine, server: Server, epoch: int, may: str, finding: str, snapshots: str, address: str
    ) -> tuple[int, str]:
        parameters = {
            'slot': server.slot,
            'epoch': str(epoch),
            'address': address,
            'volumes': ','.join(volume.id for volume in self.volumes_of(server)),
            'mayFormat': may,
            'finding': finding,
            'snapshots': snapshots,
        }
        return documents.run(machine, 'serve', parameters)

    def _until_served(
        self, machine: Machine, server: Server, finding: str, snapshots: str, within: float = 600
    ) -> tuple[int, str]:
        """As often as it says 'not yet'; returns the answer that it ends with, which is damage or that it serves."""
        end, may = time.monotonic() + within, 'true' if self.epoch == 1 else 'false'
        while True:
            answer = self._tell(machine, server, self.epoch, may, finding, snapshots, server.address)
            if answer[0] in (0, MAY_BE_REPAIRED):
                return answer
            if answer[0] != 75 or time.monotonic() > end:
                raise ScenarioFailed(f'{machine.name}: {server.slot} is not served ({answer[0]}):\n{answer[1]}')
            time.sleep(2)

    def replace(self, steps: Steps) -> str:
        """Kill the server, and have the second machine serve. Returns what e2fsck said of damage that was repaired."""
        new = self.second
        self.oss.kill()
        killed = time.monotonic()
        self.move()
        code, said = self._until_served(new, OSS, '', '')
        damage = ''
        if code == MAY_BE_REPAIRED:
            damage = new.run('cat /run/sas-grid/e2fsck-*.would')
            code, said = self._until_served(new, OSS, finding_of(said), self._snapshots())
            if code != 0:
                raise ScenarioFailed(f'{new.name} asks for other snapshots:\n{said}')
        steps.fact('served again after the kill', time.monotonic() - killed, 's')
        return damage

    def move(self) -> None:
        """The second machine gets the targets and their address; the one that had them is off."""
        # It may have been told the next one already.
        self.oss, self.epoch = self.second, self.epoch + 2
        for volume in self.volumes:
            self.oss.attach(volume)
        self.oss.attach_interface(self._interfaces[OSS.slot])

    def begin_anew(self, volumes: Mapping[str, list[Volume]]) -> None:
        """Other machines get these volumes by slot, and the addresses; those that had them are off."""
        self.epoch += 2
        self.volumes = volumes[OSS.slot]
        for server in (MGS, MDS):
            self._own[server.slot] = volumes[server.slot]
            plugs = [self._interfaces[server.slot]]
            self._others[server] = self._lab.machine(f'{server.slot}-anew', 512, volumes[server.slot], interfaces=plugs)
        self.oss = self._machine(f'{OSS.slot}-anew', self.volumes, [self._interfaces[OSS.slot]])

    def prepare_second(self) -> None:
        """A machine that has the software, and could serve."""
        if self.second is self.oss:
            self.second = self._machine('third', [])
            self.second.start().wait()
            self.second.install(roles(OSS, self.backend))

    def _snapshots(self) -> str:
        """Of each volume, as the workflow makes them when a host has told of damage."""
        made = []
        for volume in self.volumes:
            name = volume.id.replace('vol-', 'snap-')
            host(['cp', '--sparse=always', volume.path, volume.path.with_name(f'{name}.raw')], timeout=120)
            made.append(name)
        return ','.join(made)


def finding_of(said: str) -> str:
    """The number of the damage that may be repaired."""
    found = re.search(r'finding ([0-9a-f]{16})$', said.strip())
    if not found:
        raise ScenarioFailed(f'damage without a number:\n{said}')
    return found[1]


def until(machine: Machine, condition: str, otherwise: str, seconds: int = 120) -> None:
    """Wait in the guest until a command succeeds."""
    code, said = machine.try_run(
        f'end=$((SECONDS + {seconds})); until {condition}; do ((SECONDS < end)) || exit 1; sleep 0.3; done',
        seconds + 30,
    )
    if code != 0:
        raise ScenarioFailed(f'{machine.name}: {otherwise}: {said}')
