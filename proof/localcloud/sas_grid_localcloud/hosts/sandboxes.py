"""Hosts as sandboxes: a folder for a root, processes of this machine, stand-ins for disks and file systems."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..patience import LONGEST_SECONDS
from . import asking, contents, file_systems, folders, hardware, machine, members, sandbox, snapshots
from .kind import MACHINES, Kind, NotHere, Result, Started


class Sandboxes(Kind):
    """All hosts, as folders."""

    real_file_systems = False

    def open_in(self, state: Path) -> None:
        sandbox.open_in(state)
        hardware.subscribe()
        file_systems.subscribe()
        asking.listen()
        members.subscribe()

    def stop(self) -> None:
        sandbox.kill_all()

    def power_on(self, instance_id: str, instance: dict[str, Any], user_data: str) -> None:
        root = sandbox.create(instance_id, str(instance.get('ImageId') or ''))
        machine.describe(root, instance)
        primary = f'primary-of-{instance_id}'
        hardware.add_interface(instance_id, primary, str(instance.get('PrivateIpAddress') or '0.0.0.0'), 0)
        hardware.add_instance_store(instance_id, machine.wanted_disks(user_data))
        hardware.plug_volumes(instance_id)

    def first_boot(self, instance_id: str, user_data: str) -> Result:
        return sandbox.run(instance_id, user_data, LONGEST_SECONDS)

    def later_boot(self, instance_id: str) -> Result:
        return sandbox.run(instance_id, 'systemctl default', LONGEST_SECONDS)

    def shut_down(self, instance_id: str) -> None:
        """Nothing of it can be seen."""

    def power_off(self, instance_id: str) -> None:
        self.reset(instance_id)
        hardware.lose_instance_store(instance_id)

    def reset(self, instance_id: str) -> None:
        sandbox.kill(instance_id)
        hardware.unmount_all(instance_id)

    def halt(self, instance_id: str) -> None:
        sandbox.kill(instance_id)

    def run(self, instance_id: str, script: str, timeout: float, started: Started | None = None) -> Result:
        return sandbox.run(instance_id, script, timeout, started)

    def write_file(self, instance_id: str, path: str, content: bytes) -> None:
        place = _inside(instance_id, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def read_file(self, instance_id: str, path: str) -> bytes:
        return _inside(instance_id, path).read_bytes()

    def keep(self, instance_id: str, image: str) -> None:
        contents.keep(instance_id, image)

    def drop(self, image: str) -> None:
        contents.drop(image)

    def take(self, volumes: Mapping[str, str]) -> None:
        snapshots.take(volumes)

    def duplicate(self, snapshot: str, copied: str) -> None:
        snapshots.duplicate(snapshot, copied)

    def fill(self, volume: str, snapshot: str) -> None:
        snapshots.fill(volume, snapshot)

    def drop_snapshot(self, snapshot: str) -> None:
        snapshots.drop(snapshot)

    def console(self, instance_id: str) -> str:
        logs = (folders.root_of(instance_id) / 'var/log' / name for name in ('user-data.log', 'boot.log'))
        return ''.join(log.read_text() for log in logs if log.exists())

    def freeze(self, instance_id: str) -> None:
        sandbox.freeze(instance_id)

    def thaw(self, instance_id: str) -> None:
        sandbox.thaw(instance_id)

    def set_carrier(self, instance_id: str, up: bool) -> None:
        raise NotHere(f'a sandbox has no cable; start the embedded AWS with {MACHINES}=vm')

    def stop_between_flushes(self, instance_id: str, seconds: float) -> dict[str, int]:
        raise NotHere(f'a sandbox has no disks; start the embedded AWS with {MACHINES}=vm')

    def limit_disks(self, instance_id: str, iops: int) -> None:
        raise NotHere(f'a sandbox has no disks; start the embedded AWS with {MACHINES}=vm')


def _inside(instance_id: str, path: str) -> Path:
    """The place of a path of the host; none outside of its root."""
    root = folders.root_of(instance_id).resolve()
    place = (root / path.lstrip('/')).resolve()
    if not place.is_relative_to(root):
        raise PermissionError(f'{path} leads out of the host')
    return place
