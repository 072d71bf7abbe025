"""One QEMU process: its command line, and what is plugged into it while it runs."""

import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import accelerator, disks, nvme_identity, qmp
from .disks import InstanceStoreDisk
from .image import Image
from .network import LAB_SUBNET, Network, Subnet
from .nvme_identity import Identity

# The rate of acpi_pm is fixed. That of the processor's counter is measured while a guest boots, and on a busy host
# the measure may be wrong by a multiple: such a guest's clock ran six times too fast.
CONSTANT = (
    'console=ttyS0 quiet nokaslr mitigations=off audit=0 apparmor=0 random.trust_cpu=1 rcupdate.rcu_expedited=1 '
    '8250.nr_uarts=1 net.ifnames=0 systemd.show_status=0 tsc=reliable clocksource=acpi_pm norandmaps'
)
MACHINE = 'q35,sata=off,smbus=off,i8042=off,hpet=off,vmport=off'
AGENT_PORT = 'sas-grid-lab'


Counts = Mapping[str, tuple[int, int]]


def _unflushed(before: Counts, now: Counts) -> dict[str, int]:
    """The disks that have written and not flushed since then, and how often they have written."""
    return {
        disk: writes - before[disk][0]
        for disk, (writes, flushes) in now.items()
        if disk in before and writes > before[disk][0] and flushes == before[disk][1]
    }


class NoPort(Exception):
    """The machine has no free slot for another device."""


@dataclass(frozen=True)
class Shape:
    """What a machine has from its start."""

    name: str
    image: Image
    kvm: bool
    memory_mib: int
    vcpus: int
    mac: str
    root: Path
    instance_store: Sequence[InstanceStoreDisk]
    ports: int
    kernel_words: Mapping[str, str]
    subnet: Subnet = LAB_SUBNET


def command_line(shape: Shape, folder: Path, namespace: str, tap: str) -> list[str]:
    """The command that starts the machine, paused."""
    words = ' '.join([CONSTANT, *(f'{key}={value}' for key, value in shape.kernel_words.items())])
    # 'ip netns exec' becomes QEMU: the process id is QEMU's.
    command = [
        *('ip', 'netns', 'exec', namespace, accelerator.QEMU, '-name', shape.name, '-S', '-M', MACHINE),
        *accelerator.arguments(shape.kvm),
        *('-smp', str(shape.vcpus), '-m', str(shape.memory_mib), '-nodefaults', '-display', 'none'),
        *('-kernel', str(shape.image.kernel), '-initrd', str(shape.image.initrd), '-append', words),
        *('-serial', f'file:{folder / shape.name}.console'),
        *('-qmp', f'unix:{folder / shape.name}.qmp,server=on,wait=off'),
        *('-drive', f'if=none,id=root,file={shape.root},cache=unsafe', '-device', 'virtio-blk-pci,drive=root'),
        *(
            '-device',
            'virtio-serial-pci',
            '-chardev',
            f'socket,id=agent,path={folder / shape.name}.agent,server=on,wait=off',
        ),
        *('-device', f'virtserialport,chardev=agent,name={AGENT_PORT}', '-device', 'virtio-rng-pci'),
        *('-netdev', f'tap,id=primary,ifname={tap},script=no,downscript=no'),
        *('-device', f'virtio-net-pci,netdev=primary,romfile=,mac={shape.mac}'),
    ]
    for number in range(1, shape.ports + 1):
        command += ['-device', f'pcie-root-port,id=port{number},chassis={number},slot={number}']
    for disk in shape.instance_store:
        name = f'store{disk.number}'
        command += ['-drive', f'if=none,id={name},file={disk.path},format=raw,cache=unsafe']
        command += ['-device', f'nvme,drive={name},serial={disk.serial}']
    return command


