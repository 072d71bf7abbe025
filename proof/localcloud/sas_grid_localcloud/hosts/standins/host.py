"""The host that a stand-in works in, and the volumes and other hosts of the same embedded AWS."""

from __future__ import annotations

import fcntl
import os
import time

from held import contextmanager
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# json and typing are imported where they are needed: most calls need neither, and starting is most of their time.
ROOT = Path(os.environ['SAS_GRID_ROOT'])
STATE = ROOT.parent.parent
INSTANCE = ROOT.name


class Failed(Exception):
    """The tool ends with this exit code and message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def record(kind: str, thing: str, before: str | None, after: str | None, **more: Any) -> None:
    """Append a line to the history, as the embedded AWS itself does.

    A loop device is a file of one host, and nothing that an AWS would know of.
    """
    if thing.startswith('loop'):
        return
    line = {'time': round(time.time(), 4), 'kind': kind, 'id': thing, 'from': before, 'to': after}
    line.update(instance=INSTANCE, **more)
    import json

    (STATE / 'history.jsonl').append_text(json.dumps(line) + '\n')


def ask(door: str, **question: Any) -> dict[str, Any]:
    """What the embedded AWS, which listens at the door, answers about this host."""
    import json
    import socket  # slow to import, and most calls need it not

    with socket.socket(socket.AF_UNIX) as line:
        line.connect(f'\0{door}')
        with line.makefile('rw', encoding='utf-8') as stream:
            stream.write(json.dumps({'instance': INSTANCE, **question}) + '\n')
            stream.flush()
            answer: dict[str, Any] = json.loads(stream.readline())
    return answer


class Device:
    """A disk of this host, named by a path, and what is written on it."""

    def __init__(self, path: str) -> None:
        self.path = path
        disk = Path(path)
        if not disk.exists():
            raise Failed(2, f'{path}: No such file or directory')
        self.node = disk.resolve()
        self.folder = _folder_of(self.node)
        self.id = self.folder.name
        self._disk = disk

    @contextmanager
    def superblock(self) -> Iterator[dict[str, Any]]:
        """What was written when the disk was formatted, {} when it never was. Changes are kept; one user at a time."""
        import json

        path = self.folder / 'superblock.json'
        with open(str(self.folder / 'lock'), 'a', encoding='utf-8') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            content: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
            before = json.dumps(content)
            yield content
            if json.dumps(content) != before:
                # Readers do not take the lock: they see the old content or the new.
                partial = self.folder / 'superblock.partial'
                partial.write_text(json.dumps(content))
                os.replace(str(partial), str(path))

    def blank(self) -> bool:
        """Whether nothing was ever written to the disk."""
        content = self._disk.read_bytes()
        # Compared as a whole: a look at each byte would take longer than the rest of most tools.
        return content == bytes(len(content))

    def write_signature(self, kind: str) -> None:
        """The first bytes are no longer zero."""
        with open(str(self._disk), 'r+b') as file:
            file.write(f'{kind}\n'.encode())

    def signature(self) -> str:
        """What the first bytes say."""
        return self._disk.read_bytes()[:64].split(b'\n')[0].decode('ascii', 'replace').strip('\0')

    def wipe(self) -> None:
        """Nothing is left on the disk, but how often it was formatted is not forgotten."""
        with self.superblock() as block:
            kept = {key: block[key] for key in ('formats', 'formatCount') if key in block}
            block.clear()
            block.update(kept)
        with open(str(self._disk), 'r+b') as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            file.write(bytes(size))

    def mib(self) -> int:
        """How big the disk is."""
        size = self.folder / 'size'
        return int(size.read_text()) * 1024 if size.exists() else 10 * 1024


def _folder_of(node: Path) -> Path:
    """Where a disk's content is kept. The kernel's name of a volume tells it by the serial number."""
    if str(node.parent) != str(ROOT / 'dev'):
        return node.parent
    serial = (ROOT / 'sys/block' / node.name / 'serial').read_text().strip()
    return STATE / 'volumes' / serial.replace('vol', 'vol-', 1)


def alive(instance: str) -> bool:
    """Whether another host's machine runs."""
    return (STATE / 'hosts' / instance / 'alive').exists()


def superblocks() -> Iterator[dict[str, Any]]:
    """Everything that is written on the volumes of this embedded AWS, and on loop devices of this host."""
    for folder in (STATE / 'volumes', ROOT / 'var/lib/loop'):
        for path in folder.children('superblock.json'):
            import json

            yield json.loads(path.read_text())


def _networks(instance: str) -> set[str]:
    """The VPCs that a host has interfaces in; none where nobody made any."""
    return {path.read_text() for path in (STATE / 'hosts' / instance / 'metadata/macs').children('vpc-id')} - {''}


def reachable(instance: str) -> bool:
    """Whether a host runs, and is in the network of this one: two networks may have the same addresses."""
    if instance == INSTANCE or not alive(instance):
        return alive(instance)
    own, other = _networks(INSTANCE), _networks(instance)
    return not own or not other or not own.isdisjoint(other)


def has_address(instance: str, address: str) -> bool:
    """Whether a host that this one reaches has a network interface with this address."""
    if not reachable(instance):
        return False
    interfaces = (STATE / 'hosts' / instance / 'metadata/macs').children('local-ipv4s')
    return any(path.read_text().strip() == address for path in interfaces)


def serves_mgs(block: dict[str, Any]) -> bool:
    """Whether a target is the MGS, or has it beside the metadata."""
    return block.get('service') == 'mgs' or bool(block.get('alsoMgs'))


def mgs_mounted(nid: str) -> bool:
    """Whether a running host serves the MGS on this address."""
    address = nid.split('@')[0]
    return any(
        serves_mgs(block) and block.get('mountedBy') and has_address(block['mountedBy'], address)
        for block in superblocks()
    )


def node_answers(nid: str) -> bool:
    """Whether a running host has started LNet on this address."""
    address = nid.split('@')[0]
    for hosts in (STATE / 'hosts').children('run/lnet-nids'):
        if address in hosts.read_text() and has_address(hosts.parent.parent.name, address):
            return True
    return False


def mounts() -> list[list[str]]:
    """The lines of /proc/mounts, split."""
    path = ROOT / 'proc/mounts'
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def write_mounts(lines: list[list[str]]) -> None:
    (ROOT / 'proc/mounts').write_text(''.join(' '.join(line) + '\n' for line in lines))


def installed(package: str) -> bool:
    """Whether a package was installed on this host."""
    path = ROOT / 'var/lib/packages'
    return path.exists() and package in path.read_text().split()


def addresses(instance: str) -> list[str]:
    """The addresses that a host has configured: its first one, by DHCP, and those that were added."""
    root = STATE / 'hosts' / instance
    found = [path.read_text().strip() for path in (root / 'metadata/local-ipv4',) if path.exists()]
    added = root / 'run/ip-addresses'
    return found + [line.split()[1] for line in (added.read_text().splitlines() if added.exists() else ())]


def role_setting(key: str, default: str = '') -> str:
    """A setting of any role of this host."""
    for path in (ROOT / 'etc/sas-grid').children():
        for line in path.read_text().splitlines() if path.is_file() else ():
            if line.startswith(f'{key}='):
                return line.split('=', 1)[1]
    return default
