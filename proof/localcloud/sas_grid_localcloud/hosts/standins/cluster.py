"""A Pacemaker cluster of emulated hosts: who is a member, what all have agreed on, and who holds which lock.

No daemon runs. What one would do by itself a host does whenever it asks its cluster anything. A member whose machine
is off stays a holder of its locks until another one with quorum has fenced it.
"""

from __future__ import annotations

import fcntl
import os

import host
from held import contextmanager
from host import Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

CONF = host.ROOT / 'etc/corosync/corosync.conf'
KEY = host.ROOT / 'etc/corosync/authkey'
COROSYNC = host.ROOT / 'run/units/corosync.service'
PACEMAKER = host.ROOT / 'run/units/pacemaker.service'
LOCKD = host.ROOT / 'run/lvmlockd'
DLM = host.ROOT / 'sys/kernel/dlm'
CIB = host.ROOT / 'var/lib/pacemaker/cib/cib.xml'
"""That this host knows what was agreed on: after a reboot it still does, and a new instance does not."""

NOT_CONNECTED = 102
"""What Pacemaker's tools end with when there is no cluster to ask (crm_exit_t, CRM_EX_DISCONNECT)."""
NO_SUCH = 105


def configuration() -> tuple[str, list[tuple[str, str]]]:
    """The cluster's name and its nodes, as corosync.conf has them: names and addresses, by their numbers."""
    cluster, nodes, address = '', [], ''
    for line in CONF.read_text().splitlines() if CONF.exists() else ():
        key, _, value = line.strip().partition(': ')
        if key == 'cluster_name':
            cluster = value
        elif key == 'ring0_addr':
            address = value
        elif key == 'name':
            nodes.append((value, address))
    return cluster, nodes


def _folder(cluster: str) -> Path:
    """Who has another key is no member: a restored cluster has the name of the one that it is a copy of."""
    import binascii

    key = f'-{binascii.crc32(KEY.read_bytes()):08x}' if KEY.exists() else ''
    return host.STATE / 'clusters' / f'{cluster}{key}'


