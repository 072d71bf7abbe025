"""Runbooks that wait for an approval."""

import json
from collections.abc import Callable

import pytest

from automation.conftest import as_user, begin, ended, look, ssm_with, steps_of
from conftest import Cloud, unique, until
from errors import refused

Make = Callable[..., str]
SLEEP = {'name': 'rest', 'action': 'aws:sleep', 'inputs': {'Duration': 'PT1S'}}


class TestApproval:
    """aws:approve: it waits, for the approvers only."""

    @pytest.fixture
    def topic(self, cloud: Cloud) -> str:
        return str(cloud.client('sns').create_topic(Name=f'Automation-{unique("t")}')['TopicArn'])

    @pytest.fixture
    def ask(self, cloud: Cloud, role: Make, runbook: Make, topic: str) -> Callable[..., str]:
        def begin_with(approvers: list[str], needed: int = 1, seconds: int = 30, to: str = topic) -> str:
            inputs = {'NotificationArn': to, 'MinRequiredApprovals': needed, 'Approvers': '{{ approvers }}'}
            step = {'name': 'approve', 'action': 'aws:approve', 'timeoutSeconds': seconds, 'inputs': inputs}
            who = role({'Action': 'sns:Publish', 'Resource': topic})
            name = runbook(who, step, SLEEP, parameters={'approvers': {'type': 'StringList'}})
            return begin(cloud, name, approvers=approvers)

        return begin_with

    def waits(self, cloud: Cloud, execution: str) -> None:
        until(lambda: look(cloud, execution)['AutomationExecutionStatus'] == 'Waiting', 'the request for approval')

    def test_it_goes_on_when_enough_approvers_have_approved(self, cloud: Cloud, ask: Callable[..., str]) -> None:
        (anna, as_anna), (berta, as_berta) = (as_user(cloud, unique(name)) for name in ('anna', 'berta'))
        _, as_carl = as_user(cloud, unique('carl'))
        execution = ask([anna, berta.rsplit('/', 1)[-1]], needed=2)
        self.waits(cloud, execution)
        with refused('InvalidAutomationSignalException'):
            as_carl.send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')
        with refused('InvalidAutomationSignalException'):
            cloud.client('ssm').send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')
        as_anna.send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')
        with refused('InvalidAutomationSignalException'):
            as_anna.send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')
        assert look(cloud, execution)['AutomationExecutionStatus'] == 'Waiting'
        as_berta.send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')
        assert ended(cloud, execution)['AutomationExecutionStatus'] == 'Success'
        with refused('AutomationStepNotFoundException'):
            as_anna.send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')

    def test_whoever_is_in_a_role_that_is_an_approver_approves(self, cloud: Cloud, ask: Callable[..., str]) -> None:
        iam, name = cloud.client('iam'), unique('approver')
        trust = {'Effect': 'Allow', 'Principal': {'AWS': '*'}, 'Action': 'sts:AssumeRole'}
        document = json.dumps({'Version': '2012-10-17', 'Statement': [trust]})
        arn = iam.create_role(RoleName=name, Path='/of-grid/', AssumeRolePolicyDocument=document)['Role']['Arn']
        allow = {'Effect': 'Allow', 'Action': 'ssm:SendAutomationSignal', 'Resource': '*'}
        iam.put_role_policy(RoleName=name, PolicyName='approve', PolicyDocument=json.dumps({'Statement': [allow]}))
        key = cloud.client('sts').assume_role(RoleArn=arn, RoleSessionName='somebody')['Credentials']
        as_role = ssm_with(cloud, key)
        execution, other = ask([arn]), ask([f'{arn}-of-others'])
        for one in (execution, other):
            self.waits(cloud, one)
        with refused('InvalidAutomationSignalException'):
            as_role.send_automation_signal(AutomationExecutionId=other, SignalType='Approve')
        as_role.send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')
        assert ended(cloud, execution)['AutomationExecutionStatus'] == 'Success'

    def test_one_rejection_ends_it(self, cloud: Cloud, ask: Callable[..., str]) -> None:
        anna, as_anna = as_user(cloud, unique('anna'))
        execution = ask([anna])
        self.waits(cloud, execution)
        as_anna.send_automation_signal(AutomationExecutionId=execution, SignalType='Reject')
        found = ended(cloud, execution)
        assert steps_of(found) == [('approve', 'Failed')]
        assert 'rejected' in found['FailureMessage']

    def test_without_an_answer_it_times_out(self, cloud: Cloud, ask: Callable[..., str]) -> None:
        found = ended(cloud, ask(['arn:aws:iam::000000000000:user/nobody'], seconds=1))
        assert (found['AutomationExecutionStatus'], steps_of(found)) == ('TimedOut', [('approve', 'TimedOut')])

    def test_a_topic_of_another_name_is_told_nothing(self, cloud: Cloud, ask: Callable[..., str], topic: str) -> None:
        found = ended(cloud, ask(['anna'], to=topic.replace('Automation', 'Alarms')))
        assert 'does not begin with "Automation"' in found['FailureMessage']

    def test_it_can_be_stopped_while_it_waits(self, cloud: Cloud, ask: Callable[..., str]) -> None:
        execution = ask(['anna'])
        self.waits(cloud, execution)
        cloud.client('ssm').stop_automation_execution(AutomationExecutionId=execution)
        found = ended(cloud, execution)
        assert (found['AutomationExecutionStatus'], steps_of(found)) == ('Cancelled', [('approve', 'Cancelled')])
