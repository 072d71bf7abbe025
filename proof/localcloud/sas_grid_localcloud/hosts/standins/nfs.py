"""The kernel's NFS server and client. A server answers while its host runs, has the address, and nfsd was started."""

from __future__ import annotations

import os
import sys

import host
import managed
from host import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

CONF = host.ROOT / 'etc/nfs.conf'
RUNNING = 'run/nfsd'
HANGING = 'run/nfsd-hangs'
"""Made by tests: all threads of nfsd wait for something that never comes."""
BDI = host.ROOT / 'sys/class/bdi'
OPTIONS = (
    ' ro rw sync async wdelay no_wdelay secure insecure root_squash no_root_squash all_squash no_all_squash '
    'subtree_check no_subtree_check crossmnt hide nohide mountpoint mp acl no_acl pnfs no_pnfs '
    'security_label auth_nlm no_auth_nlm fsid sec anonuid anongid xprtsec refer replicas '
)
"""What exports(5) knows."""


def nfsconf(arguments: Sequence[str]) -> int:
    action, section, key = arguments[0], arguments[1], arguments[2]
    settings = _read_conf()
    if action == '--get':
        if key not in settings.get(section, {}):
            return 1
        print(settings[section][key])
        return 0
    settings.setdefault(section, {})[key] = arguments[3]
    CONF.parent.make_folder()
    lines = [f'[{name}]\n' + ''.join(f'{k}={v}\n' for k, v in values.items()) for name, values in settings.items()]
    CONF.write_text('\n'.join(lines))
    return 0


def _read_conf() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    section = ''
    for line in CONF.read_text().splitlines() if CONF.exists() else ():
        if line.startswith('['):
            section = line.strip('[]')
        elif '=' in line:
            found.setdefault(section, {})[line.partition('=')[0]] = line.partition('=')[2]
    return found


def start_server(commands: Sequence[str]) -> None:
    """nfsd with what ``rpc.nfsd`` is told, and the exports as they are at this moment."""
    import json

    command = next((one for one in commands if 'rpc.nfsd' in one), '')
    words = command.partition('rpc.nfsd')[2].strip(' "').split()
    options = dict(zip(words[::2], words[1::2], strict=False))
    address = options.get('-H', '')
    exports = _exports()
    if address and address not in host.addresses(host.INSTANCE):
        raise Failed(1, 'rpc.nfsd: unable to bind AF_INET TCP socket: errno 99 (Cannot assign requested address)')
    _require_version_4_only()
    scope = command.partition('echo ')[2].partition(' ')[0] or host.INSTANCE
    facts = {'address': address, 'scope': scope, 'threads': words[-1] if words else '8', 'exports': exports}
    (host.ROOT / 'run').make_folder()
    (host.ROOT / RUNNING).write_text(json.dumps(facts))
    host.record('nfs-server', address, None, host.INSTANCE, scope=scope, exports=[path for path, _ in exports])


def _require_version_4_only() -> None:
    if _read_conf().get('nfsd', {}).get('vers3') != 'n' and not _started('rpcbind.service'):
        # nfsd registers version 3 with rpcbind, which is masked here.
        raise Failed(1, 'rpc.nfsd: writing fd to kernel failed: errno 111 (Connection refused)')


def _started(unit: str) -> bool:
    return (host.ROOT / 'run/units' / unit).exists()


def _exports() -> list[tuple[str, list[str]]]:
    """What exportfs -r takes from exports.d: paths with the clients that may mount them."""
    found = []
    for file in (host.ROOT / 'etc/exports.d').children():
        for number, line in enumerate(file.read_text().splitlines(), 1):
            path, *clients = line.split()
            allowed = []
            for client in clients:
                network, _, options = client.partition('(')
                names = options.rstrip(')').split(',')
                for name in names:
                    if f' {name.partition("=")[0]} ' not in OPTIONS:
                        raise Failed(1, f'exportfs: {file}:{number}: unknown keyword "{name}"')
                if 'mountpoint' not in names or _mounted(path):
                    allowed.append(network)
            found.append((path, allowed))
    return found


