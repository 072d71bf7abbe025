"""One instance as a virtual machine: what is plugged into it in turn, and a look at it now and then."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sas_grid_lab.agent import AgentError
from sas_grid_lab.lab import Interface, Machine, Volume
from sas_grid_lab.network import Network
from sas_grid_lab.plugs import MachineError

from .. import history, signals
from ..hosts.kind import Result, Started
from . import observed
from .membership import Membership, Names
from .observed import Observed

LOOK_SECONDS = 5.0
"""between two looks: each takes the emulated processor a tenth of a second"""

BOOT_SECONDS = 1800.0
"""the end of a boot that hangs; beside others, on a busy host, it takes minutes"""

PLUG_SECONDS = 600.0

BUSY_SHARE = 0.25
"""of a processor: a machine that wants more gets somewhere; one that only waits wants a tenth of it"""

MISSED = 12
"""looks in a row at which nobody answers, until the instance is impaired: a minute, as long as EC2 takes between two"""

_log = logging.getLogger(__name__)


class Host:
    """One instance. Hardware that comes before the machine is there at its start."""

    def __init__(self, instance_id: str, network: Network, nodes: Names, ended: Callable[[str, bool], None]) -> None:
        """:param ended: is called when the machine is off and nobody asked for it, and told whether it powered off"""
        self.instance_id = instance_id
        self.machine: Machine | None = None
        self._network = network
        self._nodes = nodes
        self._ended = ended
        self._unanswered = 0
        self._worked = (0.0, 0.0)
        self._wanted = False
        self._made = threading.Event()
        self._booted = threading.Event()
        self._lock = threading.RLock()
        self._actions: queue.Queue[Callable[[Machine], None]] = queue.Queue()
        self._observed = self._unobserved()
        threading.Thread(target=self._work, name=f'machine-{instance_id}', daemon=True).start()

    # Power

    def power_on(self, make: Callable[[], Machine]) -> None:
        """Start the machine, with what is plugged in by now; the first time it is made. One that runs goes on."""
        with self._lock:
            if self.machine is None:
                self.machine = make()
            self._observed = self._unobserved()
            self._wanted = True
            if self.machine.running:
                return
            while not self._actions.empty():
                self._act(self._actions.get_nowait())
            self.machine.start()
            self._made.set()

    def wait(self) -> Machine:
        """Wait until the machine takes commands.

        :raises MachineError: when it does not boot
        """
        machine = self.made()
        machine.wait(BOOT_SECONDS)
        self._booted.set()
        return machine

    def end(self) -> None:
        """Off at once. Whoever changes the hardware meanwhile gets an error, and is not waited for."""
        self._wanted = False
        self._booted.clear()
        if self.machine:
            self.machine.end()
            self._observed.ended()

    def reset(self) -> None:
        """The machine starts anew."""
        self._booted.clear()
        if self.machine and self.machine.running:
            self.machine.reset()
            self._observed.ended()
            self._observed = self._unobserved()

    def shut_down(self) -> None:
        """Ask the system to power off; it may be too busy to hear of it."""
        self._wanted = False
        threading.Thread(target=self._try, args=('systemctl poweroff --no-block', 30), daemon=True).start()

    # Commands

    def run(self, script: str, timeout: float, started: Started | None = None) -> Result:
        """Run a script with bash."""
        began = time.monotonic()
        path = f'/run/sas-grid-localcloud/{time.monotonic_ns()}'
        try:
            machine = self.made()
            machine.put(path, script, 0o700)
            code, out, err = machine.run_apart(f'exec /bin/bash {path}', timeout, started)
        except (AgentError, MachineError):
            late = time.monotonic() - began >= timeout
            return Result(255, '', '', timed_out=late, killed=not late)
        return Result(code if code >= 0 else 255, out, err, timed_out=time.monotonic() - began >= timeout)

    # Hardware

    def attach(self, volume: Volume) -> None:
        """A volume is there, as soon as nobody else has it."""

        def act(machine: Machine) -> None:
            deadline = time.monotonic() + PLUG_SECONDS
            while volume.users - {machine.name} and not volume.shared and self._wanted:
                if time.monotonic() > deadline:
                    raise MachineError(f'{volume.id} is still attached to {", ".join(volume.users)}')
                time.sleep(0.2)
            machine.attach(volume, PLUG_SECONDS)

        self._actions.put(act)

    def detach(self, volume: Volume) -> None:
        """A volume is gone, mounted or not."""
        self._actions.put(lambda machine: machine.detach(volume, PLUG_SECONDS) if volume in machine.volumes else None)

    def attach_interface(self, interface: Interface) -> None:
        """An interface is there."""
        self._actions.put(lambda machine: machine.attach_interface(interface, PLUG_SECONDS))

    def detach_interface(self, interface_id: str) -> None:
        """An interface is gone."""

        def act(machine: Machine) -> None:
            for interface in [one for one in machine.interfaces if one.id == interface_id]:
                machine.detach_interface(interface, PLUG_SECONDS)

        self._actions.put(act)

    # Inside

    def made(self) -> Machine:
        """The machine.

        :raises MachineError: before it was switched on for the first time
        """
        if self.machine is None:
            raise MachineError(f'{self.instance_id} is not there yet')
        return self.machine

    def _work(self) -> None:
        self._made.wait()
        while True:
            try:
                action = self._actions.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                self._watch_safely()
                continue
            if self.made().running:
                self._booted.wait(BOOT_SECONDS)
            with self._lock:
                self._act(action)

    def _act(self, action: Callable[[Machine], None]) -> None:
        try:
            action(self.made())
        except Exception:
            # What comes next is still to be done.
            _log.exception('%s: its hardware did not change', self.instance_id)

    def _watch_safely(self) -> None:
        try:
            self._watch()
        except Exception:
            _log.exception('%s: nobody could look at it', self.instance_id)

    def _watch(self) -> None:
        machine = self.machine
        if machine is None or not self._wanted:
            return
        if not machine.running:
            self._wanted = False
            self._booted.clear()
            self._observed.ended()
            self._ended(self.instance_id, machine.powered_off)
            return
        self._tell_if_busy(machine)
        if self._booted.is_set():
            self._check(machine)
            if not self._unanswered:
                self._look()

    def _tell_if_busy(self, machine: Machine) -> None:
        """Who waits for something waits on while machines work (proof/kit/patience.ts)."""
        (before, since), now = self._worked, (wanted_seconds(machine.pid or 0), time.monotonic())
        self._worked = now
        if now[0] - before > BUSY_SHARE * (now[1] - since) and since:
            history.record('machine', self.instance_id, None, 'at work')

    def _check(self, machine: Machine) -> None:
        """EC2's status check: whether the kernel answers at its address."""
        before = self._unanswered
        self._unanswered = 0 if self._network.answers(machine.address) else before + 1
        if self._unanswered == MISSED:
            signals.publish('host-unreachable', instance_id=self.instance_id)
        elif before >= MISSED and not self._unanswered:
            signals.publish('host-reachable', instance_id=self.instance_id)

    def _unobserved(self) -> Observed:
        return Observed(self.instance_id, Membership(self.instance_id, self._nodes))

    def _look(self) -> None:
        look = self._try(observed.LOOK, 60)
        if look and self._observed.changed(look):
            details = self._try(observed.DETAILS, 60)
            if details:
                self._observed.note(look, details)

    def _try(self, command: str, timeout: float) -> str:
        try:
            code, output = self.made().try_run(command, timeout)
            return output if code == 0 else ''
        except (AgentError, MachineError):
            return ''


def wanted_seconds(pid: int) -> float:
    """How long the threads of a process have computed, or waited for a processor; 0 when there is none."""
    wanted = 0
    for thread in Path(f'/proc/{pid}/task').glob('*/schedstat'):
        try:
            ran, waited, _ = thread.read_text().split()
        except OSError:
            continue
        wanted += int(ran) + int(waited)
    return wanted / 1e9
