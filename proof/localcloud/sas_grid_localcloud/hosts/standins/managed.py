"""File systems of FSx and EFS as a client mounts them: what answers the embedded AWS says, in the real tools' words.

A mount is a link to the file system's folder, so that hosts share what they write.

Sources: "Troubleshooting file system mount issues" of the FSx for Lustre guide (a wrong mount name is 'No such file or
directory', a closed port hangs for minutes and is then 'Connection timed out'), "Mounting on Amazon EC2 with a DNS
name" and "Unsupported NFSv4 features" of the EFS guide, read 2026-11.
"""

from __future__ import annotations

import os
import time

import host
from host import Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

COVERED = '.covered-'
_found: dict[str, dict[str, Any]] = {}


def is_name(server: str) -> bool:
    """Whether a name is one that AWS gives to file systems."""
    return '.fsx.' in server or '.efs.' in server


def find(server: str) -> dict[str, Any]:
    """What is under this name or address: {} when nothing is, and 'answers' only when the way is open."""
    door = os.environ.get('SAS_GRID_CLOUD', '')
    if not door:
        return {}
    if server not in _found:
        _found[server] = host.ask(door, server=server)
    return _found[server]


def wait_in_vain() -> None:
    """Nothing comes back from a closed port. On AWS that takes minutes."""
    time.sleep(float(os.environ.get('SAS_GRID_UNANSWERED', '2')))


def ping(server: str) -> int:
    """``lctl ping``."""
    found = find(server)
    if not found:
        print(f"Can't parse process id '{server}@tcp'")
        return 22
    if not found.get('answers'):
        wait_in_vain()
        print(f'failed to ping {server}@tcp: Input/output error')
        return 5
    print(f'12345-0@lo\n12345-{found["address"]}@tcp')
    return 0


def mount_lustre(source: str, directory: str, options: str) -> int:
    nid, _, name = source.partition(':/')
    found = find(nid.partition('@')[0])
    if not found:
        raise Failed(22, f"mount.lustre: Can't parse NID '{nid}'")
    failed = f'mount.lustre: mount {source} at {directory} failed: '
    if not found.get('answers') or found['kind'] != 'LUSTRE':
        wait_in_vain()
        raise Failed(110, f'{failed}Connection timed out')
    if name != found['mountName']:
        hint = 'Is the MGS specification correct?\nIs the filesystem name correct?'
        raise Failed(2, f'{failed}No such file or directory\n{hint}')
    shown = lustre_options(options)
    _mount(found, Path(found['data']), [f'{found["address"]}@tcp:/{name}', directory, 'lustre', f'{shown},lazystatfs'])
    return 0


def lustre_options(options: str) -> str:
    """Those that /proc/mounts shows. Without flock a client refuses locks."""
    given = options.split(',')
    return ','.join(['ro' if 'ro' in given else 'rw', *(one for one in ('flock', 'localflock') if one in given)])


def connect(server: str) -> int:
    """The exit code of ``timeout``, when what it runs connects to NFS: 1 is that of a shell to which nobody answers."""
    found = find(server)
    if not found or found['kind'] == 'LUSTRE':
        return 1
    if not found.get('answers'):
        wait_in_vain()
        return 124
    return 0


def mount_nfs(source: str, directory: str, options: str) -> int:
    server, _, path = source.partition(':')
    found = find(server)
    if not found:
        raise Failed(32, f'mount.nfs: Failed to resolve server {server}: Name or service not known')
    if not found.get('answers') or found['kind'] == 'LUSTRE':
        wait_in_vain()
        raise Failed(32, f'mount.nfs: Connection timed out for {source} on {directory}')
    given = [one for one in options.split(',') if one not in ('sloppy', '_netdev')]
    version = next((one.partition('=')[2] for one in given if one.startswith('nfsvers=')), '4.2')
    connections = next((one.partition('=')[2] for one in given if one.startswith('nconnect=')), '1')
    if version not in found['versions']:
        raise Failed(32, 'mount.nfs: Protocol not supported')
    if connections != '1' and not found['nconnect']:
        raise Failed(32, 'mount.nfs: an incorrect mount option was specified')
    if path not in found['exports']:
        raise Failed(32, f'mount.nfs: mounting {source} failed, reason given by server: No such file or directory')
    if not any(within(found['client'], one) for one in found['exports'][path]):
        raise Failed(32, f'mount.nfs: access denied by server while mounting {source}')
    given = [one for one in given if not one.startswith('nfsvers=') and one != 'ro']
    shown = ['ro' if 'ro' in options.split(',') else 'rw', f'vers={version}', *given, 'proto=tcp', 'sec=sys']
    shown += [f'clientaddr={found["client"]}', f'addr={found["address"]}']
    data = Path(found['data']) / path.strip('/') if path.strip('/') else Path(found['data'])
    data.make_folder()
    _mount(found, data, [source, directory, 'nfs4', ','.join(shown)])
    return 0


def within(address: str, network: str) -> bool:
    """Whether an address lies in a range."""

    def number(text: str) -> int:
        return sum(int(part) << shift for part, shift in zip(text.split('.'), (24, 16, 8, 0), strict=True))

    base, _, bits = network.partition('/')
    rest = 32 - int(bits or 32)
    return number(address) >> rest == number(base) >> rest


def _mount(found: dict[str, Any], data: Path, line: Sequence[str]) -> None:
    directory = line[1]
    os.rename(directory, _covered(directory))
    os.symlink(str(data), directory)
    host.write_mounts([*host.mounts(), [*line, '0', '0']])
    host.record('managed-mount', found['id'], None, 'mounted', source=line[0], options=line[3])


def unmounted(directory: str) -> None:
    """What was mounted there is no more; when it is one of these, what it hid is there again."""
    if not os.path.islink(directory):
        return
    place = os.readlink(directory)
    identity = place.removeprefix(f'{host.STATE}/file-systems/').partition('/')[0]
    os.unlink(directory)
    os.rename(_covered(directory), directory)
    host.record('managed-mount', identity, 'mounted', None)


def _covered(directory: str) -> str:
    return os.path.join(os.path.dirname(directory), f'{COVERED}{os.path.basename(directory)}')
