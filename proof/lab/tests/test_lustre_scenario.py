"""What the Lustre scenario makes of a real Lustre's answers, and when it runs."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sas_grid_lab import runner
from sas_grid_lab.machine import Machine
from sas_grid_lab.report import NotRun, ScenarioFailed
from sas_grid_lab.scenarios import _lustre as lustre
from sas_grid_lab.scenarios import _lustre_losses
from sas_grid_lab.settings import PROJECT, Settings

RECORDINGS = PROJECT / 'test' / 'host' / 'recordings'


def recorded(name: str) -> str:
    return (RECORDINGS / name).read_text()


class FakeMachine:
    """Answers commands in their order, from a list for each beginning."""

    def __init__(self, **answers: list[tuple[int, str]]) -> None:
        self.name, self.answers = 'fake', answers
        self.commands: list[str] = []

    def try_run(self, command: str, timeout: float = 300) -> tuple[int, str]:
        self.commands.append(command)
        for beginning, answers in self.answers.items():
            if beginning in command:
                return answers.pop(0) if len(answers) > 1 else answers[0]
        return 0, ''

    def run(self, command: str, timeout: float = 300) -> str:
        return self.try_run(command, timeout)[1]


def fake(**answers: list[tuple[int, str]]) -> Machine:
    return cast(Machine, FakeMachine(**answers))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lustre.time, 'sleep', lambda _: None)


def test_without_a_tree_it_is_not_run_and_says_why(tmp_path: Path) -> None:
    result = runner.run('lustre_zfs', Settings(tmp_path, tmp_path), {})
    assert (result.verdict, result.steps) == ('not run', [])
    assert 'LUSTRE_TREE is not set' in result.reason


def test_a_tree_without_lustre_fails(tmp_path: Path) -> None:
    result = runner.run('lustre_zfs', Settings(tmp_path, tmp_path), {'LUSTRE_TREE': str(tmp_path)})
    assert (result.verdict, 'has no sbin/lctl' in result.reason) == ('failed', True)


def test_a_tree_with_lustre_is_laid_over_the_guest(tmp_path: Path) -> None:
    (tmp_path / 'usr/sbin').mkdir(parents=True)
    (tmp_path / 'usr/sbin/lctl').touch()
    assert lustre.needs({'LUSTRE_TREE': str(tmp_path)}).lustre_tree == tmp_path
    with pytest.raises(NotRun):
        lustre.needs({'LUSTRE_TREE': ''})


def test_a_slot_is_asked_for_until_it_is_served() -> None:
    machine = fake(serve=[(75, 'not yet'), (75, 'not yet'), (0, '')], list_nids=[(0, '10.77.0.110@tcp\n')])
    lustre.serve(machine, lustre.OSS[0], 2, 'vol-1')
    commands = cast(Any, machine).commands
    assert [('--epoch 2' in command, '--may-format' in command) for command in commands[:3]] == [(True, False)] * 3


@pytest.mark.parametrize('code', [1, 3, 4])
def test_a_refusal_is_not_repeated(code: int) -> None:
    machine = fake(serve=[(code, 'refused')])
    with pytest.raises(ScenarioFailed, match='refused'):
        lustre.serve(machine, lustre.OSS[0], 2, 'vol-1')
    assert len(cast(Any, machine).commands) == 1


def test_lnet_on_another_address_fails() -> None:
    machine = fake(serve=[(0, '')], list_nids=[(0, '10.77.0.12@tcp\n10.77.0.110@tcp\n')])
    with pytest.raises(ScenarioFailed, match=r'10\.77\.0\.110 alone'):
        lustre.serve(machine, lustre.OSS[0], 2, 'vol-1')


def test_the_recorded_recovery_counts_when_all_clients_are_back() -> None:
    machine = fake(
        recovery_status=[
            (0, recorded('recovery_status_start.out')),
            (0, recorded('recovery_status_recovering.out')),
            (0, recorded('recovery_status_complete.out')),
        ]
    )
    assert lustre.recovered(machine, 'sasfs-OST0000') == 3


@pytest.mark.parametrize(
    'status',
    [
        'status: INACTIVE\n',
        recorded('recovery_status_complete.out').replace('2/2', '1/2'),
        recorded('recovery_status_complete.out').replace('2/2', '1/1'),
    ],
)
def test_a_recovery_that_did_not_happen_or_lost_a_client_fails(status: str) -> None:
    with pytest.raises(ScenarioFailed):
        lustre.recovered(fake(recovery_status=[(0, status)]), 'sasfs-OST0000')


def test_the_recorded_fail_over_evicted_nobody() -> None:
    log, states = recorded('dmesg_client_failover.out'), recorded('osc_state_after_recovery.out')
    assert lustre.eviction(log, states) == ''


def test_a_recorded_eviction_is_seen_in_the_log_and_in_the_state() -> None:
    good_log, good_states = recorded('dmesg_client_failover.out'), recorded('osc_state_after_recovery.out')
    assert 'was evicted by' in lustre.eviction(recorded('dmesg_client_abort_recov.out'), good_states)
    assert 'EVICTED' in lustre.eviction(good_log, recorded('osc_state_after_abort_recov.out'))
    assert 'evicted by sasfs-OST0001' in lustre.eviction(recorded('dmesg_client_evicted.out'), good_states)
    assert 'EVICTED' in lustre.eviction(good_log, recorded('osc_state_evicted.out'))
    assert lustre.eviction(good_log, good_states.replace('current_state: FULL', 'current_state: REPLAY_WAIT'))
    assert lustre.eviction(good_log, '')


def client(**changes: str) -> Machine:
    values = {
        'findmnt': recorded('proc_mounts_client.out').split(' ', 2)[2],
        'max_rpcs_in_flight': '16\n16\n16\n16\n',
        'max_dirty_mb': '64\n64\n64\n64\n',
        **changes,
    }
    return fake(**{key: [(0, value)] for key, value in values.items()})


def test_a_client_has_flock_and_its_parameters_on_each_target() -> None:
    lustre.check_client(client())
    for changes in (
        {'findmnt': 'lustre rw,lazystatfs'},
        {'findmnt': 'lustre rw,noflock'},
        {'max_dirty_mb': '64\n64\n64\n32\n'},
        {'max_dirty_mb': '64\n64\n64\n'},
        {'max_rpcs_in_flight': '8\n8\n8\n8\n'},
    ):
        with pytest.raises(ScenarioFailed):
            lustre.check_client(client(**changes))


def page(**changes: Any) -> dict[str, Any]:
    target = {'state': 'serving', 'GiB': 0.9, 'readMBps': 0.0, 'writeMBps': 1.5}
    return {
        'health': 'OK: every server is healthy',
        'servers': [
            {'name': 'mgs' if one is lustre.MGS else one.slot, 'address': one.address, 'state': 'healthy'}
            for one in (lustre.MGS, lustre.MDS, *lustre.OSS)
        ],
        'targets': [
            {**target, 'name': 'MGS', 'GiB': None},
            {**target, 'name': lustre.MDS.targets[0], 'readMBps': None, 'writeMBps': None},
            *({**target, 'name': name} for name in lustre.TARGETS),
        ],
        'clients': ['10.77.0.15'],
        **changes,
    }


def test_the_page_must_know_all_servers_targets_and_the_client() -> None:
    assert lustre.page_is_complete(page(), '10.77.0.15')
    assert not lustre.page_is_complete(page(health='PROBLEM: x'), '10.77.0.15')
    assert not lustre.page_is_complete(page(clients=[]), '10.77.0.15')
    assert not lustre.page_is_complete(page(servers=page()['servers'][:3]), '10.77.0.15')
    assert not lustre.page_is_complete(page(targets=page()['targets'][:5]), '10.77.0.15')
    assert not lustre.page_is_complete(
        page(targets=[{**one, 'readMBps': None} for one in page()['targets']]), '10.77.0.15'
    )


def test_a_page_that_is_late_is_waited_for_and_one_that_never_comes_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    lustre.until_page(fake(status=[(7, 'refused'), (0, '{"health": "OK"}')]), lambda found: found['health'] == 'OK')
    clock = iter(range(0, 2000, 50))
    monkeypatch.setattr(lustre, 'time', SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda _: None))
    with pytest.raises(ScenarioFailed, match='still says'):
        lustre.until_page(fake(status=[(22, '404')]), lambda _: True)


def test_the_machines_fit_into_the_memory_of_the_lab() -> None:
    made: list[int] = []

    class Enough(Exception):
        pass

    class CountingLab:
        def volume(self, size_mib: int) -> SimpleNamespace:
            return SimpleNamespace(id='vol-1')

        def interface(self, address: str) -> SimpleNamespace:
            return SimpleNamespace(address=address)

        def machine(self, name: str, memory_mib: int, *_: object, **__: object) -> SimpleNamespace:
            made.append(memory_mib)
            if name == 'client':
                raise Enough
            return SimpleNamespace()

    with pytest.raises(Enough):
        _lustre_losses.run('zfs', cast(Any, CountingLab()), cast(Any, None))
    # The replacement starts after one of them has died.
    assert sum(made) <= 3072
    assert len(made) == 5