def _mounted(path: str) -> bool:
    return any(line[1] == str(host.ROOT / path.lstrip('/')) for line in host.mounts())


def stop_server() -> None:
    import json

    running = host.ROOT / RUNNING
    if running.exists():
        host.record('nfs-server', json.loads(running.read_text())['address'], host.INSTANCE, None)
        running.remove()


def _server_at(address: str) -> tuple[str, dict[str, Any]] | None:
    """The host that has this address and what its nfsd serves; nothing as its server when none runs there."""
    for other in (host.STATE / 'hosts').children():
        if host.has_address(other.name, address) and address in host.addresses(other.name):
            running = other / RUNNING
            if running.exists():
                import json

                facts: dict[str, Any] = json.loads(running.read_text())
                if facts['address'] in ('', address):
                    return other.name, facts
            return other.name, {}
    return None


def answers(address: str) -> bool:
    if managed.is_name(address):
        return bool(managed.find(address).get('answers'))
    found = _server_at(address)
    return bool(found and found[1])


def mount(source: str, directory: str, options: str) -> int:
    """``mount -t nfs``: what the server says of this client's address."""
    address, _, path = source.partition(':')
    found = _server_at(address)
    if managed.is_name(address) or (found is None and managed.find(address)):
        managed.mount_nfs(source, directory, options)
        return _read_ahead(directory)
    if found is None:
        raise Failed(32, f'mount.nfs: Connection timed out for {source} on {directory}')
    if not found[1]:
        raise Failed(32, f'mount.nfs: Connection refused for {source} on {directory}')
    exports = dict(found[1]['exports'])
    if path not in exports:
        raise Failed(32, f'mount.nfs: mounting {source} failed, reason given by server: No such file or directory')
    own = host.addresses(host.INSTANCE)[0]
    if not any(managed.within(own, network) for network in exports[path]):
        raise Failed(32, f'mount.nfs: access denied by server while mounting {source}')
    given = [o for o in options.split(',') if o not in ('sloppy', '_netdev') and not o.startswith('nfsvers=')]
    shown = ','.join(['rw', 'vers=4.2', *given, 'proto=tcp', 'sec=sys', f'clientaddr={own}', f'addr={address}'])
    host.write_mounts([*host.mounts(), [source, directory, 'nfs4', shown, '0', '0']])
    host.record('nfs-mount', source, None, host.INSTANCE, server=found[0])
    return _read_ahead(directory)


def _read_ahead(directory: str) -> int:
    """What the kernel starts with."""
    ahead = BDI / _number(directory) / 'read_ahead_kb'
    ahead.parent.make_folder()
    ahead.write_text('128\n')
    return 0


def _number(directory: str) -> str:
    """The device number of what is mounted there."""
    for at, line in enumerate(host.mounts()):
        if line[1] == directory:
            return f'0:{40 + at}'
    return ''


def mountpoint(arguments: Sequence[str]) -> int:
    number = _number(arguments[-1])
    if not number:
        raise Failed(32 if '-d' in arguments else 1, f'{arguments[-1]} is not a mountpoint')
    print(number if '-d' in arguments else f'{arguments[-1]} is a mountpoint')
    return 0


def timeout(arguments: Sequence[str]) -> int:
    """What waits for the network: a connection to a server's port, and what only answers while a server does."""
    if any('/dev/tcp/$0/2049' in one for one in arguments):
        server = arguments[-1]
        found = _server_at(server)
        if found and (host.STATE / 'hosts' / found[0] / HANGING).exists():
            return 124
        if managed.is_name(server) or (found is None and managed.find(server)):
            return managed.connect(server)
        if found is None:
            return 124
        return 0 if found[1] else 1
    for line in host.mounts():
        hangs = line[2] == 'nfs4' and any(word == line[1] or word.startswith(f'{line[1]}/') for word in arguments)
        if hangs and not answers(line[0].partition(':')[0]):
            return 137 if 'KILL' in arguments else 124
    sys.stdout.flush()
    real = host.STATE / 'host-tools/.timeout'
    return os.execv(str(real), ['timeout', *arguments])


TOOLS = {'nfsconf': nfsconf, 'mountpoint': mountpoint, 'timeout': timeout}
