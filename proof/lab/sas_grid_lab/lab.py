"""The machines, disks and addresses of one scenario."""

import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from . import reaper, user_data
from .disks import Volume, hexadecimal, make_file
from .image import Image
from .leftovers import Record
from .machine import Machine, Surroundings
from .memory import Sampler
from .metadata_service import MetadataService
from .network import LAB_SUBNET, Addresses, Network, Subnet
from .plugs import Interface
from .settings import Settings

__all__ = ['Interface', 'Lab', 'Machine', 'Volume']

ENDING = (signal.SIGINT, signal.SIGTERM)


class Lab:
    """A context manager: whatever was made inside is gone afterwards."""

    def __init__(self, settings: Settings, image: Image, kvm: bool, subnets: Iterable[Subnet] = (LAB_SUBNET,)) -> None:
        self.settings = settings
        self.image = image
        self.kvm = kvm
        self.machines: dict[str, Machine] = {}
        self.network = Network(f'sas-grid-lab-{secrets.token_hex(3)}', subnets)
        self.memory = Sampler(lambda: [machine.pid for machine in list(self.machines.values()) if machine.pid])
        self._addresses = Addresses()
        self._metadata = MetadataService(self._instance_at)
        self._lock = threading.Lock()

    def __enter__(self) -> 'Lab':
        self._record = Record.create(self.settings.runs, self.network.name)
        try:
            self.folder = Path(tempfile.mkdtemp(prefix='sas-grid-lab-', dir=self.settings.work))
            # Recorded before it is made: a run may be killed between the two.
            self._record.folder, self._record.namespace = str(self.folder), self.network.name
            self._record.save()
            self._reaper = reaper.start(self._record.file)
            self.network.create()
            self._metadata.start(self.network)
        except BaseException:
            self._record.clean()
            raise
        self.memory.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.memory.stop()
        with undisturbed():
            try:
                for machine in self.machines.values():
                    machine.end()
                self._metadata.stop()
            finally:
                self._record.clean()
                self._reaper.communicate(timeout=30)

    def volume(self, size_mib: int = 512, shared: bool = False) -> Volume:
        """A blank EBS volume; a shared one can be attached to several machines."""
        identity = f'vol-{hexadecimal()}'
        return Volume(identity, make_file(self.folder / f'{identity}.raw', size_mib), size_mib, shared)

    def interface(self, address: str) -> Interface:
        """A secondary network interface with a fixed address."""
        return Interface(self._addresses.take(address))

    def machine(
        self,
        name: str,
        memory_mib: int = 512,
        volumes: list[Volume] | None = None,
        instance_store: tuple[int, int] = (0, 0),
        interfaces: Sequence[Interface] = (),
        vcpus: int = 1,
        spare_ports: int = 4,
    ) -> Machine:
        """A machine, not started. instance_store is a number of disks and their size in MiB."""
        around = self.surroundings()
        with self._lock:
            address = self._addresses.next()
        made = self.add(Machine(name, address, around, memory_mib, vcpus, instance_store, spare_ports))
        for volume in volumes or []:
            made.attach(volume)
        for interface in interfaces:
            made.attach_interface(interface)
        return made

    def surroundings(self) -> Surroundings:
        """What each machine of this lab is made with."""
        return Surroundings(self.image, self.kvm, self.folder, self.network, self._record, user_data.render)

    def add(self, machine: Machine) -> Machine:
        """A machine belongs to the lab from now on: its metadata are served, and it ends with the lab."""
        with self._lock:
            if machine.name in self.machines:
                raise ValueError(f'there is already a machine {machine.name}')
            self.machines[machine.name] = machine
        return machine

    def keep_logs(self, folder: Path) -> None:
        """Copy consoles and journals, for whoever looks for the cause of a failure."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, machine in self.machines.items():
            console = self.folder / f'{name}.console'
            if console.exists():
                shutil.copy(console, folder / f'{name}.console')
            if machine.running:
                try:
                    journal = machine.try_run('journalctl -b --no-pager -o short-monotonic | tail -n 1500', timeout=60)[
                        1
                    ]
                    (folder / f'{name}.journal').write_text(journal)
                except Exception as problem:
                    (folder / f'{name}.journal').write_text(f'not to be had: {problem}\n')

    def _instance_at(self, address: str) -> Machine | None:
        for machine in list(self.machines.values()):
            # An address may have been somebody else's before.
            if machine.running and (
                machine.address == address or any(address == one.address for one in machine.interfaces)
            ):
                return machine
        return None


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that end the program wait until what is inside is done."""
    waiting: list[int] = []
    # A mask would hold for this thread only, and the others would take the signal for it.
    before = {number: signal.signal(number, lambda seen, _: waiting.append(seen)) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if waiting:
            signal.raise_signal(waiting[0])
