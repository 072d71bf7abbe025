"""An embedded AWS with hosts, and what a runbook needs: a role, a topic, approvers."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import boto3
import pytest

from cdk_story import CDK
from conftest import Cloud, Network, start_cloud, stop_cloud, unique, until

ENDED = ('Success', 'Failed', 'TimedOut', 'Cancelled')
TRUST = {
    'Version': '2012-10-17',
    'Statement': [{'Effect': 'Allow', 'Principal': {'Service': 'ssm.amazonaws.com'}, 'Action': 'sts:AssumeRole'}],
}


@pytest.fixture(scope='package')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    state = tmp_path_factory.mktemp('automation') / 'state'
    running = start_cloud(state, environment={'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0', **os.environ})
    yield running
    stop_cloud(running)


@pytest.fixture(scope='package')
def network(cloud: Cloud) -> Network:
    ec2 = cloud.client('ec2')
    vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/22', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    group = ec2.create_security_group(VpcId=vpc, GroupName='g', Description='g')['GroupId']
    return Network(vpc, subnet, group)


@pytest.fixture
def role(cloud: Cloud) -> Callable[..., str]:
    """Makes a role that Systems Manager may assume and that may do what the statements say."""

    def make(*statements: dict[str, Any], trust: dict[str, Any] = TRUST) -> str:
        iam, name = cloud.client('iam'), unique('runbook')
        arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))['Role']['Arn']
        if statements:
            policy = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', **one} for one in statements]}
            iam.put_role_policy(RoleName=name, PolicyName='p', PolicyDocument=json.dumps(policy))
        return str(arn)

    return make


@pytest.fixture
def runbook(cloud: Cloud) -> Callable[..., str]:
    """Makes a runbook."""

    def make(role_arn: str, *steps: dict[str, Any], form: str = 'YAML', **more: Any) -> str:
        content = {'schemaVersion': '0.3', 'assumeRole': role_arn, 'mainSteps': list(steps), **more}
        name = unique('runbook')
        cloud.client('ssm').create_document(
            Name=name, Content=json.dumps(content), DocumentType='Automation', DocumentFormat=form
        )
        return name

    return make


def begin(cloud: Cloud, name: str, **parameters: list[str]) -> str:
    # AWS refuses parameters that are there and empty.
    given = {'Parameters': parameters} if parameters else {}
    started = cloud.client('ssm').start_automation_execution(DocumentName=name, **given)
    return str(started['AutomationExecutionId'])


def look(cloud: Cloud, execution: str) -> dict[str, Any]:
    told = cloud.client('ssm').get_automation_execution(AutomationExecutionId=execution)
    found: dict[str, Any] = told['AutomationExecution']
    return found


def ended(cloud: Cloud, execution: str, seconds: float = 90) -> dict[str, Any]:
    def over() -> dict[str, Any] | None:
        found = look(cloud, execution)
        return found if found['AutomationExecutionStatus'] in ENDED else None

    found: dict[str, Any] = until(over, f'the end of {execution}', seconds)
    return found


def steps_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one['StepName'], one['StepStatus']) for one in found['StepExecutions']]


def ssm_with(cloud: Cloud, key: Mapping[str, Any]) -> Any:
    """Systems Manager as whoever has this key calls it."""
    return boto3.client(
        'ssm',
        endpoint_url=cloud.endpoint,
        region_name=cloud.environment['AWS_REGION'],
        aws_access_key_id=key['AccessKeyId'],
        aws_secret_access_key=key['SecretAccessKey'],
        aws_session_token=key.get('SessionToken'),
    )


def as_user(cloud: Cloud, name: str) -> tuple[str, Any]:
    """The ARN of a new IAM user, and Systems Manager as that user calls it."""
    iam = cloud.client('iam')
    arn = iam.create_user(UserName=name)['User']['Arn']
    key = iam.create_access_key(UserName=name)['AccessKey']
    return arn, ssm_with(cloud, key)


def run_cdk(cloud: Cloud, out: Path, cwd: Path, *arguments: str) -> None:
    """Run the real command against the embedded AWS."""
    environment = {**os.environ, **cloud.environment, 'CI': 'true', 'CDK_DISABLE_CLI_TELEMETRY': 'true'}
    done = subprocess.run(
        [str(CDK), *arguments, '--output', str(out)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
