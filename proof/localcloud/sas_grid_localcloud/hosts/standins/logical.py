"""LVM on the volumes of the emulation: what lies on them, and which logical volumes are active on this host.

As with the real one, every physical volume carries the whole description of its group, and a change counts them up.
The description also holds what was written on the logical volumes, so a group moves with its volumes.
"""

from __future__ import annotations

import os

import host
from held import contextmanager
from host import Device, Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

BLOCKS = host.ROOT / 'sys/block'
DEVICES_FILE = host.ROOT / 'etc/lvm/devices/system.devices'
EXTENT_MIB = 4
LABEL = 'LVM2_member'


def visible(config: str) -> list[Device]:
    """The disks that LVM may look at: those that the list of devices has, when it counts, and that filters accept."""
    listed = None
    if 'use_devicesfile=0' not in config and DEVICES_FILE.exists():
        listed = DEVICES_FILE.read_text().split()
    disks: dict[str, Device] = {}
    for link in (host.ROOT / 'dev/disk/by-id').children():
        node = str(link.resolve())
        disk = Device(node)
        accepted = _accepts(config, ' filter', node) and _accepts(config, 'global_filter', node)
        if accepted and (listed is None or disk.id in listed):
            disks[node] = disk
    return [disks[node] for node in sorted(disks)]


def _accepts(config: str, key: str, node: str) -> bool:
    """The first pattern that fits decides; what none fits is accepted."""
    start = f' {config}'.replace('{', ' ').find(f'{key}=[')
    if start < 0:
        return True
    text = f' {config}'[start + len(key) + 2 :].partition('"]')[0].lstrip('"')
    for item in text.split('","'):
        pattern = item[2:-1]
        if pattern == '.*' or pattern == f'^{node}$':
            return item[0] == 'a'
        if pattern[:1] != '^' or pattern[-1:] != '$':
            raise Failed(5, f'the filter {pattern} is not emulated')
    return True


class Group:
    """A volume group, as the disks that LVM sees describe it."""

    def __init__(self, facts: dict[str, Any], disks: dict[str, Device]) -> None:
        self.facts = facts
        self.disks = disks
        """Those of its physical volumes that are there, by their ids."""

    @property
    def name(self) -> str:
        return str(self.facts['name'])

    @property
    def volumes(self) -> dict[str, Any]:
        found: dict[str, Any] = self.facts['volumes']
        return found

    def missing(self) -> list[str]:
        return [one for one in self.facts['disks'] if one not in self.disks]

    def allocated(self, disk: str) -> int:
        """Extents in use on a physical volume."""
        return sum(v['extents'] // len(v['on']) for v in self.volumes.values() if disk in v['on'])

    def free(self, disk: str) -> int:
        return int(self.facts['disks'][disk]['extents']) - self.allocated(disk)

    def write(self) -> None:
        """What is described goes to every physical volume that is there."""
        if self.missing():
            raise Failed(5, f'Cannot change VG {self.name} while PVs are missing.')
        self.facts['seqno'] += 1
        for identity, disk in self.disks.items():
            with disk.superblock() as block:
                block.update(physical=identity, group=self.facts, target=self.name)
            if disk.blank():
                disk.write_signature(LABEL)


def groups(disks: list[Device]) -> dict[str, Group]:
    """The groups on these disks by name. Of descriptions that differ the newest counts."""
    found: dict[str, Group] = {}
    for disk in disks:
        with disk.superblock() as block:
            facts, identity = block.get('group'), block.get('physical', '')
        if not facts or disk.signature() != LABEL:
            continue
        group = found.setdefault(facts['name'], Group(facts, {}))
        if facts['seqno'] > group.facts['seqno']:
            group.facts = facts
        group.disks[identity] = disk
    return found


def extents_of(disk: Device) -> int:
    """Extents of a disk; one is lost to what describes the group."""
    return disk.mib() // EXTENT_MIB - 1


def activate(group: Group, name: str) -> None:
    if group.missing():
        raise Failed(5, f'Refusing activation of partial LV {group.name}/{name}.')
    link = host.ROOT / 'dev' / group.name / name
    if link.exists():
        return
    number = next(n for n in range(256) if not (BLOCKS / f'dm-{n}').exists())
    kernel = BLOCKS / f'dm-{number}'
    (kernel / 'slaves').make_folder()
    (kernel / 'volume').write_text(f'{group.name} {name}\n')
    for identity in group.volumes[name]['on']:
        disk = group.disks[identity].node.name
        (BLOCKS / disk).make_folder()
        os.symlink(f'../../{disk}', str(kernel / 'slaves' / disk))
    (host.ROOT / 'dev' / kernel.name).touch()
    mapped = host.ROOT / 'dev/mapper' / f'{group.name.replace("-", "--")}-{name.replace("-", "--")}'
    for path in (link, mapped):
        path.parent.make_folder()
        path.remove()
        os.symlink(f'../{kernel.name}', str(path))


def deactivate(group: Group, name: str) -> None:
    link = host.ROOT / 'dev' / group.name / name
    if not link.exists():
        return
    volume = LogicalVolume(str(link))
    if any(line[0] == volume.mapped for line in host.mounts()):
        raise Failed(5, f'Logical volume {group.name}/{name} contains a filesystem in use.')
    kernel = BLOCKS / volume.node.name
    for path in [*(kernel / 'slaves').links(), kernel / 'volume']:
        path.remove()
    for folder in (kernel / 'slaves', kernel):
        os.rmdir(str(folder))
    for path in (link, Path(volume.mapped), volume.node):
        path.remove()


def is_logical(path: str) -> bool:
    return Path(path).resolve().name.startswith('dm-')


class LogicalVolume:
    """A logical volume that is active on this host, by any of its paths."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.node = Path(path).resolve()
        facts = BLOCKS / self.node.name / 'volume'
        if not facts.exists():
            raise Failed(2, f'{path}: No such file or directory')
        self.group, self.name = facts.read_text().split()
        names = (self.group.replace('-', '--'), self.name.replace('-', '--'))
        self.mapped = str(host.ROOT / 'dev/mapper' / '-'.join(names))

    def disks(self) -> list[Device]:
        """Its disks, none when one of them is not there any more."""
        links = list((BLOCKS / self.node.name / 'slaves').links())
        if not all(link.exists() for link in links):
            return []
        return [Device(str(disk)) for disk in self._nodes(links)]

    def _nodes(self, links: list[Path]) -> Iterator[Path]:
        known = {path.resolve().name: path.resolve() for path in (host.ROOT / 'dev/disk/by-id').children()}
        for link in links:
            yield known[link.name]

    @contextmanager
    def open(self) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """What is written on the volume, and the superblocks of its disks. Changes are kept; one user at a time."""
        import contextlib  # slow to import, and most calls need it not

        disks = self.disks()
        if not disks:
            raise Failed(32, f"{self.path}: can't read superblock on {self.mapped}.")
        with contextlib.ExitStack() as held:
            blocks = [
                held.enter_context(disk.superblock()) for disk in sorted(disks, key=lambda disk: str(disk.folder))
            ]
            facts = max((block['group'] for block in blocks), key=lambda group: int(group['seqno']))
            for block in blocks:
                block['group'] = facts
            yield facts['volumes'][self.name], blocks

    def ids(self) -> list[str]:
        """The emulation's volumes that it lies on; instance store has no history."""
        return sorted(disk.id for disk in self.disks() if disk.id.startswith('vol-'))
