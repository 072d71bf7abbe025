"""What a machine's kernel says of its mounts and file systems, written down as stand-ins of sandboxes do it.

So whoever judges a deployment reads one history and one form of superblocks, whatever hosts are made of. What came and
went between two looks is not seen.
"""

import json
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import history
from ..hosts import folders
from . import membership
from .membership import Membership

LOOK = f'cat /proc/mounts; echo =; cat /proc/fs/nfsd/threads 2>/dev/null || echo 0; echo =; {membership.LOOK}'
"""Cheap: it is asked every few seconds."""

DETAILS = (
    'lsblk --json -o NAME,FSTYPE,UUID,SERIAL,MOUNTPOINT; echo =;'
    f' systemctl show -P ExecStart nfs-server.service 2>/dev/null; echo =; {membership.DETAILS}'
)
"""Asked when the look shows something else than before."""

_MEMBERS = ('LVM2_member', 'linux_raid_member', None)
"""what is a part of something else"""

_SERVED = re.compile(r'echo (\S+) >/proc/sys/kernel/hostname.* -H (\S+)')


@dataclass(frozen=True)
class _Mount:
    point: str
    shared: bool

    @property
    def kind(self) -> str:
        return 'shared-mount' if self.shared else 'mount'


@dataclass
class Observed:
    """One machine, since it was switched on."""

    instance_id: str
    members: Membership
    _look: str = ''
    _mounts: dict[str, _Mount] = field(default_factory=dict)
    _sources: set[str] = field(default_factory=set)
    _served: tuple[str, str] | None = None
    _over: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def changed(self, look: str) -> bool:
        """Whether the machine has to be asked for details."""
        return look != self._look

    def note(self, look: str, details: str) -> None:
        """Write down what is different."""
        with self._lock:
            if not self._over:
                self._note(look, details)

    def _note(self, look: str, details: str) -> None:
        mounts, threads, members = look.split('=\n')
        disks, unit, cluster = details.split('=\n', 2)
        file = folders.root_of(self.instance_id) / 'proc/mounts'
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(mounts)
        self.members.note(members, cluster)
        self._note_volumes(json.loads(disks)['blockdevices'])
        self._note_sources({line.split()[0] for line in mounts.splitlines() if line.split()[2] == 'nfs4'})
        served = _SERVED.search(unit) if threads.strip() not in ('', '0') else None
        self._note_server((served[2], served[1]) if served else None)
        self._look = look

    def ended(self) -> None:
        """Its power is gone, and with it all that its kernel had. What a look brings afterwards is of the past."""
        with self._lock:
            self._over = True
            self._note_mounts({})
            self._note_server(None)

    def _note_volumes(self, disks: list[dict[str, Any]]) -> None:
        mounted: dict[str, _Mount] = {}
        for disk in disks:
            serial = str(disk.get('serial') or '')
            if not serial.startswith('vol'):
                continue
            volume = serial.replace('vol', 'vol-', 1)
            made = {_name(one): str(one['uuid']) for one in _below(disk) if _is_file_system(one)}
            on = [one for one in _below(disk) if one.get('mountpoint')]
            if on:
                mounted[volume] = _Mount(str(on[0]['mountpoint']), on[0]['fstype'] == 'gfs2')
            if made:
                _note_formats(volume, made, self.instance_id)
        self._note_mounts(mounted)

    def _note_mounts(self, mounted: dict[str, _Mount]) -> None:
        own = self.instance_id
        for volume in mounted.keys() - self._mounts.keys():
            mount = mounted[volume]
            history.record(mount.kind, volume, None, own, instance=own, target=mount.point)
        for volume in self._mounts.keys() - mounted.keys():
            mount = self._mounts[volume]
            history.record(mount.kind, volume, own, None, instance=own, target=mount.point)
        self._mounts = mounted

    def _note_sources(self, sources: set[str]) -> None:
        for source in sources - self._sources:
            history.record('nfs-mount', source, None, self.instance_id, instance=self.instance_id)
        self._sources = sources

    def _note_server(self, served: tuple[str, str] | None) -> None:
        if served == self._served:
            return
        if self._served:
            address, scope = self._served
            history.record('nfs-server', address, self.instance_id, None, instance=self.instance_id)
        if served:
            address, scope = served
            history.record('nfs-server', address, None, self.instance_id, instance=self.instance_id, scope=scope)
        self._served = served


def _is_file_system(device: dict[str, Any]) -> bool:
    return bool(device.get('uuid')) and device.get('fstype') not in _MEMBERS


def _name(device: dict[str, Any]) -> str:
    """The kernel's names of disks are other ones on each machine."""
    name = str(device['name'])
    return 'disk' if name.startswith('nvme') else name


def _below(disk: dict[str, Any]) -> list[dict[str, Any]]:
    """A device and all that is built on it."""
    return [disk, *(one for child in disk.get('children') or [] for one in _below(child))]


def _note_formats(volume: str, made: dict[str, str], instance_id: str) -> None:
    """The identities of the file systems that use a volume; a new one is a format."""
    path: Path = folders.state() / 'volumes' / volume / 'superblock.json'
    path.parent.mkdir(parents=True, exist_ok=True)
    before: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    known: dict[str, str] = before.get('made') or {}
    formats: dict[str, int] = before.get('formats') or {}
    for name in (name for name, uuid in made.items() if known.get(name) != uuid):
        formats[name] = formats.get(name, 0) + 1
    count = max(formats.values(), default=0)
    if count > before.get('formatCount', 0):
        history.record('format', volume, None, ' '.join(sorted(made)), instance=instance_id)
    known = {**known, **made}
    uuid = ' '.join(f'{name}={known[name]}' for name in sorted(known))
    content = {'uuid': uuid, 'made': known, 'formats': formats, 'formatCount': count}
    partial = path.with_suffix('.partial')
    partial.write_text(json.dumps(content))
    partial.replace(path)
