"""systemd, packages, accounts and the metadata service."""

import os
import sys
from collections.abc import Sequence

import host
import storage
from host import Failed

UNITS = host.ROOT / 'etc/systemd/system'
ENABLED = UNITS / 'multi-user.target.wants'
STARTED = host.ROOT / 'run/units'
PACKAGES = host.ROOT / 'var/lib/packages'
OF_PACKAGES = ('amazon-ssm-agent', 'nginx', 'tuned', 'chronyd', 'systemd-resolved')


def systemctl(arguments: Sequence[str]) -> int:
    words = [a for a in arguments if not a.startswith('-')]
    command, units = (words[0] if words else ''), words[1:]
    if command == 'default':
        for link in sorted(ENABLED.children()):
            _try_start(link.name)
    for unit in units:
        if command == 'cat':
            _require(unit)
        elif command == 'enable':
            _require(unit)
            ENABLED.make_folder()
            (ENABLED / unit).touch()
            if '--now' in arguments:
                _start(unit)
        elif command in ('start', 'restart', 'reload-or-restart'):
            if command != 'start':
                (STARTED / unit).remove()
            # Not to wait for a job is not to know whether it failed.
            (_try_start if '--no-block' in arguments else _start)(unit)
        elif command == 'is-active' and not (STARTED / unit).exists():
            return 3
    return 0


def _require(unit: str) -> None:
    if not (UNITS / unit).exists() and unit.rpartition('.')[0] not in OF_PACKAGES and unit not in OF_PACKAGES:
        raise Failed(4, f'Unit {unit} could not be found.')


def _read(unit: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (UNITS / unit).read_text().splitlines():
        key, separator, value = line.partition('=')
        if separator:
            found.setdefault(key, []).append(value)
    return found


def _start(unit: str) -> None:
    """Starts a unit and what it requires and wants, once, waiting for each."""
    if (STARTED / unit).exists():
        return
    _require(unit)
    if (UNITS / unit).exists():
        settings = _read(unit)
        if any(not (host.ROOT / path.lstrip('/')).exists() for path in settings.get('ConditionPathExists', [])):
            return
        for name in ' '.join(settings.get('After', [])).split():
            if (ENABLED / name).exists():
                _try_start(name)
        for name in ' '.join(settings.get('Requires', [])).split():
            _start(name)
        for name in ' '.join(settings.get('Wants', [])).split():
            if (UNITS / name).exists():
                _try_start(name)
        _run(unit, settings)
    STARTED.make_folder()
    (STARTED / unit).touch()


def _try_start(unit: str) -> None:
    try:
        _start(unit)
    except Failed as failed:
        print(failed, file=sys.stderr)


def _run(unit: str, settings: dict[str, list[str]]) -> None:
    if unit.endswith('.mount'):
        where = host.ROOT / settings['Where'][0].lstrip('/')
        where.make_folder()
        what = settings['What'][0]
        if 'bind' in settings['Options'][0]:
            what = str(host.ROOT / what.lstrip('/'))
        storage.mount(['-t', settings['Type'][0], '-o', settings['Options'][0], what, str(where)])
    elif unit.endswith('.timer'):
        _start(unit.replace('.timer', '.service'))
    for command in settings.get('ExecStart', []):
        import subprocess  # slow to import, and most calls need it not

        program, *rest = command.split()
        status = subprocess.run([str(host.ROOT / program.lstrip('/')), *rest], check=False).returncode
        if status:
            raise Failed(1, f'Job for {unit} failed: {program} ended with {status}')


def systemd_escape(arguments: Sequence[str]) -> int:
    path = arguments[-1].strip('/').replace('-', '\\x2d').replace('/', '-')
    print(f'{path}.mount')
    return 0


def curl(arguments: Sequence[str]) -> int:
    """The metadata service, what hosts tell the monitoring page, and nothing else of the network."""
    url = arguments[-1]
    if url.endswith(':8988/'):
        return _server_status(url.removeprefix('http://').removesuffix(':8988/'))
    if url.endswith('/api/token'):
        print('token', end='')
        return 0
    path = url.partition('/meta-data/')[2]
    if path in ('placement/region', 'instance-id'):
        print('us-east-1' if path == 'placement/region' else host.INSTANCE, end='')
        return 0
    if path.startswith('network/interfaces/macs/'):
        file = host.ROOT / 'metadata/macs' / path.removeprefix('network/interfaces/macs/')
        if file.is_file():
            print(file.read_text(), end='')
            return 0
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


def rpm(arguments: Sequence[str]) -> int:
    known = PACKAGES.read_text().split() if PACKAGES.exists() else []
    return 0 if '-q' not in arguments or arguments[-1] in known else 1


def dnf(arguments: Sequence[str]) -> int:
    PACKAGES.parent.make_folder()
    names = [a for a in arguments if not a.startswith('-') and a != 'install']
    for name in names:
        # name-version: what follows the first dash before a digit is the version
        parts = name.split('-')
        cut = next((at for at, part in enumerate(parts) if part[:1].isdigit()), len(parts))
        PACKAGES.append_text('-'.join(parts[:cut]) + '\n')
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
    """Rules are remembered; the rest has no effect."""
    rules = host.ROOT / 'run/ip-rules'
    rule = ' '.join(arguments[2:])
    known = rules.read_text().splitlines() if rules.exists() else []
    if list(arguments[:2]) == ['rule', 'show'] and rule in known:
        print(f'32765: {rule}')
    if list(arguments[:2]) == ['rule', 'add']:
        rules.write_text('\n'.join([*known, rule]) + '\n')
    return 0


def zgenhostid(_: Sequence[str]) -> int:
    (host.ROOT / 'etc/hostid').write_text('emulated')
    return 0


TOOLS = {
    'systemctl': systemctl,
    'systemd-escape': systemd_escape,
    'curl': curl,
    'rpm': rpm,
    'dnf': dnf,
    'getent': getent,
    'groupadd': groupadd,
    'useradd': useradd,
    'hostnamectl': hostnamectl,
    'ip': ip_tool,
    'zgenhostid': zgenhostid,
}
