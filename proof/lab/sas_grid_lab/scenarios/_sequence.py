"""Writers whose acknowledged writes are known, so that a lost one shows."""

import itertools
import time
from dataclasses import dataclass

from ..machine import Machine
from ..report import ScenarioFailed

# It holds a lock all the time: a client that could not reclaim it gets errors from then on, and stops.
PROGRAM = """
import fcntl, os, sys, time

path, acknowledged, stop = sys.argv[1:]
data = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
fcntl.lockf(data, fcntl.LOCK_EX | fcntl.LOCK_NB)
with open(acknowledged, 'w') as log:
    number = 0
    while not os.path.exists(stop):
        os.write(data, b'%d\\n' % number)
        os.fsync(data)
        log.write('%d %.3f\\n' % (number, time.monotonic()))
        log.flush()
        number += 1
        time.sleep(0.05)
"""
SCRIPT = '/run/sequence.py'


@dataclass(frozen=True)
class Written:
    """What a writer was told is on stable storage."""

    count: int
    longest_stall: float


class Writer:
    """Appends numbers to a file of its own, each with fsync, until it is stopped."""

    def __init__(self, machine: Machine, path: str, account: str = 'root') -> None:
        self.machine, self.path, self._account = machine, path, account
        name = path.rsplit('/', 1)[1]
        self.acknowledged = f'/run/acknowledged-{name}'
        self.unit = f'sequence-{name}'
        self._stop = f'/run/stop-{name}'

    def start(self) -> None:
        """Write from now on; returns when the first writes are acknowledged."""
        self.machine.put(SCRIPT, PROGRAM)
        self.machine.run(f'install -o {self._account} /dev/null {self.acknowledged}')
        account = f'setpriv --reuid={self._account} --regid={self._account} --init-groups'
        command = f'python3 {SCRIPT} {self.path} {self.acknowledged} {self._stop}'
        self.machine.background(f'exec {account} {command}', self.unit)
        self.wait_for_more(0, 60)

    def count(self) -> int:
        """How many writes are acknowledged."""
        return int(self.machine.run(f'cat {self.acknowledged} 2>/dev/null | wc -l'))

    def wait_for_more(self, than: int, timeout: float) -> float:
        """Wait until more writes than these are acknowledged; returns the seconds."""
        started = time.monotonic()
        while self.count() <= than + 3:
            passed = time.monotonic() - started
            if passed > timeout:
                log = self.machine.try_run(f'systemctl status --no-pager {self.unit}; dmesg | tail -n 20')[1]
                raise ScenarioFailed(f'{self.machine.name} has not written for {passed:.0f} s:\n{log}')
            time.sleep(0.25)
        return time.monotonic() - started

    def stop(self) -> Written:
        """End the writer, which must have had no error until now."""
        self.machine.run(
            f'systemctl is-active --quiet {self.unit} || {{ journalctl -n 20 -u {self.unit}; exit 1; }};'
            f' touch {self._stop};'
            f' for i in $(seq 100); do systemctl is-active --quiet {self.unit} || break; sleep 0.2; done;'
            f' ! systemctl is-failed --quiet {self.unit}'
        )
        return self.written()

    def failed(self) -> str:
        """The error that ended the writer; empty while it writes or waits."""
        return self.machine.run(
            f'! systemctl is-failed --quiet {self.unit} || journalctl -n 20 -o cat -u {self.unit} | grep Error'
        ).strip()

    def written(self) -> Written:
        """What it was told until now."""
        lines = self.machine.run(f'cat {self.acknowledged}').split('\n')[:-1]
        times = [float(line.split()[1]) for line in lines]
        stalls = [later - earlier for earlier, later in itertools.pairwise(times)]
        return Written(len(times), max(stalls, default=0.0))


def check(machine: Machine, path: str, written: Written) -> None:
    """Every acknowledged number is there once, in order; one write more may not have been acknowledged yet."""
    found = numbers(machine, path)
    if not written.count <= found <= written.count + 1:
        raise ScenarioFailed(f'{path}: {written.count} writes were acknowledged, {found} are there')


def numbers(machine: Machine, path: str) -> int:
    """How many numbers a writer's file has: from 0 on, each once and in order."""
    found = machine.run(f'cat {path}').split()
    if found != [str(number) for number in range(len(found))]:
        wrong = next(place for place, number in enumerate(found) if number != str(place))
        raise ScenarioFailed(f'{path}: {found[wrong]} where {wrong} is due')
    return len(found)
