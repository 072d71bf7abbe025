"""SSM: documents as the service checks them, commands that run on hosts."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ministack.services import ssm as ministack_ssm

from sas_grid_localcloud import ssm, ssm_commands, ssm_documents, throttling
from sas_grid_localcloud.hosts.documents import Refused

from .conftest import Cloud

CONTENT = {
    'schemaVersion': '2.2',
    'parameters': {
        'Slot': {'type': 'String', 'allowedPattern': '^[a-z-]+-[0-9]{2,}$'},
        'Mode': {'type': 'String', 'allowedValues': ['serve', 'check'], 'default': 'serve'},
        'Timeout': {'type': 'String', 'default': '5'},
    },
    'mainSteps': [
        {
            'action': 'aws:runShellScript',
            'name': 'serve',
            'inputs': {
                'timeoutSeconds': '{{ Timeout }}',
                'runCommand': [
                    'echo "{{ Mode }} {{ Slot }} in $SAS_GRID_ROOT"',
                    'case {{ Slot }} in *-75) exit 75;; esac',
                ],
            },
        }
    ],
}


@pytest.fixture(autouse=True)
def _no_documents() -> Iterator[None]:
    ssm_documents._documents.clear()
    yield
    ssm_documents._documents.clear()


def create(content: Any = CONTENT, name: str = 'serve') -> None:
    ssm_documents.create_document({'Name': name, 'Content': json.dumps(content), 'DocumentType': 'Command'})


def send(cloud: Cloud, **parameters: str) -> dict[str, Any]:
    request = {
        'DocumentName': 'serve',
        'InstanceIds': ['i-1'],
        'Parameters': {k: [v] for k, v in parameters.items()},
    }
    command = ssm_commands.send_command(request)['Command']
    wanted = {'CommandId': command['CommandId'], 'InstanceId': 'i-1'}
    found: dict[str, Any] = {}

    def ended() -> bool:
        try:
            found.update(ssm_commands.get_command_invocation(wanted))
        except Refused as refused:
            if refused.code != 'InvocationDoesNotExist':
                raise
            return False
        return found['Status'] not in ('Pending', 'InProgress')

    assert not ended()
    assert found == {}
    cloud.wait(ended)
    return found


def refusal(action: Any, *arguments: Any, **more: Any) -> str:
    with pytest.raises(Refused) as error:
        action(*arguments, **more)
    return error.value.code


def test_a_command_runs_in_the_hosts_root_and_its_exit_code_comes_back(cloud: Cloud) -> None:
    create()
    cloud.launch('i-1')
    good = send(cloud, Slot='oss-00')
    assert (good['Status'], good['ResponseCode']) == ('Success', 0)
    assert good['StandardOutputContent'] == f'serve oss-00 in {cloud.state}/hosts/i-1\n'
    bad = send(cloud, Slot='oss-75')
    assert (bad['Status'], bad['ResponseCode'], bad['PluginName']) == ('Failed', 75, 'serve')


def test_parameters_are_checked_before_anything_runs(cloud: Cloud) -> None:
    create()
    cloud.launch('i-1')
    assert refusal(send, cloud, Slot='oss-00; reboot') == 'InvalidParameters'
    assert refusal(send, cloud, Slot='oss-00', Mode='destroy') == 'InvalidParameters'
    assert refusal(send, cloud, Slot='oss-00', Other='1') == 'InvalidParameters'
    assert refusal(send, cloud) == 'InvalidParameters'


def test_an_instance_without_a_registered_agent_is_refused(cloud: Cloud) -> None:
    create()
    assert refusal(send, cloud, Slot='oss-00') == 'InvalidInstanceId'
    cloud.launch('i-1')
    cloud.terminate('i-1')
    assert refusal(send, cloud, Slot='oss-00') == 'InvalidInstanceId'


def test_a_command_that_takes_too_long_times_out(cloud: Cloud) -> None:
    content = json.loads(json.dumps(CONTENT))
    content['mainSteps'][0]['inputs']['runCommand'] = ['echo {{ Slot }} {{ Mode }}', 'sleep 60']
    create(content)
    cloud.launch('i-1')
    ended = send(cloud, Slot='oss-00', Timeout='1')
    assert (ended['Status'], ended['StatusDetails'], ended['ResponseCode']) == (
        'TimedOut',
        'Execution Timed Out',
        -1,
    )


def test_a_host_that_dies_during_a_command_leaves_it_in_progress_until_the_timeout(cloud: Cloud) -> None:
    content = json.loads(json.dumps(CONTENT))
    content['mainSteps'][0]['inputs']['runCommand'] = [
        'touch $SAS_GRID_ROOT/begun {{ Slot }} {{ Mode }}',
        'sleep 60',
    ]
    create(content)
    cloud.launch('i-1')
    request = {
        'DocumentName': 'serve',
        'InstanceIds': ['i-1'],
        'Parameters': {'Slot': ['oss-00'], 'Timeout': ['2']},
    }
    command = ssm_commands.send_command(request)['Command']
    cloud.wait((cloud.state / 'hosts/i-1/begun').exists)
    cloud.terminate('i-1')
    states = [ssm_commands.list_commands({'CommandId': command['CommandId']})['Commands'][0]['Status']]

    def timed_out() -> bool:
        states.append(ssm_commands.list_commands({'CommandId': command['CommandId']})['Commands'][0]['Status'])
        return states[-1] == 'TimedOut'

    cloud.wait(timed_out)
    assert set(states) == {'InProgress', 'TimedOut'}


def test_what_became_of_commands_is_listed_by_pages(cloud: Cloud) -> None:
    create()
    create(name='other')
    cloud.launch('i-1')
    before = datetime.now(UTC) - timedelta(seconds=2)
    sent = [send(cloud, Slot=slot)['CommandId'] for slot in ('oss-00', 'oss-75', 'oss-01')]
    since = before.strftime('%Y-%m-%dT%H:%M:%SZ')
    wanted = {
        'Filters': [{'key': 'DocumentName', 'value': 'serve'}, {'key': 'InvokedAfter', 'value': since}],
        'Details': True,
        'MaxResults': 2,
    }
    found: list[dict[str, Any]] = []
    token, pages = {}, 0
    while pages == 0 or token:
        answer = ssm_commands.list_command_invocations({**wanted, **token})
        assert len(answer['CommandInvocations']) <= 2
        found += [one for one in answer['CommandInvocations'] if one['CommandId'] in sent]
        token, pages = {'NextToken': answer['NextToken']} if 'NextToken' in answer else {}, pages + 1
    assert pages > 1
    assert [one['CommandId'] for one in found] == sent[::-1]
    assert [(one['Status'], one['CommandPlugins'][0]['ResponseCode']) for one in found] == [
        ('Success', 0),
        ('Failed', 75),
        ('Success', 0),
    ]
    assert ssm_commands.list_command_invocations({'Filters': [{'key': 'DocumentName', 'value': 'other'}]}) == {
        'CommandInvocations': []
    }
    later = (datetime.now(UTC) + timedelta(seconds=60)).strftime('%Y-%m-%dT%H:%M:%SZ')
    after = {'Filters': [{'key': 'InvokedAfter', 'value': later}]}
    assert ssm_commands.list_command_invocations(after) == {'CommandInvocations': []}


@pytest.mark.parametrize(
    ('code', 'request_'),
    [
        ('InvalidFilterKey', {'Filters': [{'key': 'ExecutionStage', 'value': 'Executing'}]}),
        ('InvalidFilterValue', {'Filters': [{'key': 'InvokedAfter', 'value': 'yesterday'}]}),
        ('ValidationException', {'MaxResults': 51}),
    ],
)
def test_a_listing_that_systems_manager_refuses(cloud: Cloud, code: str, request_: dict[str, Any]) -> None:
    create()
    cloud.launch('i-1')
    send(cloud, Slot='oss-00')
    with pytest.raises(Refused) as refused:
        ssm_commands.list_command_invocations(request_)
    assert refused.value.code == code


def test_documents_that_cannot_be_run_are_refused_when_they_are_made() -> None:
    def broken(change: Any) -> str:
        content = json.loads(json.dumps(CONTENT))
        change(content)
        return refusal(create, content)

    assert broken(lambda c: c.update(schemaVersion='0.3')) == 'InvalidDocumentSchemaVersion'
    assert broken(lambda c: c['mainSteps'][0].update(action='aws:downloadContent')) == 'InvalidDocumentContent'
    assert (
        broken(lambda c: c['mainSteps'][0]['inputs']['runCommand'].append('{{ Nobody }}')) == 'InvalidDocumentContent'
    )
    assert broken(lambda c: c['mainSteps'][0].update(onFailure='exit')) == 'InvalidDocumentContent'
    assert broken(lambda c: c['parameters']['Slot'].update(type='Map')) == 'InvalidDocumentContent'


def test_versions_of_a_document() -> None:
    create()
    assert refusal(create) == 'DocumentAlreadyExists'
    assert (
        refusal(ssm_documents.update_document, {'Name': 'serve', 'Content': json.dumps(CONTENT)})
        == 'DuplicateDocumentContent'
    )
    changed = {**CONTENT, 'description': 'new'}
    ssm_documents.update_document({'Name': 'serve', 'Content': json.dumps(changed), 'DocumentVersion': '$LATEST'})
    described = ssm_documents.describe_document({'Name': 'serve'})['Document']
    assert (described['LatestVersion'], described['DefaultVersion']) == ('2', '1')
    ssm_documents.update_default_version({'Name': 'serve', 'DocumentVersion': '2'})
    assert json.loads(ssm_documents.get_document({'Name': 'serve'})['Content'])['description'] == 'new'
    ssm_documents.delete_document({'Name': 'serve'})
    assert refusal(ssm_documents.describe_document, {'Name': 'serve'}) == 'InvalidDocument'


def test_cloudformation_makes_updates_and_deletes_a_document() -> None:
    name, _ = ssm_documents._cfn_create('Serve', {'Content': CONTENT, 'DocumentType': 'Command'}, 'stack')
    changed = {'Content': {**CONTENT, 'description': 'new'}, 'DocumentType': 'Command'}
    assert ssm_documents._cfn_update(name, {}, {**changed, 'UpdateMethod': 'NewVersion'}, 'stack')[0] == name
    assert ssm_documents.describe_document({'Name': name})['Document']['DefaultVersion'] == '2'
    # Without a word about it a change replaces the document, and CloudFormation then deletes the former one.
    another = {'Content': {**CONTENT, 'description': 'newer'}, 'DocumentType': 'Command'}
    replaced = ssm_documents._cfn_update(name, {}, another, 'stack')[0]
    assert replaced != name
    assert ssm_documents.describe_document({'Name': replaced})['Document']['DefaultVersion'] == '1'
    with pytest.raises(ValueError, match='has a name of its own'):
        ssm_documents._cfn_update(replaced, {}, {**changed, 'Name': replaced}, 'stack')
    with pytest.raises(ValueError, match=r'property Requires \(logical id Serve\)'):
        ssm_documents._cfn_create('Serve', {'Content': CONTENT, 'Requires': []}, 'stack')


def test_commands_are_refused_when_there_are_too_many_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {'x-amz-target': 'AmazonSSM.ListCommands'}
    monkeypatch.setattr(ministack_ssm, 'handle_request', ministack_ssm.handle_request)
    ssm.install()
    throttling.use(throttling.parse('ListCommands=2'))
    try:
        answers = [asyncio.run(ministack_ssm.handle_request('POST', '/', asked, b'{}', {})) for _ in range(2)]
    finally:
        throttling.use([])
    assert [answer[0] for answer in answers] == [200, 400]
    assert b'ThrottlingException' in answers[1][2]
