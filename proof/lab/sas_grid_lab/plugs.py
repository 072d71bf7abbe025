"""What is plugged into a machine while it runs, and taken away: volumes, which keep their identity, and interfaces."""

import time

from . import disks
from .disks import Volume
from .network import LAB_SUBNET, Subnet, mac_of
from .qemu import Qemu


class MachineError(Exception):
    """A machine is not in the state that was asked for."""


class Interface:
    """A secondary network interface with a fixed address, which moves between machines."""

    def __init__(self, address: str, identity: str = '', subnet: Subnet = LAB_SUBNET) -> None:
        self.id = identity or f'eni-{disks.hexadecimal()}'
        self.address = address
        self.mac = mac_of(address)
        self.subnet = subnet


class Plugs:
    """The hardware of a machine that outlives it."""

    name: str
    volumes: list[Volume]
    interfaces: list[Interface]
    _qemu: Qemu | None

    @property
    def running(self) -> bool:
        """Whether the machine is on."""
        raise NotImplementedError

    def _until(self, condition: str, complaint: str, timeout: float) -> None:
        """Wait until a condition of the shell holds in the guest."""
        raise NotImplementedError

    def _powered(self) -> Qemu | None:
        return self._qemu if self.running else None

    def _running_qemu(self) -> Qemu:
        if not (qemu := self._powered()):
            raise MachineError(f'{self.name} does not run')
        return qemu

    def attach(self, volume: Volume, timeout: float = 60) -> None:
        """Attach a volume and wait until the guest sees it by its id."""
        volume.attach_to(self.name)
        self.volumes.append(volume)
        if not (qemu := self._powered()):
            return
        # QEMU shows the guest a disk at once, and it must not look before the identity is there.
        with qemu.paused():
            qemu.plug_disk(volume.id, volume.path, volume.serial, volume.shared)
            qemu.identify({volume.serial: disks.volume_identity(len(self.volumes) - 1)})
        self._until(f'[ -e {volume.device} ]', f'does not see {volume.id}', timeout)

    def detach(self, volume: Volume, timeout: float = 60) -> None:
        """Detach a volume, mounted or not."""
        if qemu := self._powered():
            qemu.unplug_disk(volume.id, timeout)
        self.volumes.remove(volume)
        volume.users.discard(self.name)

    def stop_between_flushes(self, timeout: float) -> dict[str, int]:
        """Stand still when a volume has done writes that were not flushed; how many, by volume."""
        return self._running_qemu().stop_between_flushes(timeout)

    def attach_interface(self, interface: Interface, timeout: float = 60) -> None:
        """Attach an interface and wait until the guest has its device. Configuring it is the guest's matter."""
        self.interfaces.append(interface)
        if qemu := self._powered():
            qemu.plug_interface(interface.id, interface.mac, interface.subnet)
            self._until(f'grep -qx {interface.mac} /sys/class/net/*/address', f'does not see {interface.id}', timeout)

    def detach_interface(self, interface: Interface, timeout: float = 60) -> None:
        """Detach an interface."""
        if qemu := self._powered():
            qemu.unplug_interface(interface.id, timeout)
        self.interfaces.remove(interface)

    def set_carrier(self, up: bool) -> None:
        """Take the carrier of all secondary interfaces away, or give it back."""
        for interface in self.interfaces:
            self._running_qemu().set_link(interface.id, up)

    def limit_disks(self, iops: int) -> None:
        """Let the volumes do so many operations in a second, each for itself; 0: as many as they can."""
        for volume in self.volumes:
            self._running_qemu().limit_disk(volume.id, iops)

    def lose_carrier(self, interface: Interface, seconds: float) -> None:
        """An interface is without its carrier for so long, as the guest sees it."""
        carrier = f'$(dirname $(grep -lx {interface.mac} /sys/class/net/*/address))/carrier'
        qemu = self._running_qemu()
        for up, lasting in ((False, seconds), (True, 0.0)):
            qemu.set_link(interface.id, up)
            self._until(f'[ "$(cat {carrier})" = {int(up)} ]', f'does not see the carrier of {interface.id}', 60)
            time.sleep(lasting)
