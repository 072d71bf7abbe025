"""The command ``cdk-sas-grid status`` on a deployment with one NFS server, whose first deployment fails."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from automation.conftest import run_cdk
from cdk_story import CDK, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, until
from reference import DEPLOYMENT, PROGRAM, command

STORAGE = f'{DEPLOYMENT}-storage'
Told = dict[str, Any]
pytestmark = pytest.mark.skipif(
    not (CDK.exists() and PROGRAM.exists()), reason='node_modules is not installed, or the command not bundled (npm ci)'
)


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp('status')


@pytest.fixture(scope='module')
def cloud(folder: Path) -> Iterator[Cloud]:
    """An embedded AWS with hosts, where nothing is deployed."""
    running = start_cloud(folder / 'state')
    run_cdk(running, folder / 'boot', folder, 'bootstrap', 'aws://000000000000/us-east-1')
    run_cdk(running, folder / 'cdk.out', PROJECT, 'synth', '-q', '-c', f'deployment={DEPLOYMENT}')
    yield running
    stop_cloud(running)


def run(cloud: Cloud, *arguments: str) -> tuple[int, str, str]:
    return command(cloud, 'status', DEPLOYMENT, *arguments)


def status(cloud: Cloud, *arguments: str) -> Told:
    """What is printed for programs, with the exit code."""
    code, out, err = run(cloud, '--json', *arguments)
    assert err == '', err
    return {'code': code, **json.loads(out)}


def deploy(cloud: Cloud, assembly: Path, which: str) -> None:
    chosen = ['--app', str(assembly), '--require-approval', 'never', '--no-rollback']
    run_cdk(cloud, assembly, PROJECT, 'deploy', which, *chosen)


def name_of(cloud: Cloud, instance: str) -> str:
    found = cloud.client('ec2').describe_instances(InstanceIds=[instance])['Reservations'][0]['Instances'][0]
    return str({tag['Key']: tag['Value'] for tag in found['Tags']}['Name'])


def resources(cloud: Cloud, stack: str, kind: str) -> list[str]:
    pages = cloud.client('cloudformation').get_paginator('list_stack_resources').paginate(StackName=stack)
    found = [one for page in pages for one in page['StackResourceSummaries']]
    return [one['PhysicalResourceId'] for one in found if one['ResourceType'] == kind]


def test_a_name_that_nothing_has(cloud: Cloud) -> None:
    code, out, err = run(cloud)
    assert (code, out) == (2, '')
    assert f'No deployment {DEPLOYMENT} is in this region and account' in err
    assert f'make deploy DEPLOYMENT={DEPLOYMENT}' in err


def with_too_large_a_volume(folder: Path) -> str:
    """Another assembly, whose storage EC2 refuses; the logical id of the volume."""
    wrong = folder / 'wrong.out'
    shutil.copytree(folder / 'cdk.out', wrong)
    path = wrong / f'{STORAGE}.template.json'
    template = json.loads(path.read_text(encoding='utf-8'))
    volume = next(one for one, about in template['Resources'].items() if about['Type'] == 'AWS::EC2::Volume')
    template['Resources'][volume]['Properties']['Size'] = 1_000_000
    path.write_text(json.dumps(template), encoding='utf-8')
    # What is uploaded has the name of its digest, and is uploaded once.
    assets = wrong / f'{STORAGE}.assets.json'
    files = json.loads(assets.read_text(encoding='utf-8'))['files']
    digest = next(key for key, one in files.items() if one['source']['path'] == path.name)
    for text in (assets, wrong / 'manifest.json'):
        text.write_text(text.read_text(encoding='utf-8').replace(digest, digest[::-1]), encoding='utf-8')
    return volume


def test_a_first_deployment_that_fails_and_is_mended(cloud: Cloud, folder: Path) -> None:
    """EC2 refuses a volume: nothing of the storage has an output."""
    volume = with_too_large_a_volume(folder)
    with pytest.raises(AssertionError):
        deploy(cloud, folder / 'wrong.out', STORAGE)

    failed = status(cloud)
    assert (failed['code'], failed['verdict']) == (1, 'person')
    assert [one['name'] for one in failed['stacks']] == [f'{DEPLOYMENT}-network', STORAGE]
    (trouble,) = [one for one in failed['troubles'] if STORAGE in one['text'] and 'FAILED' in one['text']]
    assert volume in trouble['text']
    assert f'make deploy DEPLOYMENT={DEPLOYMENT}' in trouble['next']

    deploy(cloud, folder / 'cdk.out', '--all')
    well = status(cloud)
    assert (well['code'], well['verdict'], well['troubles'], well['unread']) == (0, 'well', [], [])
    (slot,) = well['slots']
    assert (slot['slot'], slot['phase'], slot['served'], slot['state']) == ('nfs-00', 'served', True, 'running')
    assert [one['name'] for one in well['hosts']] == ['control', 'node1', 'node2']


def test_no_alarm_rings_before_there_is_a_first_measurement(cloud: Cloud) -> None:
    """Those that ring when nobody measures have a first data point: a deployment that is well says nothing."""
    client = cloud.client('cloudwatch')

    def judged() -> list[Told]:
        found = client.describe_alarms()['MetricAlarms']
        silent = [one for one in found if one.get('TreatMissingData') == 'breaching']
        return silent if silent and all(one['StateValue'] != 'INSUFFICIENT_DATA' for one in silent) else []

    for one in until(judged, 'a look at each alarm', quiet=150):
        assert one['StateValue'] == 'OK', (one['AlarmName'], one['StateReason'])
        told = client.describe_alarm_history(AlarmName=one['AlarmName'], HistoryItemType='StateUpdate')
        assert not [each for each in told['AlarmHistoryItems'] if 'to ALARM' in each['HistorySummary']]


def test_servers_carry_their_slot_in_their_name(cloud: Cloud) -> None:
    """With no more rights than the function has: the embedded AWS checks them."""
    server = status(cloud)['slots'][0]['server']
    until(lambda: name_of(cloud, server) == f'{STORAGE}-nfs-00', 'the name')


def test_what_the_nodes_say_of_themselves(cloud: Cloud) -> None:
    (asks,) = [one for one in resources(cloud, f'{DEPLOYMENT}-grid', 'AWS::Lambda::Function') if 'Health' in one]
    cloud.client('lambda').invoke(FunctionName=asks)
    hosts = until(lambda: _answered(status(cloud)), 'the answers of the nodes')
    assert [one['mounts'] for one in hosts] == ['ok'] * 3
    code, out, _ = run(cloud, '--hosts')
    assert code == 0
    assert 'node1' in out


def _answered(told: Told) -> list[Told]:
    asked = [one for one in told['hosts'] if one['health'] in ('healthy', 'unsure')]
    return asked if len(asked) == 3 else []


def test_what_is_wrong_and_what_goes_on(cloud: Cloud) -> None:
    """An alarm, snapshots, and a server that is lost: each is said, and what to do."""
    (alarm,) = [one for one in resources(cloud, STORAGE, 'AWS::CloudWatch::Alarm') if 'Unserved' in one]
    cloud.client('cloudwatch').set_alarm_state(AlarmName=alarm, StateValue='ALARM', StateReason='test')
    rings = status(cloud)
    assert [one['name'] for one in rings['alarms']['ringing']] == [alarm]
    assert rings['troubles'][0]['next'] == 'see docs/operations/failover.md#a-slot-is-not-served'
    cloud.client('cloudwatch').set_alarm_state(AlarmName=alarm, StateValue='OK', StateReason='test')

    lost = rings['slots'][0]['server']
    # The repair waits for its end.
    cloud.fault('hang-shutdown', instance=lost, seconds=10)
    cloud.client('ec2').terminate_instances(InstanceIds=[lost])
    repaired = until(lambda: _with(status(cloud), 'recovery'), 'the recovery')
    # On a busy machine alarms may ring meanwhile, so that the verdict is of more than the slot.
    (trouble,) = [one for one in repaired['troubles'] if one['text'].startswith('slot nfs-00 ')]
    assert (repaired['code'], trouble['needs'], repaired['slots'][0]['served']) == (1, 'time', False)
    well = until(lambda: _well(status(cloud)), 'the replacement')
    assert well['slots'][0]['server'] != lost
    until(lambda: name_of(cloud, well['slots'][0]['server']) == f'{STORAGE}-nfs-00', 'the name of the replacement')


def _with(told: Told, what: str) -> Told | None:
    return told if any(one['what'] == what for one in told['underWay']) else None


def _well(told: Told) -> Told | None:
    return told if told['verdict'] == 'well' else None


def test_what_may_not_be_read_is_a_line(cloud: Cloud) -> None:
    until(lambda: _well(status(cloud)), 'that all is well')
    cloud.fault('deny', action='DescribeAlarms', seconds=60)
    told = status(cloud)
    cloud.fault('calm')
    assert (told['code'], told['verdict'], told['alarms']) == (1, 'unknown', None)
    assert told['unread'] == ['the right to cloudwatch:DescribeAlarms is missing']
