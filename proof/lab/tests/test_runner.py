"""Verdicts: a scenario passes only when it ran to its end."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from sas_grid_lab import __main__ as command
from sas_grid_lab import runner
from sas_grid_lab.image import Image
from sas_grid_lab.report import NotRun, Result, ScenarioFailed
from sas_grid_lab.settings import Settings


class FakeLab:
    """A lab without machines, that knows whether it was cleaned up."""

    left = 0
    logs: list[Path]

    def __init__(self, *_: object) -> None:
        self.memory = SimpleNamespace(peak_mib=77, look=lambda: None)

    def __enter__(self) -> 'FakeLab':
        return self

    def __exit__(self, *_: object) -> None:
        FakeLab.left += 1

    def keep_logs(self, folder: Path) -> None:
        FakeLab.logs.append(folder)


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    FakeLab.left, FakeLab.logs = 0, []
    trees: list[Path | None] = []

    def ensure(_settings: Settings, _say: object, tree: Path | None = None, _recipe: object = None) -> Image:
        trees.append(tree)
        return Image(tmp_path, '6.1')

    monkeypatch.setattr(runner, 'Lab', FakeLab)
    monkeypatch.setattr(runner.image, 'ensure', ensure)
    monkeypatch.setattr(runner.accelerator, 'works', lambda _: False)

    def go(body: Callable[[Any, Any], None], **attributes: object) -> Result:
        module = ModuleType('scenario')
        vars(module).update({'TITLE': 'A trial', 'run': body, **attributes})
        monkeypatch.setattr(runner, 'load', lambda _: module)
        return runner.run('trial', Settings(tmp_path, tmp_path), {'LUSTRE_TREE': '/tree'})

    go.trees = trees  # type: ignore[attr-defined]
    return go


def test_passed_when_it_ran_to_its_end(trial: Callable[..., Result]) -> None:
    def body(_lab: object, steps: Any) -> None:
        with steps.step('one'):
            pass

    result = trial(body)
    assert (result.verdict, result.title, len(result.steps)) == ('passed', 'A trial', 1)
    assert result.peak_memory_mib == 77
    assert (FakeLab.left, FakeLab.logs) == (1, [])


@pytest.mark.parametrize('problem', [ScenarioFailed('a write is lost'), OSError('a write is lost')])
def test_failed_on_any_error_with_logs_kept_and_machines_gone(trial: Callable[..., Result], problem: Exception) -> None:
    def body(*_: object) -> None:
        raise problem

    result = trial(body)
    assert result.verdict == 'failed'
    assert 'a write is lost' in result.reason
    assert FakeLab.left == 1
    assert [folder.name for folder in FakeLab.logs] == ['trial']


def test_not_run_when_a_need_is_missing(trial: Callable[..., Result]) -> None:
    def needs(_: Mapping[str, str]) -> runner.Needs:
        raise NotRun('LUSTRE_TREE is not set')

    result = trial(lambda *_: None, needs=needs)
    assert (result.verdict, result.reason) == ('not run', 'LUSTRE_TREE is not set')
    assert FakeLab.left == 0


def test_the_tree_that_a_scenario_needs_is_in_its_image(trial: Any) -> None:
    result = trial(lambda *_: None, needs=lambda given: runner.Needs(lustre_tree=Path(given['LUSTRE_TREE'])))
    assert result.verdict == 'passed'
    assert trial.trees == [Path('/tree')]


def test_a_scenario_that_hangs_fails_in_time(trial: Callable[..., Result]) -> None:
    result = trial(lambda *_: time.sleep(20), TIMEOUT=0.2)
    assert result.verdict == 'failed'
    assert 'longer than 0.2 s' in result.reason
    assert result.seconds < 5


def test_an_interruption_is_no_verdict_but_cleans_up(trial: Callable[..., Result]) -> None:
    def body(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trial(body)
    assert FakeLab.left == 1


def test_a_module_that_cannot_be_loaded_has_failed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def load(_: str) -> ModuleType:
        raise ImportError('no such thing')

    monkeypatch.setattr(runner, 'load', load)
    assert runner.run('trial', Settings(tmp_path, tmp_path)).verdict == 'failed'


def test_every_scenario_has_a_title_and_a_run() -> None:
    assert runner.names()[0] == 'scratch'
    for name in runner.names():
        module = runner.load(name)
        assert isinstance(module.TITLE, str)
        assert callable(module.run)


def test_where_nothing_can_run_the_exit_code_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command.os, 'geteuid', lambda: 1000)
    assert command.main(['run']) == 69
    assert 'sudo make lab' in capsys.readouterr().err


def test_an_unknown_scenario_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(['scrach'], Settings(tmp_path, tmp_path)) == 2
    assert 'unknown: scrach' in capsys.readouterr().err


def test_a_name_stands_for_the_scenarios_that_begin_with_it() -> None:
    assert runner.chosen(['lustre']) == ['lustre_ldiskfs', 'lustre_zfs', 'lustre_harm_ldiskfs', 'lustre_harm_zfs']
    assert runner.chosen(['nfs', 'lustre_zfs', 'nfs']) == ['nfs', 'lustre_zfs']
    assert runner.chosen([]) == runner.names()
    with pytest.raises(LookupError, match='scrach'):
        runner.chosen(['nfs', 'scrach'])


def test_no_other_image_is_built_than_those_that_are_needed(trial: Any, monkeypatch: Any, tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path)
    trial(lambda *_: None, needs=lambda given: runner.Needs(lustre_tree=Path(given['LUSTRE_TREE'])))
    trial.trees.clear()
    monkeypatch.setenv('LUSTRE_TREE', '/tree')
    assert runner.image_of(['trial'], settings) is not None
    monkeypatch.delenv('LUSTRE_TREE')

    def none(_: Mapping[str, str]) -> runner.Needs:
        raise NotRun('LUSTRE_TREE is not set')

    monkeypatch.setattr(runner, 'load', lambda _: SimpleNamespace(needs=none))
    assert runner.image_of(['trial'], settings) is None
    assert trial.trees == [Path('/tree')]
