"""What the scenario of harm makes of answers that documents and a real Lustre gave."""

import pytest

from sas_grid_lab import documents
from sas_grid_lab.report import ScenarioFailed
from sas_grid_lab.scenarios import _asked as asked
from sas_grid_lab.scenarios._lustre_harm import wrong_errors
from sas_grid_lab.scenarios._lustre_small import finding_of


def test_the_documents_are_those_of_the_templates() -> None:
    parameters = {'slot': 'oss-00', 'epoch': '2', 'address': '10.77.0.110', 'volumes': 'vol-1,vol-2'}
    serve = documents.script('serve', parameters)
    assert serve.startswith('#!/bin/bash\nset -- --slot "oss-00" --epoch "2"')
    assert 'if [ "false" = true ]' in serve
    assert documents.script('probe').splitlines()[1].startswith('echo program ')
    assert 'reason unreachable' in documents.script('node-health')
    assert '{{' not in serve + documents.script('probe') + documents.script('node-health')
    with pytest.raises(ValueError, match=r"serve has no parameters \['slots'\]"):
        documents.script('serve', {'slots': 'oss-00'})


def test_the_verdict_of_the_probe_is_compared_after_slot_and_epoch() -> None:
    assert asked.matches('oss-00 1 serves ', 'serves')
    assert asked.matches('oss-00 3 fails the disk of vol-1 is gone ', 'fails the disk of vol-1')
    assert not asked.matches('oss-00 3 unsure it started 9 s ago: the disk of vol-1 is gone', 'fails')
    assert not asked.matches('oss-00 3 fails serves', 'serves')
    assert asked.matches('oss-00 1 fails ZFS: sasfs-ost0001 SUSPENDED', 'fails ZFS: sasfs-ost0001 SUSPENDED')


def test_only_the_clock_is_no_complaint_of_the_node_health() -> None:
    evicted = 'evicted: this client lost what it had open of sasfs-OST0001'
    clock = 'nobody says whether the clock is in step'
    assert asked.complaints('client healthy -') == set()
    assert asked.complaints(f'client unsure - {clock}') == set()
    assert asked.complaints(f'client unhealthy - {evicted}; {clock}') == {evicted}
    assert asked.complaints('client unhealthy 7 time: the clock is 2.5 s off') == {'time: the clock is 2.5 s off'}


def test_an_evicted_client_is_told_by_an_error_and_goes_on() -> None:
    assert wrong_errors(['EIO', 'ESHUTDOWN']) == ''
    assert wrong_errors(['EIO']) == ''
    assert wrong_errors([])
    assert wrong_errors(['ESHUTDOWN', 'EIO'])
    assert wrong_errors(['EIO', 'ENOSPC'])
    assert wrong_errors(['EIO'] * 11)


def test_damage_has_a_number() -> None:
    said = 'serve: sasfs-OST0000 is damaged, ...: it may be repaired once ...; finding 0af888d918a0a791\n'
    assert finding_of(said) == '0af888d918a0a791'
    with pytest.raises(ScenarioFailed, match='without a number'):
        finding_of('serve: sasfs-OST0000 is for a person\n')
