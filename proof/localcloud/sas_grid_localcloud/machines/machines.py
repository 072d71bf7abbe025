"""All hosts as virtual machines, beside each other in one lab."""

import base64
import contextlib
import logging
import os
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sas_grid_lab import accelerator, image, leftovers
from sas_grid_lab.certificate import Certificate
from sas_grid_lab.commands import HostCommandFailed
from sas_grid_lab.fencing_agent import make_quick
from sas_grid_lab.lab import Interface, Lab, Machine
from sas_grid_lab.network import METADATA, Subnet
from sas_grid_lab.plugs import MachineError
from sas_grid_lab.settings import Settings

from .. import signals
from ..hosts import boot, folders, machine
from ..hosts.kind import Kind, NotHere, Result, Started
from ..patience import LONGEST_SECONDS
from ..server import CannotRunHere, CannotStart
from . import api_door, books, groups, names
from .first_boot import FIRST_BOOT
from .host import Host
from .membership import Names
from .size import Size
from .volumes import Volumes

ROOT_DEVICES = ('/dev/xvda', '/dev/sda1')
"""The machine's own disk, which comes from the lab's image."""

SPARE_PORTS = 12
"""for the interface and eight volumes of a storage server, and some more"""

_log = logging.getLogger(__name__)


class Machines(Kind):
    """All hosts."""

    real_file_systems = True

    def __init__(self) -> None:
        self._size = Size.from_environment()
        self._hosts: dict[str, Host] = {}
        self._volumes = Volumes(lambda: self._in_lab.folder, self._size.volume_mib, self._made)
        self._subnets: dict[str, Subnet] = {}
        self._nodes = Names()
        self._lock = threading.Lock()

    def open_in(self, state: Path) -> None:
        folders.open_in(state)
        self._lab = contextlib.ExitStack()
        self._in_lab = self._lab.enter_context(_lab())
        try:
            groups.Groups(self._in_lab.network)
        except HostCommandFailed as problem:
            raise CannotRunHere(f'security groups of virtual machines cannot be enforced here: {problem}') from problem
        region = os.environ['AWS_REGION']
        self._certificate = Certificate(self._in_lab.folder, *api_door.names(region))
        network = self._in_lab.network
        listener = network.listen(METADATA, 443)
        self._door = api_door.ApiDoor(os.environ['AWS_ENDPOINT_URL'], listener, self._certificate)
        network.add_address(names.ADDRESS)
        self._listening = network.inside(names.listener)
        names.serve(self._listening, METADATA)
        signals.subscribe('volume-attached', self._volume_attached)
        signals.subscribe('volume-detached', self._volume_detached)
        signals.subscribe('interface-attached', self._interface_attached)
        signals.subscribe('interface-detached', self._interface_detached)

    def stop(self) -> None:
        self._door.close()
        self._listening.close()
        self._lab.close()

    # Power

    def power_on(self, instance_id: str, instance: dict[str, Any], user_data: str) -> None:
        self._host(instance_id).power_on(lambda: self._make(instance_id, instance, user_data))

    def first_boot(self, instance_id: str, user_data: str) -> Result:
        host = self._host(instance_id)
        self._prepare(host.wait())
        return host.run(FIRST_BOOT, LONGEST_SECONDS)

    def later_boot(self, instance_id: str) -> Result:
        # The agent is there as soon as the system takes commands; some of its units wait for what the agent brings.
        self._host(instance_id).wait()
        return Result(0, '', '')

    def shut_down(self, instance_id: str) -> None:
        self._host(instance_id).shut_down()

    def power_off(self, instance_id: str) -> None:
        self._host(instance_id).end()

    def reset(self, instance_id: str) -> None:
        self._host(instance_id).reset()

    def halt(self, instance_id: str) -> None:
        self._host(instance_id).end()

    def freeze(self, instance_id: str) -> None:
        with contextlib.suppress(MachineError):
            self._made(instance_id).freeze()

    def thaw(self, instance_id: str) -> None:
        with contextlib.suppress(MachineError):
            self._made(instance_id).thaw()

    def console(self, instance_id: str) -> str:
        with contextlib.suppress(MachineError):
            return self._made(instance_id).console(10_000)
        return ''

    def set_carrier(self, instance_id: str, up: bool) -> None:
        with _or_not_here():
            self._made(instance_id).set_carrier(up)

    def stop_between_flushes(self, instance_id: str, seconds: float) -> dict[str, int]:
        with _or_not_here():
            return self._made(instance_id).stop_between_flushes(seconds)

    def limit_disks(self, instance_id: str, iops: int) -> None:
        with _or_not_here():
            self._made(instance_id).limit_disks(iops)

    def run(self, instance_id: str, script: str, timeout: float, started: Started | None = None) -> Result:
        return self._host(instance_id).run(script, timeout, started)

    # Disks

    def write_file(self, instance_id: str, path: str, content: bytes) -> None:
        encoded = f'{path}.base64'
        self._must(instance_id, f'mkdir -p {shlex.quote(str(Path(path).parent))}')
        self._made(instance_id).put(encoded, base64.b64encode(content).decode())
        self._must(instance_id, f'base64 -d {shlex.quote(encoded)} >{shlex.quote(path)} && rm {shlex.quote(encoded)}')

    def read_file(self, instance_id: str, path: str) -> bytes:
        return base64.b64decode(self._must(instance_id, f'base64 {shlex.quote(path)}'))

    def _must(self, instance_id: str, script: str) -> str:
        result = self.run(instance_id, script, 60)
        if result.code:
            raise OSError(result.err.strip() or f'ended with {result.code}')
        return result.out

    def keep(self, instance_id: str, image: str) -> None:
        host = self._host(instance_id)
        if host.machine is None or host.machine.running:
            raise NotHere(f'the disk of a virtual machine is kept when it is off; stop {instance_id} first')
        shutil.copyfile(self._disk(instance_id), self._disk(image))

    def drop(self, image: str) -> None:
        self._disk(image).unlink(missing_ok=True)

    def _disk(self, name: str) -> Path:
        """The root disk of an instance, under the name that the lab gives it, or of an image."""
        return self._in_lab.folder / f'{name}-root.qcow2'

    def take(self, volumes: Mapping[str, str]) -> None:
        self._volumes.take(volumes)

    def duplicate(self, snapshot: str, copied: str) -> None:
        self._volumes.duplicate(snapshot, copied)

    def fill(self, volume: str, snapshot: str) -> None:
        self._volumes.fill(volume, snapshot)

    def drop_snapshot(self, snapshot: str) -> None:
        self._volumes.drop(snapshot)

    # Hardware

    def _volume_attached(self, *, volume_id: str, instance_id: str, device: str, **_: Any) -> None:
        if device not in ROOT_DEVICES:
            self._host(instance_id).attach(self._volumes.get(volume_id))

    def _volume_detached(self, *, volume_id: str, instance_id: str, device: str, **_: Any) -> None:
        if device not in ROOT_DEVICES:
            self._host(instance_id).detach(self._volumes.get(volume_id))

    def _interface_attached(
        self, *, interface_id: str, instance_id: str, address: str, device_index: int, **_: Any
    ) -> None:
        if int(device_index) > 0:
            subnet = self._subnet(books.subnet_of_interface(interface_id))
            self._host(instance_id).attach_interface(Interface(address, interface_id, subnet))

    def _interface_detached(self, *, interface_id: str, instance_id: str, device_index: int, **_: Any) -> None:
        if int(device_index) > 0:
            self._host(instance_id).detach_interface(interface_id)

    # Inside

    def _host(self, instance_id: str) -> Host:
        with self._lock:
            if instance_id not in self._hosts:
                self._hosts[instance_id] = Host(instance_id, self._in_lab.network, self._nodes, self._ended)
            return self._hosts[instance_id]

    def _made(self, instance_id: str) -> Machine:
        return self._host(instance_id).made()

    def _make(self, instance_id: str, instance: dict[str, Any], user_data: str) -> Machine:
        running = sum(one.memory_mib for one in self._in_lab.machines.values() if one.running)
        if running + self._size.memory_mib > self._size.all_mib:
            raise MachineError(f'{running} MiB are in use; allowed for all machines: {self._size.all_mib} MiB')
        kept = self._disk(str(instance.get('ImageId') or ''))
        if kept.exists():
            shutil.copyfile(kept, self._disk(instance_id))
        facts = books.facts_of(instance, user_data)
        subnet = self._subnet(facts.subnet_id)
        made = Machine(
            instance_id,
            str(instance['PrivateIpAddress']),
            self._in_lab.surroundings(),
            self._size.memory_mib,
            instance_store=(machine.wanted_disks(user_data), self._size.store_mib),
            spare_ports=SPARE_PORTS,
            instance_id=instance_id,
            subnet=subnet,
            facts=facts,
        )
        return self._in_lab.add(made)

    def _prepare(self, machine: Machine) -> None:
        """What an image or DHCP brings on AWS: the name server, and who certifies AWS's endpoints."""
        file = f'/etc/ssl/certs/{self._certificate.hash}.0'
        machine.put(file, self._certificate.authority)
        machine.put('/etc/resolv.conf', f'nameserver {names.ADDRESS}\n')
        # One file for those who look there, such as boto3, and one by its hash for OpenSSL.
        machine.run(f'cat {file} >>/etc/ssl/certs/ca-certificates.crt')
        if not self._in_lab.kvm:
            make_quick(machine)

    def _subnet(self, subnet_id: str) -> Subnet:
        with self._lock:
            if subnet_id not in self._subnets:
                subnet = books.subnet_of(subnet_id)
                self._in_lab.network.add_subnet(subnet)
                self._subnets[subnet_id] = subnet
            return self._subnets[subnet_id]

    def _ended(self, instance_id: str, powered_off: bool) -> None:
        if powered_off:
            books.power_switched_off(instance_id)
        else:
            boot.halt(instance_id)


@contextlib.contextmanager
def _or_not_here() -> Iterator[None]:
    try:
        yield
    except MachineError as problem:
        raise NotHere(str(problem)) from problem


def _lab() -> Lab:
    """A lab without subnets, once what an earlier one left is gone.

    :raises CannotStart: when there can be no machines here
    """
    if sys.platform != 'linux' or os.geteuid() != 0 or not accelerator.installed():
        raise CannotRunHere('virtual machines need Linux, root and QEMU; install it: bash proof/lab/setup.sh')
    settings = Settings.from_environment()
    for line in leftovers.clean(settings.runs):
        _tell(f'removed what an earlier run left: {line}')
    try:
        tree = os.environ.get('LUSTRE_TREE')
        built = image.ensure(settings, _tell, Path(tree) if tree else None)
    except image.CANNOT_BUILD as problem:
        raise CannotRunHere(f'there is no image for virtual machines: {problem}') from problem
    except image.PROBLEMS as problem:
        raise CannotStart(f'the image for virtual machines cannot be built: {problem}') from problem
    kvm = accelerator.works(built)
    _tell(f'hosts are virtual machines, under {accelerator.describe(kvm)}')
    return Lab(settings, built, kvm, subnets=())


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