@contextmanager
def state(cluster: str) -> Iterator[dict[str, Any]]:
    """What the members share. Changes are kept; one user at a time."""
    import json

    folder = _folder(cluster)
    folder.make_folder()
    path = folder / 'state.json'
    with open(str(folder / 'lock'), 'a', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh = {'seen': [], 'members': {}, 'cib': {}, 'locks': {}}
        content: dict[str, Any] = json.loads(path.read_text()) if path.exists() else fresh
        yield content
        partial = folder / 'partial'
        partial.write_text(json.dumps(content))
        os.replace(str(partial), str(path))


def join() -> None:
    """corosync starts."""
    cluster, nodes = configuration()
    own = host.addresses(host.INSTANCE)
    found = [(number, name) for number, (name, address) in enumerate(nodes, 1) if address in own]
    if not found:
        raise Failed(1, 'corosync: parse error in config: No valid name found for local host')
    with state(cluster) as shared:
        if not _live(shared):
            # The whole cluster starts anew: all must have been there once before any of them goes on.
            shared.update(seen=[], members={}, locks={})
            if not CIB.exists():
                shared['cib'] = {}
        number, name = found[0]
        shared['members'][host.INSTANCE] = {'node': name, 'number': number, 'fenceable': False}
        shared['seen'] = sorted({*shared['seen'], name})
    host.record('cluster-member', name, None, host.INSTANCE)


def leave() -> None:
    """corosync ends: in order, so nobody fences."""
    with state(configuration()[0]) as shared:
        member = shared['members'].pop(host.INSTANCE, None)
    if member:
        host.record('cluster-member', member['node'], host.INSTANCE, None)


def _live(shared: dict[str, Any]) -> dict[str, Any]:
    return {one: member for one, member in shared['members'].items() if host.alive(one)}


def quorate(shared: dict[str, Any]) -> bool:
    nodes = configuration()[1]
    numbers = [member['number'] for member in _live(shared).values()]
    if host.INSTANCE not in shared['members'] or {name for name, _ in nodes} - {*shared['seen']}:
        return False
    if len(nodes) == 2:
        return True
    return 2 * len(numbers) > len(nodes) or (2 * len(numbers) == len(nodes) and 1 in numbers)


def value(shared: dict[str, Any], identity: str) -> str:
    """The value of an element of the cluster's configuration."""
    return str(shared['cib'].get(identity, {}).get('value', ''))


def fence(shared: dict[str, Any]) -> bool:
    """Members that are off are fenced, when it is known how; whether none is left."""
    for instance, member in list(shared['members'].items()):
        if host.alive(instance):
            continue
        if not quorate(shared) or not _is_off(shared, member['node'], instance):
            return False
        node = member['node']
        del shared['members'][instance]
        release(shared, instance)
        host.record('fence', instance, node, 'off')
    return True


def _is_off(shared: dict[str, Any], node: str, instance: str) -> bool:
    """What the levels of fencing find; fence_aws, the first, fails for what EC2 has ended."""
    if value(shared, f'fence-{node}-2-instance-pcmk_host_map') == f'{node}:{instance}':
        import subprocess  # slow to import, and seldom needed

        agent, asked = host.ROOT / 'usr/sbin/fence_sas_grid', f'action=off\nmethod=gone\nplug={instance}\n'
        return subprocess.run([str(agent)], input=asked, text=True, check=False).returncode == 0
    return value(shared, f'fence-{node}-3-instance-pcmk_host_map') == f'{node}:{node}'


def take(name: str, mode: str) -> None:
    """A lock of LVM's by the DLM: ``ex`` for one, ``sh`` for many, ``un`` gives it back."""
    if not LOCKD.exists():
        raise Failed(5, f'Global lock failed: check that lvmlockd is running.\n  Failed to lock {name}.')
    with state(configuration()[0]) as shared:
        held = shared['locks'].setdefault(name, {})
        held.pop(host.INSTANCE, None)
        if mode == 'un':
            return
        if held and (mode == 'ex' or 'ex' in held.values()):
            raise Failed(5, f'LV locked by other host: {name}\n  Failed to lock logical volume {name}.')
        held[host.INSTANCE] = mode


@contextmanager
def alone() -> Iterator[None]:
    """The lock of LVM that guards which groups there are."""
    if not LOCKD.exists():
        raise Failed(5, 'Global lock failed: check that lvmlockd is running.')
    path = _folder(configuration()[0]) / 'groups'
    with open(str(path), 'a', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def release(shared: dict[str, Any], instance: str) -> None:
    for held in shared['locks'].values():
        held.pop(instance, None)


def corosync_cfgtool(_: Sequence[str]) -> int:
    """-R: what counts is read from the file whenever it is needed."""
    return 0 if COROSYNC.exists() else 1


def crm_node(arguments: Sequence[str]) -> int:
    with _connected() as shared:
        if '--quorum' in arguments:
            print(1 if quorate(shared) else 0)
        else:
            print(shared['members'][host.INSTANCE]['node'])
    return 0


@contextmanager
def _connected() -> Iterator[dict[str, Any]]:
    if not COROSYNC.exists() or not PACEMAKER.exists():
        raise Failed(NOT_CONNECTED, 'Could not connect to cluster: Transport endpoint is not connected')
    with state(configuration()[0]) as shared:
        if host.INSTANCE not in shared['members']:
            raise Failed(NOT_CONNECTED, 'Could not connect to cluster: this node was fenced')
        yield shared


def crm_attribute(arguments: Sequence[str]) -> int:
    name = arguments[list(arguments).index('--name') + 1]
    with _connected() as shared:
        if name != 'sas-grid-fenceable':
            raise Failed(1, f'the attribute {name} is not emulated')
        shared['members'][host.INSTANCE]['fenceable'] = True
    return 0


def stonith_admin(arguments: Sequence[str]) -> int:
    """--history: whether a member that is off, and was this node, is still to be fenced."""
    node = arguments[list(arguments).index('--history') + 1]
    with _connected() as shared:
        under_way = [one for one, member in shared['members'].items() if member['node'] == node and not host.alive(one)]
    for _ in under_way:
        print(f'reboot of {node} pending: client=pacemaker-controld.1, origin={node}')
    print(f'{len(under_way)} events found')
    return 0


def cibadmin(arguments: Sequence[str]) -> int:
    with _connected() as shared:
        if '--modify' in arguments:
            import xml.etree.ElementTree as Tree  # slow to import, and only needed here

            for element in Tree.fromstring(arguments[-1]).iter():
                if 'id' in element.attrib:
                    known = shared['cib'].setdefault(element.attrib['id'], {})
                    known.update(element.attrib, tag=element.tag)
            CIB.parent.make_folder()
            CIB.touch()
            return 0
        if '--no-children' in arguments:
            first = min(member['number'] for member in _live(shared).values())
            print(f'<cib have-quorum="{int(quorate(shared))}" dc-uuid="{first}"/>')
            return 0
        return _query(shared, arguments[list(arguments).index('--xpath') + 1])


def _query(shared: dict[str, Any], path: str) -> int:
    wanted = path.split("'")[1]
    if path.startswith('//node_state'):
        joined = [member['node'] for member in _live(shared).values()]
        return 0 if wanted in joined else NO_SUCH
    found = shared['cib'].get(wanted)
    if not found:
        print('Call cib_query failed (-6): No such device or address')
        return NO_SUCH
    print(f'<{found["tag"]} ' + ' '.join(f'{k}="{v}"' for k, v in found.items() if k != 'tag') + '/>')
    return 0
