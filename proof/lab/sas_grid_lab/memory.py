"""How much memory the machines take together."""

import threading
from collections.abc import Callable
from pathlib import Path


def resident_mib(pid: int) -> int:
    """The resident memory of a process; 0 when it is gone."""
    try:
        for line in Path(f'/proc/{pid}/status').read_text().splitlines():
            if line.startswith('VmRSS:'):
                return int(line.split()[1]) // 1024
    except OSError:
        pass
    return 0


class Sampler:
    """Looks every second at some processes and keeps the highest sum."""

    def __init__(self, pids: Callable[[], list[int]], every: float = 1.0) -> None:
        self.peak_mib = 0
        self._pids = pids
        self._every = every
        self._end = threading.Event()

    def start(self) -> None:
        """Look until `stop`."""
        threading.Thread(target=self._watch, name='memory', daemon=True).start()

    def stop(self) -> None:
        """Look once more, and no more."""
        self._end.set()
        self.look()

    def look(self) -> None:
        """Take one sample."""
        self.peak_mib = max(self.peak_mib, sum(resident_mib(pid) for pid in self._pids()))

    def _watch(self) -> None:
        while not self._end.wait(self._every):
            self.look()