class Qemu:
    """A running process. Starts paused; `go` lets it boot."""

    def __init__(self, shape: Shape, folder: Path, network: Network) -> None:
        self.name = shape.name
        self._network = network
        self._free = [f'port{number}' for number in range(1, shape.ports + 1)]
        self._ports: dict[str, str] = {}
        self._nodes: dict[str, str] = {}
        self._taps = {'primary': network.add_tap(shape.subnet)}
        self._plugged = 0
        self._lock = threading.RLock()
        self._errors = folder / f'{shape.name}.err'
        self._qmp_path = folder / f'{shape.name}.qmp'
        for stale in (self._qmp_path, folder / f'{shape.name}.agent'):
            stale.unlink(missing_ok=True)
        command = command_line(shape, folder, network.name, self._taps['primary'])
        with self._errors.open('wb') as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True
            )

    def connect(self) -> None:
        """Reach the monitor; an error carries what QEMU said."""
        try:
            self._qmp = qmp.Qmp(qmp.connect(self._qmp_path))
        except qmp.QmpError as problem:
            raise qmp.QmpError(
                f'{self.name}: {problem}: {self._errors.read_text(errors="replace")[-1000:]}'
            ) from problem

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def go(self) -> None:
        """Let the machine boot."""
        self._qmp.execute('cont')

    def freeze(self) -> None:
        """Stop the machine's processors until `go`. Its clock stops with them."""
        self._qmp.execute('stop')

    @property
    def tap(self) -> str:
        """The bridge's port of the interface that the machine has from its start."""
        return self._taps['primary']

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the machine's processors for a moment."""
        with self._lock:
            self._qmp.execute('stop')
            try:
                yield
            finally:
                self._qmp.execute('cont')

    def identify(self, identities: Mapping[str, Identity]) -> None:
        """Give NVMe disks EC2's identity; the machine has to be paused."""
        nvme_identity.patch(self.process.pid, identities)

    def plug_disk(self, device: str, path: Path, serial: str, shared: bool) -> None:
        """Plug an NVMe disk."""
        with self._lock:
            port = self._take_port(device)
            node = f'{device}-{self._plugged}'
            self._qmp.execute('blockdev-add', disks.node(node, path, shared))
            self._nodes[device] = node
            arguments = {'driver': 'nvme', 'id': device, 'drive': node, 'serial': serial, 'bus': port}
            self._qmp.execute('device_add', {**arguments, 'share-rw': shared})

    def unplug_disk(self, device: str, timeout: float) -> None:
        """Take a disk away, whatever the guest does with it."""
        with self._lock:
            self._qmp.unplug(device, timeout)
            self._qmp.remove_node(self._nodes.pop(device))
            self._free.append(self._ports.pop(device))

    def limit_disk(self, device: str, iops: int) -> None:
        """Let a disk do so many operations in a second; 0: as many as it can."""
        limits = dict.fromkeys(('bps', 'bps_rd', 'bps_wr', 'iops_rd', 'iops_wr'), 0)
        self._qmp.execute('block_set_io_throttle', {'id': device, 'iops': iops, **limits})

    def writes(self) -> dict[str, tuple[int, int]]:
        """How many writes and flushes each disk that was plugged has done."""
        found = {entry.get('node-name'): entry['stats'] for entry in self._qmp.execute('query-blockstats')}
        return {
            device: (int(found[node]['wr_operations']), int(found[node]['flush_operations']))
            for device, node in self._nodes.items()
            if node in found
        }

    def stop_between_flushes(self, timeout: float) -> dict[str, int]:
        """Stop the machine when a disk has done writes that were not flushed yet.

        Returns how many writes that are, for each such disk; nothing when there was no such moment.
        """
        deadline, before = time.monotonic() + timeout, self.writes()
        while time.monotonic() < deadline:
            if unflushed := _unflushed(before, now := self.writes()):
                self.freeze()
                # What was under way has come to its end by now.
                if unflushed := _unflushed(before, self.writes()):
                    return unflushed
                self.go()
            before = now
        return {}

    def plug_interface(self, device: str, mac: str, subnet: Subnet = LAB_SUBNET) -> None:
        """Plug a network interface."""
        with self._lock:
            port = self._take_port(device)
            tap = self._taps[device] = self._network.add_tap(subnet)
            backend = {'type': 'tap', 'id': f'net-{device}', 'ifname': tap, 'script': 'no', 'downscript': 'no'}
            self._qmp.execute('netdev_add', backend)
            arguments = {'driver': 'virtio-net-pci', 'id': device, 'netdev': f'net-{device}', 'mac': mac, 'bus': port}
            self._qmp.execute('device_add', {**arguments, 'romfile': ''})

    def unplug_interface(self, device: str, timeout: float) -> None:
        """Take an interface away."""
        with self._lock:
            self._qmp.unplug(device, timeout)
            self._qmp.execute('netdev_del', {'id': f'net-{device}'})
            self._network.remove_tap(self._taps.pop(device))
            self._free.append(self._ports.pop(device))

    def reset(self) -> None:
        """The machine starts anew, as by its reset button."""
        self._qmp.execute('system_reset')

    def set_link(self, device: str, up: bool) -> None:
        """Take an interface's carrier away, or give it back."""
        self._qmp.execute('set_link', {'name': device, 'up': up})

    def end(self) -> None:
        """Kill the process, if it still runs, and free what it had."""
        self.process.kill()
        self.process.wait()
        if hasattr(self, '_qmp'):
            self._qmp.close()
        for tap in self._taps.values():
            self._network.remove_tap(tap)
        self._taps.clear()

    def _take_port(self, device: str) -> str:
        if not self._free:
            raise NoPort(f'{self.name} has no free slot; make the machine with more spare_ports')
        self._plugged += 1
        self._ports[device] = self._free.pop(0)
        return self._ports[device]
