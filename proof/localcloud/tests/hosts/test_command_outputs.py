"""SSM: what commands print goes to a bucket, and commands are cancelled and found again."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from ministack.services import s3

from sas_grid_localcloud import ssm_commands, ssm_documents
from sas_grid_localcloud.hosts import commands, outputs
from sas_grid_localcloud.hosts.documents import Refused
from sas_grid_localcloud.scope import own_scope

from .conftest import Cloud

BUCKET = 'results'
LINES = 3000
WIDTH = 20


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    ssm_documents._documents.clear()
    commands._commands.clear()
    with own_scope():
        s3._create_bucket(BUCKET, b'')
        yield
    ssm_documents._documents.clear()
    commands._commands.clear()


def document(*script: str, name: str = 'measure', timeout: str = '60') -> None:
    step = {
        'action': 'aws:runShellScript',
        'name': 'run_it',
        'precondition': {'StringEquals': ['platformType', 'Linux']},
        'inputs': {'timeoutSeconds': timeout, 'runCommand': list(script)},
    }
    content = {'schemaVersion': '2.2', 'mainSteps': [step]}
    ssm_documents.create_document({'Name': name, 'Content': json.dumps(content), 'DocumentType': 'Command'})


def send(name: str = 'measure', **more: Any) -> str:
    request = {'DocumentName': name, 'InstanceIds': ['i-1'], **more}
    return str(ssm_commands.send_command(request)['Command']['CommandId'])


def invocation(command: str) -> dict[str, Any]:
    found = ssm_commands.list_command_invocations({'CommandId': command, 'Details': True})['CommandInvocations']
    return dict(found[0]) if found else {}


def ended(cloud: Cloud, command: str) -> dict[str, Any]:
    cloud.wait(lambda: invocation(command).get('Status') not in (None, 'Pending', 'InProgress', 'Cancelling'))
    return invocation(command)


def stored(key: str) -> str | None:
    with own_scope():
        body = s3._get_object_data(BUCKET, key)
    return None if body is None else bytes(body).decode()


def test_the_whole_output_comes_to_the_bucket_a_moment_after_the_end(cloud: Cloud) -> None:
    document(f'for n in $(seq {LINES}); do printf "%0{WIDTH - 1}d\\n" "$n"; done', 'echo problem >&2', 'exit 3')
    cloud.launch('i-1')
    cloud.allow('i-1', 's3:PutObject', f'arn:aws:s3:::{BUCKET}/runs/*')
    command = send(OutputS3BucketName=BUCKET, OutputS3KeyPrefix='runs/r/outputs/1')
    seen = ended(cloud, command)
    folder = f'runs/r/outputs/1/{command}/i-1/awsrunShellScript/run_it'
    assert (seen['Status'], seen['CommandPlugins'][0]['ResponseCode']) == ('Failed', 3)
    assert seen['CommandPlugins'][0]['ResponseFinishDateTime'] > 0
    assert stored(f'{folder}/stdout') is None
    cloud.wait(lambda: stored(f'{folder}/stdout') is not None)
    assert len(stored(f'{folder}/stdout') or '') == LINES * WIDTH
    cloud.wait(lambda: stored(f'{folder}/stderr') == 'problem\n')
    # Systems Manager itself cuts it off.
    told = ssm_commands.get_command_invocation({'CommandId': command, 'InstanceId': 'i-1'})
    assert len(told['StandardOutputContent']) == commands.OUTPUT_CHARACTERS


def test_a_bucket_that_is_not_there_and_a_host_that_is_gone_put_nothing_anywhere(cloud: Cloud) -> None:
    document('echo here')
    cloud.launch('i-1')
    cloud.allow('i-1', 's3:PutObject', '*')
    assert ended(cloud, send(OutputS3BucketName='other'))['Status'] == 'Success'
    command = send(OutputS3BucketName=BUCKET)
    assert ended(cloud, command)['Status'] == 'Success'
    cloud.terminate('i-1')
    key = outputs.Place(BUCKET, '').key(command, 'i-1', 'run_it', 'stdout')
    assert key == f'{command}/i-1/awsrunShellScript/run_it/stdout'
    with pytest.raises(AssertionError):
        cloud.wait(lambda: stored(key) is not None, 2 * outputs.LATER_SECONDS)


def test_a_host_whose_role_does_not_allow_it_puts_nothing_there(cloud: Cloud) -> None:
    document('echo here')
    cloud.launch('i-1')
    cloud.allow('i-1', 's3:PutObject', f'arn:aws:s3:::{BUCKET}/other/*')
    command = send(OutputS3BucketName=BUCKET, OutputS3KeyPrefix='runs')
    assert ended(cloud, command)['Status'] == 'Success'
    key = outputs.Place(BUCKET, 'runs').key(command, 'i-1', 'run_it', 'stdout')
    with pytest.raises(AssertionError):
        cloud.wait(lambda: stored(key) is not None, 2 * outputs.LATER_SECONDS)


def test_a_command_is_cancelled_on_the_hosts_that_are_named(cloud: Cloud) -> None:
    document('echo begun; touch begun', 'sleep 60')
    cloud.launch('i-1')
    cloud.launch('i-2', address='172.16.4.201')
    command = send(InstanceIds=['i-1', 'i-2'])
    cloud.wait(lambda: all((cloud.state / 'hosts' / one / 'begun').exists() for one in ('i-1', 'i-2')))
    ssm_commands.cancel_command({'CommandId': command, 'InstanceIds': ['i-1']})

    def statuses() -> dict[str, tuple[str, str]]:
        found = ssm_commands.list_command_invocations({'CommandId': command})['CommandInvocations']
        return {one['InstanceId']: (one['Status'], one['StatusDetails']) for one in found}

    cloud.wait(lambda: statuses().get('i-1') == ('Cancelled', 'Cancelled'))
    assert statuses()['i-2'] == ('InProgress', 'InProgress')
    ssm_commands.cancel_command({'CommandId': command})
    cloud.wait(lambda: statuses()['i-2'][0] == 'Cancelled')
    assert (
        'begun'
        in ssm_commands.get_command_invocation({'CommandId': command, 'InstanceId': 'i-1'})['StandardOutputContent']
    )
    # What has ended stays as it is.
    ssm_commands.cancel_command({'CommandId': command})
    with pytest.raises(Refused, match='not valid'):
        ssm_commands.cancel_command({'CommandId': 'f' * 36})
    with pytest.raises(Refused, match='i-3'):
        ssm_commands.cancel_command({'CommandId': command, 'InstanceIds': ['i-3']})


def test_a_command_is_found_by_its_document_and_time(cloud: Cloud) -> None:
    document('true')
    document('true', name='other')
    cloud.launch('i-1')
    mine = send(Comment='run 1')
    send('other')

    def found(key: str, value: str) -> list[tuple[str, str]]:
        filters = [{'key': 'DocumentName', 'value': 'measure'}, {'key': key, 'value': value}]
        listed = ssm_commands.list_commands({'Filters': filters})['Commands']
        return [(one['CommandId'], one['Comment']) for one in listed]

    assert found('InvokedAfter', '2020-01-01T00:00:00Z') == [(mine, 'run 1')]
    assert found('InvokedBefore', '2020-01-01T00:00:00Z') == []
    with pytest.raises(Refused) as refused:
        found('Comment', 'run 1')
    assert refused.value.code == 'InvalidFilterKey'
