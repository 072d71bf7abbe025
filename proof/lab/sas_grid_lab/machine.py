"""A virtual machine that looks like an EC2 instance."""

import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import disks, qmp
from .agent import AgentClient, AgentError, CommandFailed
from .commands import host
from .disks import InstanceStoreDisk, Volume
from .image import Image
from .instance_facts import LAB_FACTS, InstanceFacts
from .leftovers import Record
from .network import LAB_SUBNET, Network, Subnet, mac_of
from .plugs import Interface, MachineError, Plugs
from .qemu import Qemu, Shape

BOOT_BOUND = 240.0
USER_DATA = '/var/lib/cloud/instance/user-data.sh'

Roles = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Surroundings:
    """What all machines of a scenario share."""

    image: Image
    kvm: bool
    folder: Path
    network: Network
    record: Record
    render: Callable[[Roles], str]


class Machine(Plugs):
    """One machine. Made by Lab.machine, not started."""

    def __init__(
        self,
        name: str,
        address: str,
        surroundings: Surroundings,
        memory_mib: int = 512,
        vcpus: int = 1,
        instance_store: tuple[int, int] = (0, 0),
        spare_ports: int = 4,
        instance_id: str = '',
        subnet: Subnet = LAB_SUBNET,
        facts: InstanceFacts = LAB_FACTS,
    ) -> None:
        self.name, self.address, self.mac = name, address, mac_of(address)
        self.instance_id = instance_id or f'i-{disks.hexadecimal()}'
        self.subnet, self.facts = subnet, facts
        self.memory_mib, self.vcpus = memory_mib, vcpus
        self.volumes: list[Volume] = []
        self.interfaces: list[Interface] = []
        self._around = surroundings
        self._store_shape, self._spare_ports = instance_store, spare_ports
        self._store: list[InstanceStoreDisk] = []
        self._qemu: Qemu | None = None
        self._agent: AgentClient | None = None
        self._started, self._boots_to_come = 0.0, 1

    # Life

    @property
    def pid(self) -> int | None:
        """The machine's process, while it runs."""
        return self._qemu.process.pid if self._qemu and self._qemu.running else None

    @property
    def running(self) -> bool:
        return self.pid is not None

    @property
    def powered_off(self) -> bool:
        """Whether it is off because its system asked for that, and not because its process was killed."""
        return self._qemu is not None and self._qemu.process.poll() == 0

    def start(self) -> 'Machine':
        """Power on; does not wait for the boot. Instance store is blank."""
        if self.running:
            raise MachineError(f'{self.name} already runs')
        self.end()
        self._store = disks.instance_store(self._around.folder, self.name, *self._store_shape)
        self._started, self._boots_to_come = time.monotonic(), 1
        qemu = self._qemu = Qemu(self._shape(), self._around.folder, self._around.network)
        self._around.record.add_process(qemu.process.pid)
        qemu.connect()
        self._agent = AgentClient(self.name, qmp.connect(self._around.folder / f'{self.name}.agent'))
        identities = {disk.serial: disk.identity for disk in self._store}
        for position, volume in enumerate(self.volumes):
            qemu.plug_disk(volume.id, volume.path, volume.serial, volume.shared)
            identities[volume.serial] = disks.volume_identity(position)
        for interface in self.interfaces:
            qemu.plug_interface(interface.id, interface.mac, interface.subnet)
        qemu.identify(identities)
        qemu.go()
        return self

    def wait(self, timeout: float = BOOT_BOUND) -> float:
        """Wait until the machine takes commands; returns the seconds since its start, or since it was reset."""
        self._wait_for_boot(self._boots_to_come, max(1.0, timeout - (time.monotonic() - self._started)))
        return time.monotonic() - self._started

    def kill(self) -> None:
        """The machine's host fails: nothing is flushed. Volumes and interfaces are free for other machines."""
        self._end()
        for volume in self.volumes:
            volume.users.discard(self.name)
        self.volumes.clear()
        self.interfaces.clear()

    def stop(self, timeout: float = 120) -> None:
        """EC2's stop: the guest powers off, the host's disks are lost, volumes stay attached."""
        # The guest may be gone before it has answered.
        with suppress(AgentError):
            self.run('systemctl poweroff --no-block')
        assert self._qemu
        try:
            self._qemu.process.wait(timeout)
        except subprocess.TimeoutExpired as late:
            raise MachineError(f'{self.name} does not power off in {timeout:g} s:\n{self.console()}') from late
        self._end()

    def reboot(self, timeout: float = BOOT_BOUND) -> float:
        """Restart the guest in place: all disks keep their data. Returns the seconds it took."""
        started, boots = time.monotonic(), self._connected().boots
        # The guest may be gone before it has answered.
        with suppress(AgentError):
            self.run('systemctl reboot --no-block')
        self._wait_for_boot(boots + 1, timeout)
        return time.monotonic() - started

    def reset(self) -> None:
        """Restart the guest as its reset button does; does not wait for the boot. All disks keep their data."""
        self._started, self._boots_to_come = time.monotonic(), self._connected().boots + 1
        self._running_qemu().reset()

    def freeze(self) -> None:
        """The machine stands still, and does not know it: commands wait until `thaw`."""
        self._running_qemu().freeze()

    def thaw(self) -> None:
        """A frozen machine goes on where it was."""
        self._running_qemu().go()

    def cut_off(self) -> None:
        """The network loses it: it reaches the router, and other machines that are cut off."""
        self._around.network.cut_off(self._running_qemu().tap, self.address)

    def end(self) -> None:
        """Power off at once, if it runs."""
        if self._qemu:
            self._end()

    # Commands

    def run(self, command: str, timeout: float = 300) -> str:
        """Run a command with bash and return its output; CommandFailed when it fails."""
        code, output = self.try_run(command, timeout)
        if code != 0:
            raise CommandFailed(self.name, command, code, output)
        return output

    def try_run(self, command: str, timeout: float = 300) -> tuple[int, str]:
        """Run a command with bash; returns exit code and output. 124 when it takes too long."""
        return self._connected().ask({'command': command}, timeout)

    def run_apart(
        self, command: str, timeout: float, started: Callable[[Callable[[], None]], None] | None = None
    ) -> tuple[int, str, str]:
        """Run a command with bash; returns exit code, output and errors. 124 when it takes too long.

        :param started: is called with what kills the command
        """
        agent = self._connected()

        def tell(number: int) -> None:
            if started:
                started(lambda: agent.send({'kill': number}))

        answer = agent.ask_all({'command': command, 'apart': True}, timeout, tell)
        return int(answer['code']), str(answer['output']), str(answer['errors'])

    def background(self, command: str, unit: str) -> None:
        """Run a command as a unit of its own."""
        self.run(f'systemd-run --quiet --unit={shlex.quote(unit)} /bin/bash -c {shlex.quote(command)}')

    def put(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file."""
        code, output = self._connected().ask({'path': path, 'text': text, 'mode': mode}, 60)
        if code != 0:
            raise CommandFailed(self.name, f'write {path}', code, output)

    def install(self, roles: Roles, timeout: float = 300) -> str:
        """Run the user data of a host with these roles, as the first boot does. It does not wait for the roles."""
        self.put(USER_DATA, self._around.render(roles), 0o700)
        return self.run(f'systemd-run --quiet --wait --pipe --collect --unit=cloud-final {USER_DATA}', timeout)

    def wait_for_unit(self, unit: str, timeout: float = 300) -> float:
        """Wait until a unit is active; returns the seconds. One that failed is an error at once, with the journal."""
        started, name = time.monotonic(), shlex.quote(unit)
        look = f'systemctl is-active {name}; systemctl list-jobs --no-legend {name} | wc -l'
        idle = 0
        while True:
            state, jobs, *_ = self.try_run(look)[1].split()
            passed = time.monotonic() - started
            if state == 'active':
                return passed
            # Whoever starts it may be a moment late; after that nobody will.
            idle = idle + 1 if state == 'inactive' and jobs == '0' else 0
            if state == 'failed' or idle > 8 or passed > timeout:
                log = self.try_run('systemctl --failed --no-legend; journalctl -b -n 50 --no-pager -o short-monotonic')[
                    1
                ]
                raise MachineError(f'{self.name}: {unit} is {state} after {passed:.0f} s:\n{log}')
            # Each look costs the guest a tenth of a second and more.
            time.sleep(1.5)

    def console(self, lines: int = 15) -> str:
        """The end of what the kernel said."""
        file = self._around.folder / f'{self.name}.console'
        return '\n'.join(file.read_text(errors='replace').splitlines()[-lines:]) if file.exists() else ''

    # Network

    @property
    def tap(self) -> str:
        """The port of the subnet's bridge that the first interface is at, while the machine runs."""
        if not self._qemu:
            raise MachineError(f'{self.name} does not run')
        return self._qemu.tap

    # Inside

    def _shape(self) -> Shape:
        root = self._around.folder / f'{self.name}-root.qcow2'
        if not root.exists():
            host(['qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', self._around.image.root, root])
        identity = {
            'name': self.facts.host_name or self.name,
            'mac': self.mac,
            'address': f'{self.address}/{self.subnet.cidr.prefixlen}',
            'router': self.subnet.router,
        }
        return Shape(
            name=self.name,
            image=self._around.image,
            kvm=self._around.kvm,
            memory_mib=self.memory_mib,
            vcpus=self.vcpus,
            mac=self.mac,
            root=root,
            instance_store=self._store,
            ports=len(self.volumes) + len(self.interfaces) + self._spare_ports,
            subnet=self.subnet,
            kernel_words={
                **{f'lab.{key}': value for key, value in identity.items()},
                'systemd.machine_id': self.instance_id[2:].zfill(32),
            },
        )

    def _connected(self) -> AgentClient:
        if not self._agent or not self.running:
            raise MachineError(f'{self.name} does not run')
        return self._agent

    def _wait_for_boot(self, count: int, timeout: float) -> None:
        try:
            self._connected().wait_for_boot(count, timeout)
        except AgentError as problem:
            raise MachineError(f'{problem}; the end of its console:\n{self.console()}') from problem

    def _until(self, condition: str, complaint: str, timeout: float) -> None:
        command = f'for i in $(seq {int(timeout * 5)}); do {condition} && exit 0; sleep 0.2; done; lsblk; exit 1'
        code, output = self.try_run(command, timeout + 5)
        if code != 0:
            raise MachineError(f'{self.name} {complaint} after {timeout:g} s:\n{output}')

    def _end(self) -> None:
        if self._agent:
            self._agent.close()
            self._agent = None
        if self._qemu:
            self._qemu.end()
            self._qemu = None
