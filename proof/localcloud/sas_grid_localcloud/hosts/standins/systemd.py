"""systemd: units that are started, stopped, enabled and masked, as far as the host's programs use them."""

from __future__ import annotations

import os
import sys

import cluster
import host
import nfs
import pacemaker
import storage
from host import Failed
from units import ENABLED, STARTED, UNITS, coming_before, known, masked, names, parse, reload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RETRY = 'sas-grid-retry.service'
"""It starts the targets of all roles again, after a while."""

RELOADS = ('daemon-reload', 'enable', 'disable', 'mask', 'unmask')


def systemctl(arguments: Sequence[str]) -> int:
    words = [a for a in arguments if not a.startswith('-')]
    command, units = (words[0] if words else ''), [_full(name) for name in words[1:]]
    if command == 'default':
        for link in sorted(ENABLED.children()):
            _try_start(link.name)
        return 0
    if command == 'halt':
        import systemd_run

        return systemd_run.halt(arguments)
    status = COMMANDS[command](units, arguments) if command in COMMANDS else 0
    if 'pacemaker.service' in units:
        pacemaker.step()
    if command in RELOADS and '--no-reload' not in arguments:
        reload()
    if '--now' in arguments:
        COMMANDS['stop' if command in ('disable', 'mask') else 'start'](units, arguments)
    return status


def _full(name: str) -> str:
    return name if '.' in name else f'{name}.service'


def _enable(units: list[str], _: Sequence[str]) -> int:
    """All of them, or none when one is not there."""
    for unit in units:
        if not known(unit):
            raise Failed(1, f'Failed to enable unit: Unit file {unit} does not exist.')
        if masked(unit):
            raise Failed(1, f'Failed to enable unit: Unit file {UNITS / unit} is masked.')
    ENABLED.make_folder()
    for unit in units:
        if (UNITS / unit).exists() and 'WantedBy' not in parse(unit):
            print(f'{unit} has no installation config and cannot be enabled.', file=sys.stderr)
            continue
        (ENABLED / unit).touch()
    return 0


def _disable(units: list[str], _: Sequence[str]) -> int:
    for unit in units:
        (ENABLED / unit).remove()
    return 0


def _mask(units: list[str], _: Sequence[str]) -> int:
    for unit in units:
        if (UNITS / unit).is_file():
            raise Failed(1, f'Failed to mask unit: File {UNITS / unit} already exists.')
        if not known(unit):
            print(f'Unit {unit} does not exist, proceeding anyway.', file=sys.stderr)
        UNITS.make_folder()
        (UNITS / unit).remove()
        os.symlink('/dev/null', str(UNITS / unit))
    return 0


def _unmask(units: list[str], _: Sequence[str]) -> int:
    for unit in units:
        if masked(unit):
            (UNITS / unit).remove()
    return 0


def _is_enabled(units: list[str], arguments: Sequence[str]) -> int:
    """0 when any of them is."""
    found = []
    for unit in units:
        if masked(unit):
            found.append('masked')
        elif not known(unit):
            print(f'Failed to get unit file state for {unit}: No such file or directory', file=sys.stderr)
        else:
            found.append('enabled' if (ENABLED / unit).exists() else 'disabled')
    if '--quiet' not in arguments and found:
        print('\n'.join(found))
    return 0 if 'enabled' in found else 1


def _is_active(units: list[str], arguments: Sequence[str]) -> int:
    """0 when any of them is."""
    found = ['active' if (STARTED / unit).exists() else 'inactive' for unit in units]
    if '--quiet' not in arguments:
        print('\n'.join(found))
    return 0 if 'active' in found else 3


def _cat(units: list[str], _: Sequence[str]) -> int:
    for unit in units:
        if not known(unit):
            raise Failed(1, f'No files found for {unit}.')
    return 0


def _start_units(units: list[str], arguments: Sequence[str]) -> int:
    for unit in units:
        # Not to wait for a job is not to know whether it failed.
        (_try_start if '--no-block' in arguments else _start)(unit)
    return 0


def _stop_units(units: list[str], _: Sequence[str]) -> int:
    missing = [unit for unit in units if not known(unit)]
    for unit in units:
        _stop(unit)
    if missing:
        raise Failed(5, f'Failed to stop {missing[0]}: Unit {missing[0]} not loaded.')
    return 0


def _restart_units(units: list[str], arguments: Sequence[str]) -> int:
    for unit in units:
        stopped = _stop(unit)
        _start_units([unit, *stopped], arguments)
    return 0


COMMANDS: dict[str, Callable[[list[str], Sequence[str]], int]] = {
    'enable': _enable,
    'disable': _disable,
    'mask': _mask,
    'unmask': _unmask,
    'is-enabled': _is_enabled,
    'is-active': _is_active,
    'cat': _cat,
    'start': _start_units,
    'stop': _stop_units,
    'restart': _restart_units,
    'reload-or-restart': _restart_units,
}


