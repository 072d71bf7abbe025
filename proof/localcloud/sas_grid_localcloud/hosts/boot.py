"""Starts and stops hosts: user data at first boot, systemd units at every boot, the agent when it is ready."""

import base64
import binascii
import logging
import os
import re
import threading
from threading import Timer as _Timer
from typing import Any

from .. import history, signals
from ..patience import LONGEST_SECONDS
from ..settings import PREFIX
from . import hardware, machine, sandbox

OURS = '# cdk-sas-grid: host software'
"""The line that marks user data which keeps to its root. Other user data is not run: it is written for a machine of
its own and would act on this one."""

USER_DATA_SECONDS = LONGEST_SECONDS
"""The end of a script that never ends: on AWS nothing ends it, and a busy machine takes its time."""

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
    root = sandbox.root_of(instance_id)
    (root / 'halted').touch()
    (root / 'alive').unlink(missing_ok=True)
    sandbox.kill(instance_id)
    history.record('host', instance_id, 'running', 'halted')
    signals.publish('host-halted', instance_id=instance_id)


def later(instance_id: str, seconds: float, script: str) -> None:
    """Run a script in the host some time from now, unless it went down before."""
    with _lock:
        this_boot = _boots.get(instance_id)

    def run() -> None:
        with _lock:
            same = _boots.get(instance_id) is this_boot
        if same and sandbox.alive(instance_id):
            sandbox.run(instance_id, script, USER_DATA_SECONDS)

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
    sandbox.root_of(instance_id).mkdir(parents=True, exist_ok=True)
    (sandbox.root_of(instance_id) / 'instance-state').write_text(state)
    if state == 'running':
        _start(instance_id)
    elif state in ('shutting-down', 'stopping'):
        _sign_off(instance_id)
    elif state in ('terminated', 'stopped'):
        _power_off(instance_id)


def _rebooted(*, instance_id: str) -> None:
    _end_processes(instance_id)
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


def _end_processes(instance_id: str) -> None:
    _sign_off(instance_id)
    for mark in ('alive', 'halted'):
        (sandbox.root_of(instance_id) / mark).unlink(missing_ok=True)
    sandbox.kill(instance_id)
    hardware.unmount_all(instance_id)


def _power_off(instance_id: str) -> None:
    _end_processes(instance_id)
    hardware.lose_instance_store(instance_id)


def _boot(instance_id: str, this_boot: object) -> None:
    try:
        first = not (sandbox.root_of(instance_id) / 'var/lib/booted').exists()
        root = sandbox.create(instance_id)
        instance = _facts(instance_id)
        machine.describe(root, instance)
        primary = f'primary-of-{instance_id}'
        hardware.add_interface(instance_id, primary, str(instance.get('PrivateIpAddress') or '0.0.0.0'), 0)
        (root / 'alive').touch()
        user_data = _decode(str(instance.get('UserData') or ''))
        hardware.add_instance_store(instance_id, _wanted_disks(user_data))
        hardware.plug_volumes(instance_id)
        if first:
            (root / 'var/lib').mkdir(exist_ok=True)
            (root / 'var/lib/booted').touch()
            _run_user_data(instance_id, user_data)
        else:
            result = sandbox.run(instance_id, 'systemctl default', USER_DATA_SECONDS)
            _write_log(instance_id, 'boot.log', result)
        _Timer(agent_delay(), _register, (instance_id, this_boot)).start()
    except Exception:
        _log.exception('the boot of %s failed', instance_id)


def _register(instance_id: str, this_boot: object) -> None:
    with _lock:
        if _boots.get(instance_id) is this_boot and sandbox.alive(instance_id):
            _online.add(instance_id)
        else:
            return
    signals.publish('agent-online', instance_id=instance_id)


def _wanted_disks(user_data: str) -> int:
    """As many instance-store disks as the roles speak of: the constructs checked them against the type."""
    wanted = re.findall(r'^(?:SASWORK|UTILLOC|INSTANCE_STORE)_DISKS=(\d+)$', user_data, re.MULTILINE)
    return sum(int(count) for count in wanted)


def _run_user_data(instance_id: str, text: str) -> None:
    if not text.strip():
        return
    if OURS not in text:
        history.record('user-data', instance_id, None, 'not run', reason='it is not of cdk-sas-grid')
        return
    history.record('user-data', instance_id, None, 'started')
    result = sandbox.run(instance_id, text, USER_DATA_SECONDS)
    _write_log(instance_id, 'user-data.log', result)
    history.record('user-data', instance_id, 'started', 'done' if result.code == 0 else 'failed', code=result.code)
    if result.code != 0:
        _log.warning('user data of %s ended with %d: %s', instance_id, result.code, result.err[-500:])


def _write_log(instance_id: str, name: str, result: sandbox.Result) -> None:
    log = sandbox.root_of(instance_id) / 'var/log' / name
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
