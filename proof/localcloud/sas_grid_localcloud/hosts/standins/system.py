"""Accounts, addresses and the metadata service."""

from __future__ import annotations

import os
import sys

import host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

AGENT = '/amazon-ssm-agent.rpm'
AGENT_VERSION = '99.0.0.0'
"""Newer than any that is asked for."""


def curl(arguments: Sequence[str]) -> int:
    """What hosts tell the monitoring page, the region, the agent of Systems Manager, and nothing else of the network.

    The rest of the metadata: tools.py, QUICK.
    """
    url = arguments[-1]
    if url.endswith(':8988/'):
        return _server_status(url.removeprefix('http://').removesuffix(':8988/'))
    if '/amazon-ssm-' in url and url.endswith(AGENT) and '-o' in arguments:
        return _write_agent(arguments[arguments.index('-o') + 1])
    path = url.partition('/meta-data/')[2]
    if path == 'placement/region':
        print('us-east-1', end='')
        return 0
    if path.startswith('network/'):
        return 22
    print(f'curl: (6) Could not resolve {url}', file=sys.stderr)
    return 6


def _server_status(address: str) -> int:
    """What the other host's program prints. It is run here, in the other host's root."""
    import subprocess  # slow to import, and most calls need it not

    for other in (host.STATE / 'hosts').children():
        if host.has_address(other.name, address):
            program = other / 'opt/cdk-sas-grid/bin/sas-grid-lustre-status'
            environment = {**os.environ, 'SAS_GRID_ROOT': str(other), 'SAS_GRID_SAMPLE': '0'}
            return subprocess.run([str(program)], env=environment, check=False).returncode
    print(f'curl: (28) Failed to connect to {address}', file=sys.stderr)
    return 28


def _write_agent(path: str) -> int:
    """The package that AWS has in each region."""
    import stub  # most calls need it not

    with open(path, 'w', encoding='utf-8') as file:
        file.write(stub.Package('amazon-ssm-agent', AGENT_VERSION, '1', 'x86_64').text())
    return 0


def getent(arguments: Sequence[str]) -> int:
    """Accounts of this host."""
    database, key = arguments[0], arguments[-1]
    path = host.ROOT / 'etc' / database
    for line in path.read_text().splitlines() if path.exists() else []:
        fields = line.split(':')
        if key in (fields[0], fields[2] if len(fields) > 2 else ''):
            print(line)
            return 0
    return 2


def _option(arguments: Sequence[str], *names: str) -> str:
    for at, argument in enumerate(arguments):
        if argument in names:
            return arguments[at + 1]
    return ''


def groupadd(arguments: Sequence[str]) -> int:
    _append('group', f'{arguments[-1]}:x:{_option(arguments, "-g", "--gid")}:')
    return 0


def useradd(arguments: Sequence[str]) -> int:
    _append(
        'passwd',
        f'{arguments[-1]}:x:{_option(arguments, "-u", "--uid")}:{_option(arguments, "-g", "--gid")}::/:',
    )
    return 0


def _append(database: str, line: str) -> None:
    (host.ROOT / 'etc' / database).append_text(line + '\n')


def hostnamectl(arguments: Sequence[str]) -> int:
    if 'set-hostname' in arguments or 'hostname' in arguments:
        (host.ROOT / 'etc/hostname').write_text(arguments[-1] + '\n')
    return 0


def ip_tool(arguments: Sequence[str]) -> int:
    """Addresses and rules are remembered; the rest has no effect."""
    words = [a for a in arguments if not a.startswith('-')]
    if words[:1] == ['address']:
        return _ip_address(words[1:])
    if words[:2] == ['route', 'get']:
        print(f'{words[2]} from {words[-1]} dev {_device_of(words[-1])}')
        return 0
    rules = host.ROOT / 'run/ip-rules'
    rule = ' '.join(words[2:]).removesuffix(' protocol kernel')
    known = rules.read_text().splitlines() if rules.exists() else []
    if words[:2] == ['rule', 'show'] and rule in known:
        print(f'32765: {rule}')
    if words[:2] == ['rule', 'add']:
        rules.write_text('\n'.join([*known, rule]) + '\n')
    return 0


def _device_of(address: str) -> str:
    """The interface that was given the address, by which answers leave; the first one for any other."""
    added = [line.split() for line in _added() if line.split()[1] == address]
    return added[0][0] if added else 'eth0'


def _added() -> list[str]:
    file = host.ROOT / 'run/ip-addresses'
    return file.read_text().splitlines() if file.exists() else []


def _ip_address(words: list[str]) -> int:
    """Of the addresses that were added here the file knows; the first interface has its own by DHCP."""
    file = host.ROOT / 'run/ip-addresses'
    lines = _added()
    device = words[words.index('dev') + 1] if 'dev' in words else ''
    if words[0] == 'show':
        wanted = words[words.index('to') + 1]
        first = '' if device not in ('', 'eth0') else host.addresses(host.INSTANCE)[:1]
        added = [line.split()[1] for line in lines if line.split()[0] == device or not device]
        if wanted in [*first, *added]:
            print(f'2: {device or _device_of(wanted)}    inet {wanted}/24 scope global')
    elif words[0] == 'flush':
        lines = [line for line in lines if line.split()[0] != device]
        file.write_text(''.join(f'{line}\n' for line in lines))
    elif words[0] == 'replace':
        line = f'{device} {words[1].partition("/")[0]}'
        file.write_text(''.join(f'{one}\n' for one in dict.fromkeys([*lines, line])))
    return 0


def zgenhostid(_: Sequence[str]) -> int:
    (host.ROOT / 'etc/hostid').write_text('emulated')
    return 0


def sysctl(arguments: Sequence[str]) -> int:
    """Kernel settings: what a file set is what is read back."""
    settings = host.ROOT / 'run/sysctl'
    if '-p' in arguments:
        with open(arguments[-1], encoding='utf-8') as file:
            settings.append_text(file.read())
    elif '-n' in arguments:
        lines = settings.read_text().splitlines() if settings.exists() else []
        found = [line.split()[2] for line in lines if line.split()[:1] == [arguments[-1]]]
        print(found[-1] if found else 0)
    return 0


TOOLS = {
    'curl': curl,
    'sysctl': sysctl,
    'getent': getent,
    'groupadd': groupadd,
    'useradd': useradd,
    'hostnamectl': hostnamectl,
    'ip': ip_tool,
    'zgenhostid': zgenhostid,
}
