"""A host: the folder that is its root, and the processes that run in it."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import uuid
from pathlib import Path

from ..settings import delays
from . import confine, contents, folders, tools
from .folders import root_of, state
from .kind import Result, Started

POLL_SECONDS = '0.5'
"""How often host scripts look again while they wait; emulated hardware is quick."""

WAIT_SECONDS = '10'
"""How long sas-grid-serve waits for hardware before it answers 'not yet'."""

_FOLDERS = (
    'dev/disk/by-id',
    'dev/shm',
    'etc/dnf',
    'etc/pki/rpm-gpg',
    'proc/sys/kernel',
    'proc/sys/vm',
    'run/units',
    'sys/class/net',
    'tmp',
    'var/log',
    'var/tmp',
)

_DISTRIBUTION_KEY = f"""-----BEGIN PGP PUBLIC KEY BLOCK-----

{'D' * 40}
-----END PGP PUBLIC KEY BLOCK-----
"""
"""As the stand-ins have it (standins/stub.py)."""

_starter: confine.Starter | None = None
_door = ''
_lock = threading.Lock()
_running: dict[str, set[subprocess.Popen[str]]] = {}
_frozen: set[str] = set()


def open_in(state: Path) -> None:
    """Keep hosts in this state folder."""
    global _starter
    if _starter is not None:
        _starter.end()
    folders.open_in(state)
    tools.make_search_path(folders.state() / 'host-tools')
    _starter = confine.Starter(folders.state())


def let_ask(door: str) -> None:
    """Tools in hosts ask the embedded AWS there."""
    global _door
    _door = door


def _confined() -> confine.Starter:
    if _starter is None:
        raise RuntimeError('hosts.install() was not called')
    return _starter


def create(instance_id: str, image: str = '') -> Path:
    """Make the root of a host. A new one has what is in its image, or the little that every distribution has."""
    root = root_of(instance_id)
    new = not (root / 'etc').exists()
    kept = new and contents.fill(root, image)
    for folder in _FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    if new and not kept:
        (root / 'etc/os-release').write_text('NAME="Emulated Linux"\nID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.4"\n')
        (root / 'etc/dnf/dnf.conf').write_text('[main]\ngpgcheck=1\n')
        (root / 'etc/pki/rpm-gpg/RPM-GPG-KEY-distribution').write_text(_DISTRIBUTION_KEY)
    (root / 'etc/hosts').write_text('127.0.0.1 localhost\n')
    (root / 'proc/mounts').touch()
    (root / 'proc/cpuinfo').write_text(''.join(f'processor\t: {number}\n' for number in range(4)))
    (root / 'proc/meminfo').write_text('MemTotal:       16000000 kB\n')
    _begin_boot(root)
    # RHEL 9 lets LVM see the devices that are listed here, and lists none that came later.
    (root / 'etc/lvm/devices').mkdir(parents=True, exist_ok=True)
    (root / 'etc/lvm/devices/system.devices').touch()
    return root


def _begin_boot(root: Path) -> None:
    """What systemd, the boot loader and the agent of Systems Manager do at each boot."""
    identity = root / 'etc/machine-id'
    if not identity.exists() or not identity.read_text().strip():
        identity.write_text(f'{uuid.uuid4().hex}\n')
    running, chosen = root / 'proc/sys/kernel/osrelease', root / 'boot/grub2/grubenv'
    running.unlink(missing_ok=True)
    if chosen.exists():
        running.write_text(chosen.read_text().partition('=')[2])
    (root / 'run/units/amazon-ssm-agent.service').touch()


def run(instance_id: str, script: str, timeout: float, started: Started | None = None) -> Result:
    """Run a bash script in a host and wait for its end."""
    root = root_of(instance_id)
    environment = {
        'SAS_GRID_ROOT': str(root),
        'SAS_GRID_POLL': POLL_SECONDS,
        'SAS_GRID_WAIT': WAIT_SECONDS,
        'SAS_GRID_CLOUD': _door,
        'SAS_GRID_RESTART': str(delays().restart),
        'SAS_GRID_UNANSWERED': str(delays().unanswered),
        # What packages have brought comes after what every host has.
        'PATH': f'{state() / "host-tools"}:{root / "usr/bin"}',
        # Where a key lies that must not be on a disk.
        'SAS_GRID_MEMORY': str(root / 'dev/shm'),
        'TMPDIR': str(root / 'tmp'),
        'HOME': str(root),
        'LC_ALL': 'C',
    }
    if not os.path.ismount(state()):
        environment['SAS_GRID_ON_DISK'] = '1'
    # Set where there is an AWS beside the hosts; only stand-ins look at it.
    if 'AWS_ENDPOINT_URL' in os.environ:
        environment['SAS_GRID_ENDPOINT'] = os.environ['AWS_ENDPOINT_URL']
    bash = shutil.which('bash') or '/bin/bash'
    process = _confined().start(
        [bash, '-c', script],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors='replace',
        start_new_session=True,
    )
    with _lock:
        _running.setdefault(instance_id, set()).add(process)
        if instance_id in _frozen:
            _signal(process, signal.SIGSTOP)
    if started:
        started(lambda: _kill(process))
    try:
        out, err = process.communicate(timeout=timeout)
        killed = process.returncode == -signal.SIGKILL
        return Result(process.returncode if process.returncode >= 0 else 255, out, err, killed=killed)
    except subprocess.TimeoutExpired:
        _kill(process)
        out, err = process.communicate()
        return Result(255, out, err, timed_out=True)
    finally:
        with _lock:
            _running.get(instance_id, set()).discard(process)


def kill(instance_id: str) -> None:
    """End all processes of a host, as a power failure does."""
    with _lock:
        processes = list(_running.get(instance_id, set()))
    for process in processes:
        _kill(process)


def freeze(instance_id: str) -> None:
    """All processes of a host stand still, also those that are started from now on."""
    with _lock:
        _frozen.add(instance_id)
        for process in _running.get(instance_id, set()):
            _signal(process, signal.SIGSTOP)


def thaw(instance_id: str) -> None:
    """They go on."""
    with _lock:
        _frozen.discard(instance_id)
        for process in _running.get(instance_id, set()):
            _signal(process, signal.SIGCONT)


def kill_all() -> None:
    """End all processes of all hosts."""
    with _lock:
        hosts = list(_running)
    for instance_id in hosts:
        kill(instance_id)


def _kill(process: subprocess.Popen[str]) -> None:
    _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
