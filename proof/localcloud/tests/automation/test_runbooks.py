"""Runbooks of Automation: what they may hold, which step comes next, what the role may do."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from automation.conftest import begin, ended, look, steps_of
from conftest import Cloud, until
from errors import refused
from sas_grid_localcloud.automation import selectors
from sas_grid_localcloud.hosts import commands

Make = Callable[..., str]
SLEEP = {'name': 'rest', 'action': 'aws:sleep', 'inputs': {'Duration': 'PT1S'}}
LOOK = {'Action': 'ec2:Describe*', 'Resource': '*'}


def script(text: str, handler: str = 'run', **more: Any) -> dict[str, Any]:
    inputs = {'Runtime': 'python3.11', 'Handler': handler, 'Script': text}
    return {'name': 'compute', 'action': 'aws:executeScript', 'inputs': {**inputs, **more.pop('inputs', {})}, **more}


def test_a_runbook_that_cannot_be_run_is_refused_when_it_is_made(runbook: Make) -> None:
    def make(*steps: dict[str, Any], **more: Any) -> None:
        runbook('arn:aws:iam::000000000000:role/r', *steps, **more)

    for broken in (
        {**SLEEP, 'action': 'aws:createStack'},
        {**SLEEP, 'name': 'no name'},
        {**SLEEP, 'nextStep': 'nowhere'},
        {**SLEEP, 'onFailure': 'step:nowhere'},
        {**SLEEP, 'onFailure': 'Retry'},
        {**SLEEP, 'inputs': {'Duration': '{{ unknown }}'}},
        {**SLEEP, 'inputs': {}},
        {'name': 'call', 'action': 'aws:executeAwsApi', 'inputs': {'Service': 'ec2', 'Api': 'DestroyEverything'}},
        {'name': 'call', 'action': 'aws:executeAwsApi', 'inputs': {'Service': 'ec3', 'Api': 'DescribeVpcs'}},
        script('', inputs={'Runtime': 'python3.8'}),
    ):
        with refused('InvalidDocumentContent'):
            make(broken)
    with refused('InvalidDocumentContent'):
        make(SLEEP, SLEEP)
    # "This parameter is not supported for JSON runbooks."
    with refused('InvalidDocumentContent'):
        make(script('def run(events, context): return {}'), form='JSON')
    with refused('InvalidDocumentSchemaVersion'):
        make(SLEEP, schemaVersion='2.2')


def test_outputs_lead_to_inputs_and_a_branch_chooses(cloud: Cloud, role: Make, runbook: Make) -> None:
    text = 'def run(events, context):\n    return {"twice": 2 * events["number"], "said": "n=%d" % events["number"]}'
    steps = [
        script(
            text,
            inputs={'InputPayload': {'number': 21}},
            outputs=[
                {'Name': 'Twice', 'Selector': '$.Payload.twice', 'Type': 'Integer'},
                {'Name': 'Said', 'Selector': '$.Payload.said', 'Type': 'String'},
            ],
        ),
        {
            'name': 'choose',
            'action': 'aws:branch',
            'inputs': {
                'Choices': [
                    {'NextStep': 'wrong', 'Variable': '{{ compute.Twice }}', 'NumericLesser': 42},
                    {'NextStep': 'right', 'Variable': '{{ compute.Said }}', 'StringEquals': 'n=21'},
                ],
                'Default': 'wrong',
            },
        },
        {**SLEEP, 'name': 'wrong', 'isEnd': True},
        {**SLEEP, 'name': 'right', 'inputs': {'Duration': 'PT{{ seconds }}S'}, 'isEnd': True},
    ]
    parameters = {'seconds': {'type': 'String', 'default': '0'}}
    name = runbook(role(), *steps, parameters=parameters, outputs=['compute.Twice'])
    found = ended(cloud, begin(cloud, name))
    assert steps_of(found) == [('compute', 'Success'), ('choose', 'Success'), ('right', 'Success')]
    assert (found['AutomationExecutionStatus'], found['Outputs']) == ('Success', {'compute.Twice': ['42']})


def test_a_critical_step_that_fails_makes_the_execution_fail_wherever_it_leads(
    cloud: Cloud, role: Make, runbook: Make
) -> None:
    broken = script('def run(events, context):\n    raise ValueError("no such luck")', onFailure='step:afterwards')
    steps = [broken, {**SLEEP, 'name': 'never'}, {**SLEEP, 'name': 'afterwards', 'isEnd': True}]
    found = ended(cloud, begin(cloud, runbook(role(), *steps)))
    assert steps_of(found) == [('compute', 'Failed'), ('afterwards', 'Success')]
    assert found['AutomationExecutionStatus'] == 'Failed'
    assert 'no such luck' in found['FailureMessage']

    found = ended(cloud, begin(cloud, runbook(role(), {**broken, 'onFailure': 'Continue'}, SLEEP)))
    assert (found['AutomationExecutionStatus'], len(found['StepExecutions'])) == ('Success', 2)

    found = ended(cloud, begin(cloud, runbook(role(), {**broken, 'onFailure': 'Abort'}, SLEEP)))
    assert (found['AutomationExecutionStatus'], len(found['StepExecutions'])) == ('Failed', 1)


def api(name: str, action: str, **inputs: Any) -> dict[str, Any]:
    return {'name': name, 'action': action, 'inputs': {'Service': 'ec2', 'Api': 'DescribeInstances', **inputs}}


STATE = '$.Reservations[0].Instances[0].State.Name'


def test_assertions_and_waits_look_at_what_the_api_answers(
    cloud: Cloud, role: Make, runbook: Make, instance: Make
) -> None:
    one = instance()
    about = {'InstanceIds': [one], 'PropertySelector': STATE}
    right = api('runs', 'aws:assertAwsResourceProperty', **about, DesiredValues=['running'])
    wrong = api('stopped', 'aws:assertAwsResourceProperty', **about, DesiredValues=['stopped'])
    found = ended(cloud, begin(cloud, runbook(role(LOOK), right, wrong)))
    assert steps_of(found) == [('runs', 'Success'), ('stopped', 'Failed')]
    assert 'running' in found['FailureMessage']

    wait = {**api('gone', 'aws:waitForAwsResourceProperty', **about, DesiredValues=['stopped']), 'timeoutSeconds': 20}
    execution = begin(cloud, runbook(role(LOOK), wait))
    until(lambda: steps_of(look(cloud, execution)) == [('gone', 'InProgress')], 'the wait')
    cloud.client('ec2').stop_instances(InstanceIds=[one])
    assert ended(cloud, execution)['AutomationExecutionStatus'] == 'Success'

    execution = begin(cloud, runbook(role(LOOK), {**wait, 'inputs': right['inputs'], 'timeoutSeconds': 1}))
    assert ended(cloud, execution)['AutomationExecutionStatus'] == 'TimedOut'


def test_the_role_limits_what_steps_may_do(cloud: Cloud, role: Make, runbook: Make, instance: Make) -> None:
    tagged = [{'ResourceType': 'instance', 'Tags': [{'Key': 'tier', 'Value': 'a'}]}]
    own, other = instance(TagSpecifications=tagged), instance()
    allowed = {
        'Action': 'ec2:TerminateInstances',
        'Resource': 'arn:aws:ec2:*:*:instance/*',
        'Condition': {'StringEquals': {'aws:ResourceTag/tier': 'a'}},
    }

    def terminate(who: str, which: str) -> dict[str, Any]:
        inputs = {'Service': 'ec2', 'Api': 'TerminateInstances', 'InstanceIds': [which]}
        step = {'name': 'terminate', 'action': 'aws:executeAwsApi', 'inputs': inputs}
        return ended(cloud, begin(cloud, runbook(who, step)))

    refusal = terminate(role(allowed), other)
    assert 'is not authorized to perform: ec2:TerminateInstances' in refusal['FailureMessage']
    assert 'is not authorized' in terminate(role(LOOK), own)['FailureMessage']
    assert terminate(role(allowed), own)['AutomationExecutionStatus'] == 'Success'


def test_a_role_that_does_not_trust_automation_is_not_assumed(cloud: Cloud, role: Make, runbook: Make) -> None:
    def trust(service: str, account: str) -> dict[str, Any]:
        condition = {'StringEquals': {'aws:SourceAccount': account}}
        one = {'Effect': 'Allow', 'Principal': {'Service': service}, 'Action': 'sts:AssumeRole', 'Condition': condition}
        return {'Version': '2012-10-17', 'Statement': [one]}

    for who in (
        role(trust=trust('ec2.amazonaws.com', '000000000000')),
        role(trust=trust('ssm.amazonaws.com', '111122223333')),
        'arn:aws:iam::000000000000:role/nobody',
    ):
        found = ended(cloud, begin(cloud, runbook(who, SLEEP)))
        assert (found['AutomationExecutionStatus'], found['StepExecutions']) == ('Failed', [])
        assert 'assume role' in found['FailureMessage']
    good = role(trust=trust('ssm.amazonaws.com', '000000000000'))
    assert ended(cloud, begin(cloud, runbook(good, SLEEP)))['AutomationExecutionStatus'] == 'Success'


def test_a_parameter_that_does_not_fit_starts_nothing(cloud: Cloud, role: Make, runbook: Make) -> None:
    slot = {'type': 'String', 'allowedPattern': '^oss-[0-9]{2}$'}
    name = runbook(role(), SLEEP, parameters={'slot': slot})
    for wrong in ({}, {'slot': ['oss-0']}, {'slot': ['oss-00'], 'more': ['1']}):
        with refused('InvalidAutomationExecutionParametersException'):
            begin(cloud, name, **wrong)
    with refused('AutomationDefinitionNotFoundException'):
        begin(cloud, 'nothing')
    with refused('InvalidDocument'):
        cloud.client('ssm').send_command(DocumentName=name, InstanceIds=['i-0123456789abcdef0'])
    assert json.loads(cloud.client('ssm').get_document(Name=name)['Content'])['schemaVersion'] == '0.3'


def test_a_selector_finds_all() -> None:
    found = {'Groups': [{'Of': [{'Id': 'a'}, {'Id': 'b'}]}, {'Of': [{'Id': 'c'}]}, {'Of': []}]}
    selectors.check('$.Groups[*].Of[*].Id', 'here')
    assert selectors.select('$.Groups[*].Of[*].Id', found) == ['a', 'b', 'c']
    assert selectors.select('$.Groups[0].Of[*].Id', found) == ['a', 'b']
    assert selectors.select('$.Groups[1].Of[0].Id', found) == 'c'
    for nowhere in ('$.Groups[2].Of[*].Id', '$.Groups[*].Of[0].Id', '$.Groups[0].Of[*].Name'):
        with pytest.raises(selectors.Missing):
            selectors.select(nowhere, found)


@pytest.mark.parametrize(
    ('max_errors', 'ends', 'details'),
    [
        ('0', ['Success', 'Failed'], 'Failed'),
        ('1', ['Success', 'Failed'], 'Incomplete'),
        ('1', ['Failed', 'Failed'], 'Failed'),
        ('50%', ['Success', 'Failed'], 'Incomplete'),
        ('100%', ['Failed', 'Failed'], 'Incomplete'),
        ('100%', ['Failed', 'InProgress'], 'InProgress'),
        ('100%', ['Success', 'TimedOut'], 'Incomplete'),
        ('100%', ['Success', 'Success'], 'Success'),
    ],
)
def test_a_command_of_which_fewer_failed_than_may_is_incomplete(max_errors: str, ends: list[str], details: str) -> None:
    hosts = {f'i-{number}': commands.Invocation(f'i-{number}', end, end) for number, end in enumerate(ends)}
    command = commands.Command('d', '1', {}, '', 30, hosts, max_errors)
    assert command.details == details
    assert (command.status == 'Success') == (details in ('Success', 'Incomplete'))
