"""What the scenarios of GFS2 judge by."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sas_grid_lab.ec2_endpoint import Call
from sas_grid_lab.scenarios._gfs2_fsck import statfs_is_off_by
from sas_grid_lab.scenarios._gfs2_programs import CHECKER, POINT, WRITER
from sas_grid_lab.scenarios._gfs2_verdicts import faults, wrong_stops

NAMES = {'i-01': 'n1', 'i-02': 'n2', 'i-03': 'n3', '10.77.0.11': 'n1', '10.77.0.12': 'n2', '10.77.0.13': 'n3'}


def stop(instance: str, source: str) -> Call:
    return Call(0.0, 'StopInstances', [instance], f'10.77.0.1{source}')


ASKED = Call(0.0, 'DescribeInstances', [], '10.77.0.13')


def test_each_lost_node_is_stopped_once_by_one_of_the_others() -> None:
    assert wrong_stops([ASKED, stop('i-03', '1')], {'n3'}, {'n1', 'n2'}, NAMES) == ''
    assert wrong_stops([stop('i-03', '1'), ASKED, stop('i-02', '1')], {'n2', 'n3'}, {'n1'}, NAMES) == ''
    assert wrong_stops([ASKED], set(), set(), NAMES) == ''


@pytest.mark.parametrize(
    ('calls', 'lost'),
    [
        ([], {'n3'}),
        ([stop('i-03', '1'), stop('i-03', '2')], {'n3'}),
        ([stop('i-03', '1'), stop('i-01', '3')], {'n3'}),
        ([stop('i-02', '1')], {'n3'}),
        ([stop('i-03', '3')], {'n3'}),
        ([stop('i-03', '9')], {'n3'}),
        ([stop('i-03', '1')], set()),
    ],
    ids=['nobody', 'twice', 'each other', 'a survivor', 'by itself', 'by a stranger', 'needlessly'],
)
def test_any_other_stop_is_wrong(calls: list[Call], lost: set[str]) -> None:
    assert 'right is' in wrong_stops(calls, lost, {'n1', 'n2'}, NAMES)


def read(**changes: Any) -> dict[str, Any]:
    """What a node reads after n1 wrote 50 lines and n2, which was lost, 42."""
    return {'count': {'n1.1': 50, 'n2.1': 42}, 'broken': [], 'torn': [], 'files': 80, 'rest': "b''", **changes}


def test_lines_beyond_what_was_acknowledged_are_right() -> None:
    assert faults(read(), {'n1.1': 50, 'n2.1': 41}) == ''
    assert faults(read(), {'n1.1': 50, 'n2.1': 42}) == ''


@pytest.mark.parametrize(
    'wrong',
    [
        read(count={'n1.1': 50, 'n2.1': 40}),
        read(count={'n1.1': 50}),
        read(broken=[[91, "b'garbage'"]]),
        read(rest="b'92 n1'"),
        read(torn=[['/sasdata/n2.1-0', 0]]),
    ],
    ids=['a lost line', 'a lost writer', 'a broken line', 'half a line', 'a torn file'],
)
def test_what_was_acknowledged_and_is_not_there_is_wrong(wrong: dict[str, Any]) -> None:
    assert faults(wrong, {'n1.1': 50, 'n2.1': 41})


def test_only_the_file_in_the_hands_of_a_lost_writer_may_be_torn() -> None:
    torn = read(torn=[['/sasdata/n2.1-1', 0]])
    assert faults(torn, {'n1.1': 50, 'n2.1': 41}) == ''
    assert faults(torn, {'n1.1': 50, 'n2.1': 42})


def test_what_the_writers_wrote_is_right_for_the_checker_also_when_one_was_killed(tmp_path: Path) -> None:
    shared = tmp_path / 'shared'
    shared.mkdir()

    def start(name: str) -> subprocess.Popen[bytes]:
        own = tmp_path / name
        own.mkdir()
        program = WRITER.replace(POINT, str(shared)).replace('/run/', f'{own}/')
        return subprocess.Popen([sys.executable, '-c', program, name])

    def told(name: str) -> int:
        file = tmp_path / name / 'acknowledged'
        return int(file.read_text()) if file.exists() else 0

    writers = {name: start(name) for name in ('n1.1', 'n2.1')}
    deadline = time.monotonic() + 600
    while min(told(name) for name in writers) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    writers['n2.1'].kill()
    (tmp_path / 'n1.1' / 'stop-writing').touch()
    for writer in writers.values():
        writer.wait(600)
    command = [sys.executable, '-c', CHECKER.replace(POINT, str(shared))]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=600).stdout)
    found['torn'] = [[file.replace(str(shared), POINT), size] for file, size in found['torn']]
    assert faults(found, {name: told(name) for name in writers}) == ''
    assert faults(found, {'n1.1': told('n1.1') + 1})
    assert found['files'] >= 10


FSCK = """Initializing fsck
Validating resource group index.
Level 1 resource group check: Checking if all rgrp and rindex values are good.
(level 1 passed)
Starting pass1
Reconciling bitmaps.
reconcile_bitmaps completed in 0.014s
pass1 completed in 0.131s
Starting check_statfs
The statfs file is wrong:

Current statfs values:
blocks:  259928 (0x3f758)
free:    232839 (0x38d87)
dinodes: 180 (0xb4)

Calculated statfs values:
blocks:  259928 (0x3f758)
free:    232773 (0x38d45)
dinodes: 191 (0xbf)
The statfs file was not fixed.
check_statfs completed in 0.003s
fsck.gfs2 complete
"""


def test_only_the_counts_of_df_may_be_off() -> None:
    assert statfs_is_off_by(FSCK) == 66
    assert statfs_is_off_by(FSCK.replace('Reconciling bitmaps.', 'Reconciling bitmaps.\n0 percent complete.')) == 66
    damaged = 'Block 23 (0x17) bitmap says 1 (Data) but FSCK saw 0 (Free)'
    assert statfs_is_off_by(FSCK.replace('Reconciling bitmaps.', damaged)) == 0
    assert statfs_is_off_by(FSCK.replace('The statfs file is wrong', 'The journals are wrong')) == 0
