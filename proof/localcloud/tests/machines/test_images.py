"""Images of virtual machines: a copy of the root disk of one that is off. No machine runs here."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sas_grid_localcloud.hosts.kind import NotHere
from sas_grid_localcloud.machines import Machines


@pytest.fixture
def machines(tmp_path: Path) -> Any:
    made: Any = Machines()
    made._in_lab = SimpleNamespace(folder=tmp_path)
    (tmp_path / 'i-1-root.qcow2').write_text('disk')
    return made


def test_the_disk_of_a_machine_that_is_off_is_copied(machines: Any, tmp_path: Path) -> None:
    machines._hosts['i-1'] = SimpleNamespace(machine=SimpleNamespace(running=False))
    machines.keep('i-1', 'ami-1')
    assert (tmp_path / 'ami-1-root.qcow2').read_text() == 'disk'
    machines.drop('ami-1')
    assert not (tmp_path / 'ami-1-root.qcow2').exists()
    assert (tmp_path / 'i-1-root.qcow2').exists()


def test_of_a_machine_that_runs_there_is_no_image(machines: Any) -> None:
    machines._hosts['i-1'] = SimpleNamespace(machine=SimpleNamespace(running=True))
    with pytest.raises(NotHere, match='stop i-1 first'):
        machines.keep('i-1', 'ami-1')
