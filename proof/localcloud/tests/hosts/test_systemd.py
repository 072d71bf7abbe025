"""systemctl of an emulated host, where the host's programs rely on it."""

from collections.abc import Callable

import pytest

from sas_grid_localcloud.hosts import sandbox

from .conftest import Cloud

Systemctl = Callable[..., tuple[int, str]]
UNITS = 'etc/systemd/system'
INSTALL = '\n[Install]\nWantedBy=multi-user.target\n'


@pytest.fixture
def systemctl(cloud: Cloud) -> Systemctl:
    """Runs systemctl on a host with the units a.service and b.service, which write their names into said."""
    cloud.launch('i-1')
    root = cloud.state / 'hosts/i-1'
    (root / UNITS).mkdir(parents=True)
    for name in 'ab':
        program = root / f'say-{name}'
        program.write_text(f'#!/bin/sh\necho {name} >>"$SAS_GRID_ROOT/said"\n')
        program.chmod(0o755)
        (root / UNITS / f'{name}.service').write_text(f'[Service]\nExecStart=/say-{name}\n{INSTALL}')

    def run(arguments: str) -> tuple[int, str]:
        result = sandbox.run('i-1', f'systemctl {arguments}', 120)
        return result.code, (result.out + result.err).strip()

    return run


def test_several_units_are_enabled_in_one_call_or_none(systemctl: Systemctl, cloud: Cloud) -> None:
    assert systemctl('is-enabled --quiet a.service') == (1, '')
    assert systemctl('enable a.service missing.service')[0] == 1
    assert systemctl('is-enabled a.service') == (1, 'disabled')
    assert systemctl('--no-reload enable a.service b')[0] == 0
    assert systemctl('is-enabled a.service b.service') == (0, 'enabled\nenabled')
    assert systemctl('disable a.service')[0] == 0
    assert systemctl('default')[0] == 0
    assert (cloud.state / 'hosts/i-1/said').read_text() == 'b\n'


def test_a_changed_unit_counts_from_the_next_reload_on(systemctl: Systemctl, cloud: Cloud) -> None:
    root = cloud.state / 'hosts/i-1'
    assert systemctl('start a.service')[0] == 0
    (root / UNITS / 'a.service.d').mkdir()
    (root / UNITS / 'a.service.d/other.conf').write_text('[Service]\nExecStart=\nExecStart=/say-b\n')
    systemctl('restart a.service')
    systemctl('--no-reload enable b.service')
    systemctl('restart a.service')
    assert (root / 'said').read_text() == 'a\na\na\n'
    systemctl('enable b.service')
    systemctl('restart a.service')
    assert (root / 'said').read_text() == 'a\na\na\nb\n'


def test_masked_and_unknown_units_do_not_start(systemctl: Systemctl) -> None:
    assert systemctl('mask --now absent.service')[0] == 0
    assert systemctl('is-enabled absent.service') == (1, 'masked')
    assert systemctl('start absent.service') == (
        1,
        'Failed to start absent.service: Unit absent.service is masked.',
    )
    assert systemctl('start never.service')[0] == 5
    assert systemctl('stop never.service')[0] == 5
    assert systemctl('start nfs-server.service')[0] == 5


def test_conditions_may_be_negated_and_what_belongs_together_stops_together(systemctl: Systemctl, cloud: Cloud) -> None:
    root = cloud.state / 'hosts/i-1'
    (root / UNITS / 'a.service').write_text('ConditionPathExists=!/said\nPartOf=all.target\nExecStart=/say-a\n')
    (root / UNITS / 'all.target').write_text('Wants=a.service\n')
    assert systemctl('start all.target')[0] == 0
    assert systemctl('is-active a.service') == (0, 'active')
    assert systemctl('stop all.target')[0] == 0
    assert systemctl('is-active a.service') == (3, 'inactive')
    assert systemctl('start a.service')[0] == 0
    assert (root / 'said').read_text() == 'a\n'
