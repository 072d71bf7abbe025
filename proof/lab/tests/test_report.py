"""The table, report.json and the exit code."""

import io
import json
from pathlib import Path

import pytest

from sas_grid_lab import report
from sas_grid_lab.report import Result, Step, Steps


def test_steps_are_timed_and_printed_as_they_end() -> None:
    result, out = Result('scratch', 'Scratch'), io.StringIO()
    steps = Steps(result, out)
    with steps.step('boot'):
        assert out.getvalue() == ''
    steps.fact('read', 12.34567, 'MiB/s')
    with pytest.raises(OSError), steps.step('mount'):
        raise OSError('busy')
    assert [(step.text, step.passed) for step in result.steps] == [('boot', True), ('mount', False)]
    assert out.getvalue().splitlines() == [
        '    0.0 s  boot',
        '           read: 12.346 MiB/s',
        '    0.0 s  FAILED: mount',
    ]


RESULTS = [
    Result('scratch', 'Scratch', 'passed', seconds=100.4, steps=[Step('boot', 20.0, True)] * 3),
    Result('lustre', 'Lustre', 'not run', 'LUSTRE_TREE is not set'),
    Result('nfs', 'NFS', 'failed', 'a write is lost\nwith more\nlines', 61.0),
]


def test_the_table_has_scenario_steps_seconds_verdict_and_reason() -> None:
    assert report.table(RESULTS, colour=False).splitlines() == [
        'scenario  steps  seconds  verdict',
        'scratch       3      100  passed',
        'lustre        0        0  not run',
        '          LUSTRE_TREE is not set',
        'nfs           0       61  failed',
        '          a write is lost',
    ]


def test_colour_only_when_asked_for() -> None:
    assert '\033' not in report.table(RESULTS, colour=False)
    assert '\033[31mfailed\033[0m' in report.table(RESULTS, colour=True)


def test_the_report_has_everything(tmp_path: Path) -> None:
    file = report.write(tmp_path / 'lab', RESULTS, {'accelerator': 'KVM', 'cores': 2})
    content = json.loads(file.read_text())
    assert content['accelerator'] == 'KVM'
    assert [one['verdict'] for one in content['scenarios']] == ['passed', 'not run', 'failed']
    assert content['scenarios'][0]['steps'][0] == {'text': 'boot', 'seconds': 20.0, 'passed': True}


@pytest.mark.parametrize(
    ('verdicts', 'code'),
    [
        (['passed', 'passed'], 0),
        (['passed', 'not run'], 0),
        (['not run'], 69),
        (['passed', 'failed'], 1),
        (['not run', 'failed'], 1),
    ],
)
def test_the_exit_code(verdicts: list[report.Verdict], code: int) -> None:
    assert report.exit_code([Result('one', 'One', verdict) for verdict in verdicts]) == code
