"""What killed runs leave is removed, and nothing else."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sas_grid_lab import leftovers, reaper
from sas_grid_lab.leftovers import Record, started_at
from sas_grid_lab.together import on_each


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(['sleep', '60'])
    yield process
    process.kill()
    process.wait()


def dead() -> tuple[int, int]:
    """A process that has been."""
    process = subprocess.Popen([sys.executable, '-c', ''])
    start = started_at(process.pid)
    process.wait()
    return process.pid, start or 1


def record(runs: Path, owner: tuple[int, int], process: tuple[int, int]) -> Record:
    runs.mkdir(exist_ok=True)
    folder = runs.parent / 'work'
    folder.mkdir()
    (folder / 'disk.raw').touch()
    made = Record(runs / 'run.json', owner, folder=str(folder), processes=[process])
    made.save()
    return made


def start_of(process: subprocess.Popen[bytes]) -> int:
    start = started_at(process.pid)
    assert start is not None
    return start


def test_a_killed_runs_machines_and_disks_are_removed(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    record(tmp_path / 'runs', dead(), (sleeper.pid, start_of(sleeper)))
    removed = leftovers.clean(tmp_path / 'runs')
    assert removed == ['run: 1 machines, its network and its disks']
    assert sleeper.wait(600) == -signal.SIGKILL
    assert not (tmp_path / 'work').exists()
    assert list((tmp_path / 'runs').iterdir()) == []


def test_a_run_that_still_runs_is_left_alone(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    own = (os.getpid(), started_at(os.getpid()) or 0)
    record(tmp_path / 'runs', own, (sleeper.pid, start_of(sleeper)))
    assert leftovers.clean(tmp_path / 'runs') == []
    assert sleeper.poll() is None
    assert (tmp_path / 'work' / 'disk.raw').exists()


def test_another_process_with_the_number_of_a_machine_is_left_alone(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    record(tmp_path / 'runs', dead(), (sleeper.pid, start_of(sleeper) - 1))
    assert leftovers.clean(tmp_path / 'runs') == ['run: 0 machines, its network and its disks']
    assert sleeper.poll() is None


def test_a_process_that_took_over_the_number_of_the_owner_is_not_the_owner(tmp_path: Path) -> None:
    pid = os.getpid()
    assert not Record(tmp_path / 'run.json', (pid, (started_at(pid) or 0) - 1)).owned()


def test_a_record_that_cannot_be_read_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / 'run.json').write_text('{"owner":')
    assert leftovers.clean(tmp_path) == ['run.json cannot be read; remove it by hand']
    assert (tmp_path / 'run.json').exists()


def test_a_record_comes_back_as_it_was(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    made = Record.create(tmp_path, 'sas-grid-lab-1')
    made.namespace, made.folder = 'sas-grid-lab-1', '/var/tmp/x'
    made.add_process(sleeper.pid)
    assert Record.load(made.file) == made
    assert made.owned()


def test_the_machines_that_run_now_are_known(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    record = Record.create(tmp_path, 'run')
    record.add_process(sleeper.pid)
    record.processes.append((sleeper.pid, 1))
    record.save()
    (tmp_path / 'broken.json').write_text('{')
    assert leftovers.machines(tmp_path) == [sleeper.pid]


def test_machines_that_start_side_by_side_are_all_in_the_record(tmp_path: Path) -> None:
    record = Record.create(tmp_path, 'run')
    on_each(range(200), lambda _: record.add_process(os.getpid()))
    assert len(Record.load(record.file).processes) == 200


def test_a_process_that_ended_but_was_not_waited_for_is_gone(sleeper: subprocess.Popen[bytes]) -> None:
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert started_at(sleeper.pid) is None


def test_what_a_run_has_made_is_removed_as_soon_as_it_is_killed(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    made = record(tmp_path / 'runs', (os.getpid(), 1), (sleeper.pid, start_of(sleeper)))
    waiting = reaper.start(made.file)
    assert waiting.stdin
    # As the kernel does with what a killed process has open.
    waiting.stdin.close()
    assert waiting.wait(600) == 0
    assert sleeper.wait(600) == -signal.SIGKILL
    assert not made.file.exists()


def test_a_run_that_cleans_up_needs_no_reaper(tmp_path: Path) -> None:
    made = record(tmp_path / 'runs', (os.getpid(), 1), dead())
    waiting = reaper.start(made.file)
    made.clean()
    waiting.communicate(timeout=600)
    assert waiting.returncode == 0