def _start(unit: str) -> None:
    """Starts a unit and what it requires and wants, once, waiting for each."""
    if (STARTED / unit).exists():
        return
    if masked(unit):
        raise Failed(1, f'Failed to start {unit}: Unit {unit} is masked.')
    if not known(unit):
        raise Failed(5, f'Failed to start {unit}: Unit {unit} not found.')
    settings = parse(unit)
    if not all(_condition(path) for path in settings.get('ConditionPathExists', [])):
        return
    for name in names(settings, 'After'):
        if (ENABLED / name).exists():
            _try_start(name)
    for name in coming_before(unit):
        _try_start(name)
    for name in names(settings, 'Requires'):
        _start(name)
    for name in names(settings, 'Wants'):
        if (UNITS / name).exists():
            _try_start(name)
    for path in settings.get('AssertPathIsMountPoint', []):
        if not any(line[1] == str(host.ROOT / path.lstrip('/')) for line in host.mounts()):
            raise Failed(1, f'Assertion failed on job for {unit}.')
    try:
        _run(unit, settings)
    except Failed:
        if settings.get('Restart', ['no'])[-1] == 'on-failure':
            _restart_later(unit)
        if RETRY in names(settings, 'OnFailure'):
            for role in (host.ROOT / 'etc/sas-grid/roles').read_text().partition('=')[2].split():
                _restart_later(f'sas-grid-{role}.target')
        raise
    STARTED.make_folder()
    (STARTED / unit).touch()


def _restart_later(unit: str) -> None:
    """Emulated hardware is quick: RestartSec is the embedded AWS's own. Without one nobody is there to do it."""
    door = os.environ.get('SAS_GRID_CLOUD', '')
    if door:
        host.ask(door, after=os.environ.get('SAS_GRID_RESTART', '2'), script=f'systemctl start --no-block {unit}')


def _condition(path: str) -> bool:
    wanted = not path.startswith('!')
    return (host.ROOT / path.lstrip('!/')).exists() == wanted


def _try_start(unit: str) -> None:
    try:
        _start(unit)
    except Failed as failed:
        print(failed, file=sys.stderr)


def _stop(unit: str) -> list[str]:
    """Stops a unit, after those that cannot be without it; which those are."""
    if not (STARTED / unit).exists():
        return []
    others: list[str] = []
    for other in STARTED.children():
        if other.name != unit and unit in names(parse(other.name), 'Requires', 'PartOf'):
            others += [*_stop(other.name), other.name]
    if unit.endswith('.mount'):
        storage.umount([str(host.ROOT / parse(unit)['Where'][0].lstrip('/'))])
    elif unit in DAEMONS:
        DAEMONS[unit][1]()
    (STARTED / unit).remove()
    return others


def _run(unit: str, settings: dict[str, list[str]]) -> None:
    if unit.endswith('.mount'):
        _mount(unit, settings)
    elif unit.endswith('.timer'):
        _start(unit.replace('.timer', '.service'))
    elif unit in DAEMONS:
        _job(unit, lambda: DAEMONS[unit][0](settings.get('ExecStart', [])))
    elif (UNITS / unit).exists():
        for command in settings.get('ExecStart', []):
            _execute(unit, command, settings)


def _job(unit: str, work: Callable[[], object]) -> None:
    """Whatever a tool's own exit code, that of a job that failed is 1."""
    try:
        work()
    except Failed as failed:
        raise Failed(1, f'{failed}\nJob for {unit} failed.') from failed


def _mount(unit: str, settings: dict[str, list[str]]) -> None:
    where = host.ROOT / settings['Where'][0].lstrip('/')
    if any(line[1] == str(where) for line in host.mounts()):
        return
    where.make_folder()
    what, kind, options = settings['What'][0], settings['Type'][0], settings['Options'][0]
    if 'bind' in options:
        what = str(host.ROOT / what.lstrip('/'))
    _job(unit, lambda: storage.mount(['-t', kind, '-o', options, what, str(where)]))


def _execute(unit: str, command: str, settings: dict[str, list[str]]) -> None:
    import subprocess  # slow to import, and most calls need it not

    program, *rest = command.split()
    environment = dict(os.environ)
    for name in settings.get('EnvironmentFile', []):
        for line in (host.ROOT / name.lstrip('/')).read_text().splitlines():
            environment[line.partition('=')[0]] = line.partition('=')[2]
    for pair in names(settings, 'Environment'):
        # Emulated hardware is quick: how often a host looks again is the sandbox's own.
        if not pair.startswith('SAS_GRID_POLL='):
            environment[pair.partition('=')[0]] = pair.partition('=')[2]
    # $NAME alone becomes as many words as it has.
    words = [part for word in rest for part in (environment.get(word[1:], '').split() if word[:1] == '$' else [word])]
    status = subprocess.run([str(host.ROOT / program.lstrip('/')), *words], env=environment, check=False).returncode
    if status:
        raise Failed(1, f'Job for {unit} failed: {program} ended with {status}')


DAEMONS: dict[str, tuple[Callable[[list[str]], None], Callable[[], None]]] = {
    'nfs-server.service': (nfs.start_server, nfs.stop_server),
    'corosync.service': (lambda _: cluster.join(), cluster.leave),
    'pacemaker.service': (lambda _: None, pacemaker.stop),
}
"""How units of packages start, with what they execute, and how they stop."""


def systemd_escape(arguments: Sequence[str]) -> int:
    path = arguments[-1].strip('/').replace('-', '\\x2d').replace('/', '-')
    print(f'{path}.mount')
    return 0


TOOLS = {'systemctl': systemctl, 'systemd-escape': systemd_escape}
