"""lctl barrier_*: Lustre's write barrier.

What it prints and when it refuses follows lctl-barrier(8), lustre/utils/obd.c and lustre/mgs/mgs_barrier.c of 2.17.
"""

from __future__ import annotations

import time

import host
from host import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

STATE = host.ROOT / 'run/lustre-barrier'
"""Kept in memory by the management server: what it knows ends with it."""
DEFAULT_SECONDS = 30


def barrier(command: str, arguments: Sequence[str]) -> int:
    import json  # most calls of lctl need it not

    options = [one for one in arguments if one.startswith('-')]
    names = [one for one in arguments if not one.startswith('-')]
    if not names:
        raise Failed(1, f'usage: {command} FSNAME')
    fsname = names[0]
    if not any('svname=MGS' in line[3] for line in host.mounts()):
        raise Failed(19, 'This command must be run on the MGS.')
    known = json.loads(STATE.read_text()) if STATE.exists() else {}
    now = known.get(fsname, {'state': 'init', 'ends': 0})
    if now['state'] == 'frozen' and time.time() >= now['ends']:
        now['state'] = 'expired'
    refused = ''
    if command == 'barrier_stat':
        _print(now, options)
    elif command == 'barrier_freeze':
        refused = _freeze(fsname, now, int(names[1]) if len(names) > 1 else DEFAULT_SECONDS)
    elif command == 'barrier_thaw':
        refused = 'Operation already in progress' if now['state'] in ('init', 'thawed') else ''
        now['state'] = now['state'] if refused else 'thawed'
    else:
        raise Failed(1, f'lctl: {command} is not emulated')
    known[fsname] = now
    STATE.parent.make_folder()
    STATE.write_text(json.dumps(known))
    if refused:
        raise Failed(1, f'Fail to {command.partition("_")[2]} barrier for {fsname}: {refused}')
    return 0


def _freeze(fsname: str, now: dict[str, Any], seconds: int) -> str:
    """Each metadata server that is registered has to take part. Returns why it is refused."""
    if now['state'] == 'frozen':
        return 'Operation already in progress'
    registered, there = set(), set()
    for block in host.superblocks():
        if block.get('fsname') == fsname and block.get('service') == 'mds' and not block['firstTime']:
            registered.add(block['target'])
            if block.get('mountedBy') and host.reachable(block['mountedBy']):
                there.add(block['target'])
    if not registered:
        return 'No such device'
    if there != registered:
        now['state'] = 'failed'
        return 'Object is remote' if there else 'No such device'
    now.update(state='frozen', ends=time.time() + seconds)
    return ''


def _print(now: dict[str, Any], options: Sequence[str]) -> None:
    seconds = int(now['ends'] - time.time()) if now['state'] == 'frozen' else 0
    state = any(one in ('-s', '--state') for one in options)
    timeout = any(one in ('-t', '--timeout') for one in options)
    if state == timeout:
        print(f'state: {now["state"]}\ntimeout: {seconds} seconds')
    else:
        print(now['state'] if state else seconds)
