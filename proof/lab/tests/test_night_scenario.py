"""What the scenarios of night and backup make of hosts' answers, and when they run."""

from pathlib import Path
from typing import Any, cast

import pytest

from sas_grid_lab import documents, runner
from sas_grid_lab.machine import Machine
from sas_grid_lab.report import ScenarioFailed
from sas_grid_lab.scenarios import _night
from sas_grid_lab.settings import Settings


class FakeMachine:
    """Answers each command with the first text whose beginning is in it."""

    name = 'fake'

    def __init__(self, **answers: tuple[int, str]) -> None:
        self.answers = answers

    def try_run(self, command: str, timeout: float = 300) -> tuple[int, str]:
        return next((answer for part, answer in self.answers.items() if part in command), (0, ''))

    def run(self, command: str, timeout: float = 300) -> str:
        return self.try_run(command, timeout)[1]


def fake(**answers: tuple[int, str]) -> Machine:
    return cast(Machine, FakeMachine(**answers))


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """What documents are answered with, one after the other."""
    given: list[tuple[int, str]] = []
    monkeypatch.setattr(documents, 'run', lambda *_: given.pop(0))
    monkeypatch.setattr(_night.time, 'sleep', lambda _: None)
    return given


def test_without_a_tree_the_night_of_a_lustre_is_not_run_and_says_why(tmp_path: Path) -> None:
    result = runner.run('night_lustre', Settings(tmp_path, tmp_path), {})
    assert (result.verdict, result.steps) == ('not run', [])
    assert 'LUSTRE_TREE is not set' in result.reason


@pytest.mark.parametrize('answer', [(0, 'nobody is at work '), (10, 'daemon has 1 process at work ')])
def test_another_code_or_another_text_fails(answers: list[Any], answer: tuple[int, str]) -> None:
    answers.append(answer)
    with pytest.raises(ScenarioFailed, match='at work'):
        _night.told(fake(), 'sleep', 10, 'sas has 1 process', what='work')


def test_not_mounted_yet_is_waited_for_and_an_error_is_not(answers: list[Any]) -> None:
    answers += [(75, 'not mounted yet'), (0, 'mounted: /sasdata')]
    _night.mounted(fake())
    answers += [(1, 'it cannot tell')]
    with pytest.raises(ScenarioFailed, match='cannot tell'):
        _night.mounted(fake())


@pytest.mark.parametrize(
    ('features', 'code', 'complaint'),
    [
        ('has_journal ext_attr mmp', 0, ''),
        ('has_journal needs_recovery mmp', 0, 'recovery of its journal'),
        ('', 0, 'recovery of its journal'),
        ('has_journal mmp', 4, 'ends with 4'),
    ],
)
def test_clean_is_what_needs_no_recovery_and_no_repair(features: str, code: int, complaint: str) -> None:
    machine = fake(dumpe2fs=(0, features), e2fsck=(code, 'what it says'))
    if complaint:
        with pytest.raises(ScenarioFailed, match=complaint):
            _night.check_clean(machine, '/dev/pool/data')
    else:
        _night.check_clean(machine, '/dev/pool/data')


def test_the_mark_of_lustre_in_the_types_of_entries_is_no_damage() -> None:
    head = 'e2fsck 1.47.0 (5-Feb-2023)\nPass 2: Checking directory structure\n'
    tail = '\nFix? no\n\n\nsasfs-MDT0000: ********** WARNING: Filesystem still has errors **********\n'
    mark = "Entry '..' in /ROOT/tree/34 (294) has an incorrect filetype (was 18, should be 2)."
    assert _night.only_dirdata(f'{head}{mark}{tail}')
    assert not _night.only_dirdata(f'{head}{mark.replace("18", "1")}{tail}')
    assert not _night.only_dirdata(f'{head}{mark}\nFix? no\n\nFree blocks count wrong (1, counted=2).{tail}')
    assert not _night.only_dirdata('')


def test_the_programs_get_what_their_documents_ask_for() -> None:
    assert 'WHAT=unmount\n' in documents.script('sleep', {'what': 'unmount'})
    held = documents.script('hold', {'what': 'hold', 'token': 'one', 'seconds': '60'})
    assert held.startswith('#!/bin/bash\nWHAT=hold TOKEN=one SECONDS_HELD=60\n')
