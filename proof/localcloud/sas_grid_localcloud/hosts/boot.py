"""Starts and stops hosts: user data at first boot, systemd units at every boot, the agent when it is ready."""

import base64
import binascii
import logging
import os
import threading
from threading import Timer as _Timer
from typing import Any

from .. import history, signals
from ..patience import LONGEST_SECONDS
from ..settings import PREFIX
from . import folders, kind

OURS = '# cdk-sas-grid: host software'
"""The line that marks user data which keeps to its root. Other user data is not run: it is written for a machine of
its own and would act on this one."""

_log = logging.getLogger(__name__)
_online: set[str] = set()
_hidden: set[str] = set()
"""Instances whose agents are not heard of although they run."""
_lost: set[str] = set()
"""Instances whose agents were there until the machine stood still: Systems Manager goes on knowing them."""
_boots: dict[str, object] = {}
"""The latest boot of each instance: an earlier one registers no agent any more."""
_lock = threading.Lock()


def subscribe() -> None:
    """Follow the instances."""
    signals.subscribe('instance-state', _state_changed)
    signals.subscribe('instance-rebooted', _rebooted)


def online(instance_id: str) -> bool:
    """Whether the instance's agent is registered: it runs and its first boot has ended, well or not."""
    with _lock:
        return instance_id in _online and instance_id not in _hidden


def lost(instance_id: str) -> bool:
    """Whether the instance's agent is registered and will not answer: its operating system was halted."""
    with _lock:
        return instance_id in _lost


def halt(instance_id: str) -> None:
    """The operating system stands still and EC2 goes on running the machine: nothing ends well or is unmounted."""
    with _lock:
        known = instance_id in _online
    _sign_off(instance_id)
    if known:
        with _lock:
            _lost.add(instance_id)
    root = folders.root_of(instance_id)
    (root / 'halted').touch()
    (root / 'alive').unlink(missing_ok=True)
    kind.current().halt(instance_id)
    history.record('host', instance_id, 'running', 'halted')
    signals.publish('host-halted', instance_id=instance_id)


def later(instance_id: str, seconds: float, script: str) -> None:
    """Run a script in the host some time from now, unless it went down before."""
    with _lock:
        this_boot = _boots.get(instance_id)

    def run() -> None:
        with _lock:
            same = _boots.get(instance_id) is this_boot
        if same and folders.alive(instance_id):
            kind.current().run(instance_id, script, LONGEST_SECONDS)

    timer = _Timer(seconds, run)
    timer.daemon = True
    timer.start()


def hide(instance_id: str) -> None:
    """The instance's agent is not heard of any more."""
    with _lock:
        _hidden.add(instance_id)


def show(instance_id: str) -> None:
    """It is heard of again, if it is there."""
    with _lock:
        _hidden.discard(instance_id)


def show_all() -> None:
    """All agents that are there are heard of."""
    with _lock:
        _hidden.clear()


def forget() -> None:
    """No agent is registered any more, nor will be by a boot that still goes on."""
    with _lock:
        _online.clear()
        _lost.clear()
        _boots.clear()


def agent_delay() -> float:
    """Seconds between the end of the first boot and the agent's registration."""
    return float(os.environ.get(f'{PREFIX}AGENT_SECONDS', '0.3'))


def _state_changed(*, instance_id: str, state: str, **_: Any) -> None:
    # What a host learns of others when it asks EC2.
    folders.root_of(instance_id).mkdir(parents=True, exist_ok=True)
    (folders.root_of(instance_id) / 'instance-state').write_text(state)
    if state == 'running':
        _start(instance_id)
    elif state in ('shutting-down', 'stopping'):
        _sign_off(instance_id)
        kind.current().shut_down(instance_id)
    elif state in ('terminated', 'stopped'):
        _end(instance_id)
        kind.current().power_off(instance_id)


def _rebooted(*, instance_id: str) -> None:
    _end(instance_id)
    kind.current().reset(instance_id)
    _start(instance_id)


def _start(instance_id: str) -> None:
    this_boot = object()
    with _lock:
        _boots[instance_id] = this_boot
    name = f'boot-{instance_id}'
    threading.Thread(target=_boot, args=(instance_id, this_boot), name=name, daemon=True).start()


def _sign_off(instance_id: str) -> None:
    with _lock:
        _online.discard(instance_id)
        _lost.discard(instance_id)
        _boots.pop(instance_id, None)


def _end(instance_id: str) -> None:
    _sign_off(instance_id)
    for mark in ('alive', 'halted'):
        (folders.root_of(instance_id) / mark).unlink(missing_ok=True)


def _boot(instance_id: str, this_boot: object) -> None:
    try:
        booted = folders.root_of(instance_id) / 'var/lib/booted'
        first = not booted.exists()
        instance = _facts(instance_id)
        user_data = _decode(str(instance.get('UserData') or ''))
        kind.current().power_on(instance_id, instance, user_data)
        (folders.root_of(instance_id) / 'alive').touch()
        if first:
            booted.parent.mkdir(parents=True, exist_ok=True)
            booted.touch()
        if not first or not _run_user_data(instance_id, user_data):
            _write_log(instance_id, 'boot.log', kind.current().later_boot(instance_id))
        _Timer(agent_delay(), _register, (instance_id, this_boot)).start()
    except Exception:
        _log.exception('the boot of %s failed', instance_id)


def _register(instance_id: str, this_boot: object) -> None:
    with _lock:
        if _boots.get(instance_id) is this_boot and folders.alive(instance_id):
            _online.add(instance_id)
        else:
            return
    signals.publish('agent-online', instance_id=instance_id)


def _run_user_data(instance_id: str, text: str) -> bool:
    """Run what is ours. Returns whether anything was run; the system starts all the same."""
    if OURS not in text:
        if text.strip():
            history.record('user-data', instance_id, None, 'not run', reason='it is not of cdk-sas-grid')
        return False
    history.record('user-data', instance_id, None, 'started')
    result = kind.current().first_boot(instance_id, text)
    _write_log(instance_id, 'user-data.log', result)
    history.record('user-data', instance_id, 'started', 'done' if result.code == 0 else 'failed', code=result.code)
    if result.code != 0:
        _log.warning('user data of %s ended with %d: %s', instance_id, result.code, result.err[-500:])
    return True


def _write_log(instance_id: str, name: str, result: kind.Result) -> None:
    log = folders.root_of(instance_id) / 'var/log' / name
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f'{result.out}{result.err}exit code {result.code}\n')


def _decode(encoded: str) -> str:
    try:
        return base64.b64decode(encoded, validate=True).decode('utf-8', 'replace')
    except (binascii.Error, ValueError):
        return encoded


def _facts(instance_id: str) -> dict[str, Any]:
    from ministack.services import ec2

    from ..scope import own_scope

    with own_scope():
        return dict(ec2._instances.get(instance_id) or {})
