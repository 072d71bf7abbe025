"""The CDK's command hears of a stack when it has come to rest; everybody else at once."""

import asyncio
from typing import Any

import pytest
from ministack.services import cloudformation

from sas_grid_localcloud.cloudformation import looks

CDK = 'aws-sdk-js/3 api/cloudformation#3 aws-cdk/2.1148.1'
ID = 'arn:aws:cloudformation:us-east-1:000000000000:stack/one/1'


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    made = {'StackId': ID, 'StackStatus': 'CREATE_IN_PROGRESS'}
    monkeypatch.setattr(cloudformation, '_stacks', {'one': made})
    return made


def seen(
    stack: dict[str, str], agent: str, action: str = 'DescribeStacks', name: str = 'one', longest: float = 30
) -> str:
    """The status that is answered where the stack comes to rest shortly after the look."""

    async def handler(*_: Any) -> tuple[int, dict[str, str], Any]:
        return 200, {}, stack['StackStatus']

    async def look() -> str:
        body = f'Action={action}&StackName={name}'.encode()
        looking = asyncio.ensure_future(looks.patient(handler, longest)('POST', '/', {'user-agent': agent}, body, {}))
        await asyncio.sleep(0.2)
        stack['StackStatus'] = 'CREATE_COMPLETE'
        return str((await looking)[2])

    return asyncio.run(look())


@pytest.mark.parametrize('name', ['one', ID])
def test_the_cdk_hears_of_a_stack_at_rest(stack: dict[str, str], name: str) -> None:
    assert seen(stack, CDK, name=name) == 'CREATE_COMPLETE'


def test_everybody_else_is_answered_at_once(stack: dict[str, str]) -> None:
    assert seen(stack, 'Boto3/1.40') == 'CREATE_IN_PROGRESS'


def test_so_are_other_questions_and_stacks_that_are_not_there(stack: dict[str, str]) -> None:
    assert seen(stack, CDK, action='DescribeStackEvents') == 'CREATE_IN_PROGRESS'
    stack['StackStatus'] = 'CREATE_IN_PROGRESS'
    assert seen(stack, CDK, name='two') == 'CREATE_IN_PROGRESS'


def test_a_change_set_that_waits_to_be_executed_is_at_rest(stack: dict[str, str]) -> None:
    stack['StackStatus'] = 'REVIEW_IN_PROGRESS'
    assert seen(stack, CDK) == 'REVIEW_IN_PROGRESS'


def test_no_look_takes_longer_than_a_while(stack: dict[str, str]) -> None:
    assert seen(stack, CDK, longest=0.05) == 'CREATE_IN_PROGRESS'
