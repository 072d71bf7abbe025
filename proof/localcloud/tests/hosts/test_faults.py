"""Hosts that stand still, and hosts whose agent is not heard of."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from sas_grid_localcloud import ssm_commands, ssm_instances
from sas_grid_localcloud.faults import hosts
from sas_grid_localcloud.faults.fields import Wrong
from sas_grid_localcloud.hosts import boot, folders, sandbox
from sas_grid_localcloud.hosts.documents import Refused

COUNT = 'for n in 1 2 3 4 5 6 7 8 9 10; do echo $n >>"$SAS_GRID_ROOT/count"; sleep 0.1; done'


@pytest.mark.parametrize('started', ['before', 'after'])
def test_a_frozen_host_gets_nowhere_and_goes_on_later(cloud: Any, started: str) -> None:
    cloud.launch('i-1')
    count = folders.root_of('i-1') / 'count'
    with ThreadPoolExecutor(1) as beside:
        if started == 'before':
            running = beside.submit(sandbox.run, 'i-1', COUNT, 30.0)
            cloud.wait(count.exists)
        hosts.freeze({'instance': 'i-1', 'seconds': 1.5})
        if started == 'after':
            running = beside.submit(sandbox.run, 'i-1', COUNT, 30.0)
        time.sleep(0.4)
        lines = count.read_text() if count.exists() else ''
        time.sleep(0.6)
        assert (count.read_text() if count.exists() else '') == lines
        assert running.result().code == 0
    assert len(count.read_text().split()) == 10


def test_a_frozen_host_loses_its_power_all_the_same(cloud: Any) -> None:
    cloud.launch('i-1')
    with ThreadPoolExecutor(1) as beside:
        running = beside.submit(sandbox.run, 'i-1', COUNT, 30.0)
        cloud.wait((folders.root_of('i-1') / 'count').exists)
        hosts.freeze({'instance': 'i-1', 'seconds': 60})
        sandbox.kill('i-1')
        assert running.result(5).killed
    hosts.calm()


REQUEST = {'DocumentName': 'AWS-RunShellScript', 'InstanceIds': ['i-1'], 'Parameters': {'commands': ['true']}}


def send() -> Callable[[], str | None]:
    """Sends a command; what that returns tells its status, None while Systems Manager does not know it yet."""
    sent = {'CommandId': ssm_commands.send_command(REQUEST)['Command']['CommandId'], 'InstanceId': 'i-1'}

    def status() -> str | None:
        with suppress(Refused):
            return str(ssm_commands.get_command_invocation(sent)['Status'])
        return None

    return status


def test_an_agent_is_not_heard_of_for_a_time(cloud: Any) -> None:
    cloud.launch('i-1')
    hosts.lose_agent({'instance': 'i-1', 'seconds': 0.5})
    with pytest.raises(Refused, match='not in a valid state'):
        send()
    cloud.wait(lambda: boot.online('i-1'))
    status = send()
    cloud.wait(lambda: status() == 'Success')


def test_an_agent_that_is_too_old_is_online_and_hears_nothing(cloud: Any) -> None:
    cloud.launch('i-1')
    hosts.age_agent({'instance': 'i-1', 'version': '3.1.1927.0'})
    shown = ssm_instances.describe({})['InstanceInformationList']
    assert [(one['PingStatus'], one['AgentVersion']) for one in shown] == [('Online', '3.1.1927.0')]
    status = send()
    cloud.wait(lambda: status() == 'Pending')
    time.sleep(0.3)
    assert status() == 'Pending'
    hosts.calm()
    cloud.wait(lambda: status() == 'Success')


@pytest.mark.parametrize(('fault', 'why'), [(hosts.lose_carrier, 'cable'), (hosts.slow_disks, 'disks')])
def test_what_a_sandbox_does_not_have_cannot_be_harmed(cloud: Any, fault: Callable[..., Any], why: str) -> None:
    cloud.launch('i-1')
    with pytest.raises(Wrong, match=f'a sandbox has no {why}; start the embedded AWS with .*_MACHINES=vm'):
        fault({'instance': 'i-1', 'seconds': 1, 'iops': 20})


def test_a_host_that_loses_its_power_is_impaired_and_runs_for_ec2(cloud: Any) -> None:
    cloud.launch('i-1')
    hosts.lose_power({'instance': 'i-1'})
    assert not folders.alive('i-1')
    assert boot.lost('i-1')
