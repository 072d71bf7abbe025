"""systemd-run: a command that systemd starts later, whatever became of who asked; and what halts the machine."""

from __future__ import annotations

import os
import re
import sys

import host
from host import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def halt(arguments: Sequence[str]) -> int:
    """``systemctl halt --force --force``: at once, without ending or unmounting anything. The machine stays on."""
    if sum(argument in ('-f', '--force') for argument in arguments) != 2:
        raise Failed(1, 'systemctl halt: only --force, twice, is emulated')
    host.ask(_door(), halt=True)
    return 0


def systemd_run(arguments: Sequence[str]) -> int:
    options = []
    for argument in arguments:
        if not argument.startswith('-'):
            break
        options.append(argument)
    seconds, accurate = None, False
    for option in options:
        name, _, value = option.partition('=')
        if name == '--on-active' and re.fullmatch(r'[0-9]+s?', value):
            seconds = int(value.rstrip('s'))
        elif option.startswith('--timer-property=AccuracySec='):
            accurate = True
        else:
            raise Failed(1, f'systemd-run: {option} is not emulated')
    command = arguments[len(options) :]
    if seconds is None or not command:
        raise Failed(1, 'systemd-run: only a command with --on-active in seconds is emulated')
    # A timer is late by up to a minute otherwise (systemd.timer(5), AccuracySec), and here by all of it.
    import shlex

    host.ask(_door(), after=seconds if accurate else seconds + 60, script=shlex.join(command))
    unit = f'run-r{os.urandom(16).hex()}'
    print(f'Running timer as unit: {unit}.timer\nWill run service as unit: {unit}.service', file=sys.stderr)
    return 0


def _door() -> str:
    door = os.environ.get('SAS_GRID_CLOUD', '')
    if not door:
        raise Failed(1, 'Failed to connect to bus: No such file or directory')
    return door


TOOLS = {'systemd-run': systemd_run}
