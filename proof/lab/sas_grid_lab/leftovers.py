"""What a run leaves behind when it is killed: recorded as it is made, removed by the next run."""

import json
import os
import shutil
import signal
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from .network import delete_namespace


def started_at(pid: int) -> int | None:
    """When a process started, in ticks since boot; None when there is none. It tells processes of one pid apart."""
    try:
        text = Path(f'/proc/{pid}/stat').read_text()
    except OSError:
        return None
    # The name in parentheses may have blanks and parentheses of its own.
    fields = text.rpartition(')')[2].split()
    return None if fields[0] == 'Z' else int(fields[19])


def kill(pid: int, start: int, bound: float = 10) -> bool:
    """Kill exactly this process; False when it is gone or its number belongs to another now."""
    if started_at(pid) != start:
        return False
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + bound
    while started_at(pid) == start and time.monotonic() < deadline:
        time.sleep(0.02)
    return True


@dataclass
class Record:
    """What a run has made."""

    file: Path
    owner: tuple[int, int]
    namespace: str = ''
    folder: str = ''
    processes: list[tuple[int, int]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def create(cls, runs: Path, name: str) -> 'Record':
        """A record that belongs to this process."""
        runs.mkdir(parents=True, exist_ok=True)
        own = os.getpid()
        record = cls(runs / f'{name}.json', (own, started_at(own) or 0))
        record.save()
        return record

    @classmethod
    def load(cls, file: Path) -> 'Record':
        """Read a record."""
        content = json.loads(file.read_text())
        return cls(
            file,
            (content['owner'][0], content['owner'][1]),
            content['namespace'],
            content['folder'],
            [(pid, start) for pid, start in content['processes']],
        )

    def save(self) -> None:
        """Write all of it or nothing."""
        content = {
            'owner': self.owner,
            'namespace': self.namespace,
            'folder': self.folder,
            'processes': self.processes,
        }
        partial = self.file.with_suffix('.part')
        partial.write_text(json.dumps(content))
        partial.rename(self.file)

    def add_process(self, pid: int) -> None:
        """Note a process as soon as it runs."""
        start = started_at(pid)
        if start is not None:
            # Machines are started side by side.
            with self._lock:
                self.processes.append((pid, start))
                self.save()

    def owned(self) -> bool:
        """Whether the run that made it still runs."""
        pid, start = self.owner
        return started_at(pid) == start

    def clean(self) -> int:
        """Remove everything; returns how many processes still ran."""
        killed = sum(kill(pid, start) for pid, start in self.processes)
        if self.namespace:
            delete_namespace(self.namespace)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.file.unlink(missing_ok=True)
        return killed


def machines(runs: Path) -> list[int]:
    """The processes of the machines that run now."""
    found: list[int] = []
    for file in runs.glob('*.json'):
        try:
            found += [pid for pid, start in Record.load(file).processes if started_at(pid) == start]
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            # Gone meanwhile, or told by clean().
            continue
    return found


def clean(runs: Path) -> list[str]:
    """Remove what killed runs left; returns one line for each."""
    removed = []
    for file in sorted(runs.glob('*.json')):
        try:
            record = Record.load(file)
        except (ValueError, KeyError, IndexError, TypeError):
            removed.append(f'{file.name} cannot be read; remove it by hand')
            continue
        if not record.owned():
            killed = record.clean()
            removed.append(f'{file.stem}: {killed} machines, its network and its disks')
    return removed
