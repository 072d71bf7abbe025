"""How big machines are is said in the environment, and what is wrong there is told."""

import pytest

from sas_grid_localcloud.machines.size import Size


def test_small_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Size.from_environment() == Size()
    monkeypatch.setenv('SAS_GRID_LOCALCLOUD_VOLUME_MIB', '4096')
    assert Size.from_environment().volume_mib == 4096


@pytest.mark.parametrize('text', ['1', 'much', '9000', '-1'])
def test_all_machines_have_8_gib_at_most(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv('SAS_GRID_LOCALCLOUD_MACHINES_MIB', text)
    with pytest.raises(ValueError, match=f"MACHINES_MIB is '{text}'; allowed: MiB from 384 to 8192"):
        Size.from_environment()
