"""What the benchmark's scenario takes for a good end, a refusal and whole phases, and what it does not."""

import json
from typing import cast

import pytest

from sas_grid_lab.benchmark_programs import MARK, Record
from sas_grid_lab.machine import Machine
from sas_grid_lab.report import Result, ScenarioFailed, Steps
from sas_grid_lab.scenarios import _benchmark

MIB = 1 << 20


class Guest:
    """A machine on which every program ends in one way."""

    name = 'guest'

    def __init__(self, code: int = 0, output: str = '') -> None:
        self.answer = (code, output)
        self.files: dict[str, str] = {}

    def put(self, path: str, text: str, mode: int) -> None:
        self.files[path] = text

    def try_run(self, command: str, timeout: float) -> tuple[int, str]:
        return self.answer


def said(*records: Record) -> str:
    return ''.join(f'{MARK}{json.dumps(record)}\n' for record in records)


def machine(guest: Guest) -> Machine:
    return cast(Machine, guest)


def test_a_program_has_to_end_well_and_to_say_so() -> None:
    done = said({'kind': 'done'})
    assert _benchmark.program(machine(Guest(0, done)), 'sas-io', Directory='/saswork') == done
    for answer in ((1, done), (0, said({'kind': 'phase'}))):
        with pytest.raises(ScenarioFailed, match='guest: sas-io ended with'):
            _benchmark.program(machine(Guest(*answer)), 'sas-io', Directory='/saswork')


def test_a_program_does_not_look_for_others_unless_that_is_asked_for() -> None:
    guest = Guest()
    _benchmark.try_program(machine(guest), 'sas-io', Directory='/saswork')
    assert "SG_BusyMBps='0'" in guest.files['/run/benchmark-sas-io.sh']
    _benchmark.try_program(machine(guest), 'sas-io', Directory='/saswork', BusyMBps='1')
    assert "SG_BusyMBps='1'" in guest.files['/run/benchmark-sas-io.sh']


def test_the_mixed_workload_computes_less_under_emulation() -> None:
    guest = Guest()
    _benchmark.try_program(machine(guest), 'mixed-sas', Directory='/saswork')
    text = guest.files['/run/benchmark-mixed-sas.sh']
    assert 'step(1 if' in text
    assert 'step(12' not in text


def test_a_refusal_has_its_exit_code_its_reason_and_its_text() -> None:
    output = said({'kind': 'refused', 'reason': 'busy', 'text': 'others moved 9 MB/s'})
    assert _benchmark.refused((75, output), 'busy', 'others moved') == 'others moved 9 MB/s'
    for answer, reason, text in (((0, output), 'busy', ''), ((75, output), 'no-room', ''), ((75, ''), 'busy', '')):
        with pytest.raises(ScenarioFailed, match='it was to refuse'):
            _benchmark.refused(answer, reason, text)
    with pytest.raises(ScenarioFailed, match='it was to refuse'):
        _benchmark.refused((75, output), 'busy', 'another run')


def test_phases_are_whole() -> None:
    phase = {'kind': 'phase', 'phase': 'write', 'bytes': 8 * MIB, 'processes': 2, 'startedAt': 1.0, 'endedAt': 3.0}
    assert _benchmark.check_phases(said(phase), ['write'], 4) == [phase]
    with pytest.raises(ScenarioFailed, match='bytes of'):
        _benchmark.check_phases(said({**phase, 'bytes': 8 * MIB - 1}), ['write'], 4)
    with pytest.raises(ScenarioFailed, match='phases'):
        _benchmark.check_phases(said(phase), ['write', 'read'], 4)


def test_figures_are_called_those_of_emulated_machines() -> None:
    result = Result('benchmark', 'benchmark')
    phase = {'phase': 'write', 'bytes': 4_000_000, 'startedAt': 1.0, 'endedAt': 3.0}
    _benchmark.tell(Steps(result), 'scratch', [phase])
    [fact] = result.facts
    assert (fact.name, fact.value, fact.unit) == ('emulated, scratch: write', 2.0, 'MB/s')
