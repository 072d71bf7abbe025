"""Hosts whose software cannot be installed at first."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sas_grid_localcloud import settings, signals
from sas_grid_localcloud.hosts import folders, sandbox

from .conftest import Cloud
from .test_nfs import FIRST, SERVER, SLOT, calls, launch, mounts, replace

INSTALLED = 'etc/sas-grid/installed'


@pytest.fixture
def mirror(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file that keeps packages from hosts while it exists. An attempt ends at once, and the next one is soon."""
    monkeypatch.setattr(sandbox, 'WAIT_SECONDS', '0')
    before = settings.delays()
    settings.use_delays(settings.Delays(restart=0.2))
    yield cloud.state / 'mirror-away'
    settings.use_delays(before)


@pytest.fixture
def data(user_data: Callable[..., str]) -> str:
    return user_data(nfs_server=SERVER)


def attempts(cloud: Cloud, instance: str) -> int:
    return len(calls(cloud, instance, 'dnf'))


def test_a_host_whose_mirror_was_away_serves_later_without_a_reboot(cloud: Cloud, mirror: Path, data: str) -> None:
    mirror.touch()
    launch(cloud, 'i-0001', data)
    cloud.wait(lambda: attempts(cloud, 'i-0001') > 3)
    # So that a launch that is not kept is given up, as always.
    refused = cloud.serve('i-0001', FIRST)
    assert (refused.code, 'the software could not be installed' in refused.err) == (1, True)
    mirror.unlink()
    root = folders.root_of('i-0001')
    cloud.wait((root / INSTALLED).exists)
    assert not (root / 'etc/sas-grid/install-failed').exists()
    cloud.wait(lambda: cloud.serve('i-0001', FIRST).code == 0)
    assert '/export/sasdata' in mounts(cloud, 'i-0001')
    before = attempts(cloud, 'i-0001')
    time.sleep(1)
    assert attempts(cloud, 'i-0001') == before


@pytest.mark.parametrize('rebooted', [False, True])
def test_what_it_was_told_meanwhile_is_served_as_soon_as_it_is_installed(
    cloud: Cloud, mirror: Path, data: str, rebooted: bool
) -> None:
    launch(cloud, 'i-0001', data)
    assert cloud.serve('i-0001', FIRST).code == 0
    mirror.touch()
    replace(cloud, 'i-0001', 'i-0002', data)
    assert cloud.serve('i-0002', SLOT.format(epoch=2)).code == 1
    if rebooted:
        signals.publish('instance-rebooted', instance_id='i-0002')
    before = attempts(cloud, 'i-0002')
    cloud.wait(lambda: attempts(cloud, 'i-0002') > before + 1)
    mirror.unlink()
    cloud.wait(lambda: '/export/sasdata' in mounts(cloud, 'i-0002'))
    assert (folders.root_of('i-0002') / INSTALLED).exists()
