"""Scripts of the benchmark's documents, and what is read from their output."""

import pytest

from sas_grid_lab.benchmark_programs import of_kind, records, script


def test_a_script_has_its_parameters_and_defaults() -> None:
    text = script('sas-io', {'RunId': 'run-1', 'Directory': '/saswork'})
    assert "SG_RunId='run-1'" in text
    assert "SG_Directory='/saswork'" in text
    assert "SG_BlockKiB='64'" in text
    assert '{{' not in text


def test_a_parameter_that_the_document_lacks_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"sas-io has no parameters \['Directories'\]"):
        script('sas-io', {'Directories': '/saswork'})


def test_records_are_told_from_the_output_of_tools() -> None:
    marked = '##sas-grid-benchmark '
    output = f'{marked}{{"kind":"raw"}}\n1+0 records in\n{marked}{{"kind":"phase","bytes":1}}\n'
    assert [record['kind'] for record in records(output)] == ['raw', 'phase']
    assert of_kind(output, 'phase') == [{'kind': 'phase', 'bytes': 1}]
