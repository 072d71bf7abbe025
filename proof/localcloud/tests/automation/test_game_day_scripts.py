"""What the runbook of a game day computes: how long a recovery took, and whether all tiers are steady."""

from pathlib import Path
from typing import Any

import pytest

from sas_grid_localcloud.automation import scripts
from sas_grid_localcloud.automation.calls import Failed

MEASURE = (Path(__file__).parents[4] / 'constructs/game-day/scripts/measure.py').read_text(encoding='utf-8')


def test_a_recovery_is_measured_from_the_failure_and_not_with_what_was_before() -> None:
    told = {
        'slot': 'oss-01',
        'failure': 'Terminate',
        'server': 'i-old',
        'replacement': 'i-new',
        'epochBefore': '3',
        'epochAfter': '4',
        'startedAt': '2026-11-21T10:00:00+00:00',
        'timeline': {
            'written': {'S': '2026-11-21T09:00:00.000Z'},
            'vacated': {'S': '2026-11-21T10:01:02.500Z'},
            'fenced': {'S': '2026-11-21T10:01:02.500Z'},
            'detached': {'S': '2026-11-21T10:01:02.500Z'},
            'another': {'S': '2026-11-21T10:01:02.500Z'},
            'served': {'S': '2026-11-21T10:03:04.400Z'},
            'completed': {'S': '2026-11-21T10:03:06.000Z'},
        },
    }
    found = scripts.run(MEASURE, 'measure', told, 30)
    assert found['recoverySeconds'] == 184
    assert found['report'].splitlines()[3:] == [
        '     62.5 s  EC2 showed the old server as terminated',
        '     62.5 s  its volumes and its address were free',
        '     62.5 s  the slot was taken from the old server',
        '     62.5 s  another',
        '    184.4 s  the replacement served',
        '    186.0 s  Auto Scaling had it in service',
    ]
    # An answer that shows nothing of this recovery is no measurement.
    with pytest.raises(Failed, match='has no step "served" after the failure'):
        scripts.run(MEASURE, 'measure', {**told, 'startedAt': '2026-11-21T11:00:00+00:00'}, 30)


STEADY = (Path(__file__).parents[4] / 'constructs/game-day/scripts/steady.py').read_text(encoding='utf-8')


def steady(*impaired: str, system: str | None = None, **more: Any) -> dict[str, Any]:
    tier = {
        'tier': 'oss',
        'slots': 2,
        'members': ['i-1', 'i-2', 'i-3'],
        'lifecycles': ['InService', 'InService', 'Pending:Wait'],
        'health': ['Healthy', 'Healthy', 'Healthy'],
        'running': ['i-1', 'i-2', 'i-3'],
        'doomed': [],
        **more,
    }
    told: dict[str, Any] = scripts.run(
        STEADY,
        'steady',
        {
            'tiers': [tier],
            'impairedInstances': [{'InstanceId': one} for one in impaired],
            'impairedSystems': [{'InstanceId': system}] if system else [],
        },
        30,
    )
    return told


def test_a_tier_is_steady_with_as_many_servers_as_slots_and_none_that_leaves() -> None:
    assert steady('i-elsewhere') == steady(members='["i-1", "i-2", "i-3"]') == {'steady': True}


@pytest.mark.parametrize(
    ('impaired', 'change', 'words'),
    [
        ((), {'slots': 3}, 'oss: 2 servers are in service and well, for 3 slots'),
        ((), {'lifecycles': ['InService', 'InService', 'Terminating:Wait']}, 'oss: i-3 is Terminating:Wait'),
        ((), {'lifecycles': ['InService', 'Standby', 'Pending']}, 'oss: 1 servers are in service'),
        ((), {'health': ['Healthy', 'Unhealthy', 'Healthy']}, 'oss: i-2 is Unhealthy'),
        ((), {'running': ['i-1', 'i-3']}, 'oss: i-2 does not run'),
        ((), {'doomed': [{'VolumeId': 'vol-1'}]}, 'oss: vol-1 would be deleted with its server'),
        (('i-1',), {}, 'oss: i-1 fails a status check of EC2'),
        ((), {'system': 'i-2'}, 'oss: i-2 fails a status check of EC2'),
    ],
)
def test_a_tier_is_not_steady(impaired: tuple[str, ...], change: dict[str, Any], words: str) -> None:
    with pytest.raises(Failed, match=words):
        steady(*impaired, **change)
