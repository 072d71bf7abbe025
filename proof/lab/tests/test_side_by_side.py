import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sas_grid_lab.report import Result
from sas_grid_lab.side_by_side import run_all


def passed(name: str, seconds: float = 0.0) -> Result:
    started = time.time()
    time.sleep(seconds)
    return Result(name, str(started), 'passed', seconds=time.time() - started)


def spans(results: list[Result]) -> dict[str, tuple[float, float]]:
    return {one.scenario: (float(one.title), float(one.title) + one.seconds) for one in results}


def test_what_fits_runs_at_the_same_time_and_a_large_one_alone() -> None:
    machines = {'one': 1, 'two': 2, 'large': 9}
    found = spans(run_all(['one', 'two', 'large'], lambda name: machines[name], lambda name: passed(name, 0.4), 4))
    assert list(found) == ['one', 'two', 'large']
    assert found['two'][0] < found['one'][1]
    assert found['large'][0] >= max(found['one'][1], found['two'][1])


def test_a_scenario_whose_process_dies_has_failed_and_the_others_go_on() -> None:
    def run(name: str) -> Result:
        if name == 'dies':
            os.kill(os.getpid(), signal.SIGKILL)
        return passed(name, 0.1)

    dead, alive = run_all(['dies', 'lives'], lambda _: 1, run)
    assert (dead.verdict, dead.reason) == ('failed', 'its process ended with -9')
    assert alive.verdict == 'passed'


def test_lines_carry_the_name_of_their_scenario(capfd: pytest.CaptureFixture[str]) -> None:
    def run(name: str) -> Result:
        print('half', end=' ', flush=True)
        print('a line', flush=True)
        return passed(name)

    run_all(['scratch'], lambda _: 1, run)
    assert capfd.readouterr().out == 'scratch: half a line\n'


PROGRAM = """
import signal, sys, time
from pathlib import Path
from sas_grid_lab.side_by_side import run_all

def ended(*_):
    raise SystemExit(143)

def run(name):
    try:
        Path(sys.argv[1], name + '.started').touch()
        time.sleep(30)
    finally:
        Path(sys.argv[1], name + '.cleaned').touch()

signal.signal(signal.SIGTERM, ended)
run_all(['a', 'b'], lambda _: 1, run)
"""


def test_who_is_ended_ends_them_all_and_they_clean_up(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, '-c', PROGRAM, str(tmp_path)], cwd=Path(__file__).parent.parent)
    deadline = time.monotonic() + 600
    while len(list(tmp_path.glob('*.started'))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.terminate()
    assert process.wait(600) == 143
    assert sorted(path.name for path in tmp_path.glob('*.cleaned')) == ['a.cleaned', 'b.cleaned']
