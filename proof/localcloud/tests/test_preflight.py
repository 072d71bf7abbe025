"""The command ``cdk-sas-grid preflight`` against an account that lacks something, one thing at a time."""

import json
import os
import subprocess
import urllib.error
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import PACKAGE_ROOT, Cloud, start_cloud, stop_cloud, unique

PROGRAM = PACKAGE_ROOT.parents[1] / 'build' / 'cli' / 'main.js'
BOOTSTRAP = '/cdk-bootstrap/hnb659fds/version'
IMAGE = '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64'
TYPE = 'm6in.xlarge'
REGION = 'us-east-1'
Told = dict[str, Any]


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS of its own: its account lacks what others need."""
    running = start_cloud(tmp_path_factory.mktemp('preflight') / 'state', '--without-hosts')
    running.client('ssm').put_parameter(Name=BOOTSTRAP, Value='21', Type='String')
    yield running
    stop_cloud(running)


@pytest.fixture
def fault(cloud: Cloud) -> Iterator[Callable[..., dict[str, Any]]]:
    """Asks for a fault; afterwards all is calm."""
    yield cloud.fault
    cloud.fault('calm')


def resources(log_group: str, key: str | None = None, subnet: Told | None = None) -> dict[str, Told]:
    """A network, one server of a group and a volume, as the templates of a deployment have them."""
    encrypted = {'KmsKeyId': key} if key else {}
    made = {
        'Vpc': ('VPC', {'CidrBlock': '10.64.0.0/16'}),
        'Subnet': (
            'Subnet',
            subnet or {'VpcId': {'Ref': 'Vpc'}, 'CidrBlock': '10.64.0.0/24', 'AvailabilityZone': 'us-east-1a'},
        ),
        'Address': ('EIP', {}),
        'Group': ('SecurityGroup', {'SecurityGroupIngress': [{'CidrIp': '10.0.0.0/8', 'IpProtocol': '-1'}]}),
        'Endpoint': (
            'VPCEndpoint',
            {
                'ServiceName': {'Fn::Sub': 'com.amazonaws.${AWS::Region}.ssm'},
                'VpcEndpointType': 'Interface',
                'SubnetIds': [{'Ref': 'Subnet'}],
            },
        ),
        'Template': (
            'LaunchTemplate',
            {
                'LaunchTemplateData': {
                    'InstanceType': TYPE,
                    'ImageId': {'Ref': 'Image'},
                    'BlockDeviceMappings': [
                        {'DeviceName': '/dev/xvda', 'Ebs': {'VolumeSize': 30, 'VolumeType': 'gp3', **encrypted}}
                    ],
                }
            },
        ),
        'Volume': ('Volume', {'Size': 100, 'VolumeType': 'io2', 'Iops': 3000, 'AvailabilityZone': 'us-east-1a'}),
    }
    found = {name: {'Type': f'AWS::EC2::{kind}', 'Properties': properties} for name, (kind, properties) in made.items()}
    found['Servers'] = {
        'Type': 'AWS::AutoScaling::AutoScalingGroup',
        'Properties': {
            'MinSize': '1',
            'MaxSize': '1',
            'LaunchTemplate': {'LaunchTemplateId': {'Ref': 'Template'}, 'Version': '1'},
            'VPCZoneIdentifier': [{'Ref': 'Subnet'}],
        },
    }
    found['Logs'] = {'Type': 'AWS::Logs::LogGroup', 'Properties': {'LogGroupName': log_group}}
    return found


def assembly(folder: Path, made: dict[str, Told], environment: str = 'aws://unknown-account/unknown-region') -> Path:
    """What ``cdk synth`` would write of one stack, ``mine-storage``."""
    parameters = {'Image': {'Type': 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', 'Default': IMAGE}}
    (folder / 'mine.json').write_text(json.dumps({'Parameters': parameters, 'Resources': made}), encoding='utf-8')
    properties = {
        'templateFile': 'mine.json',
        'requiresBootstrapStackVersion': 6,
        'bootstrapStackVersionSsmParameter': BOOTSTRAP,
    }
    artifact = {'type': 'aws:cloudformation:stack', 'environment': environment, 'properties': properties}
    manifest = {'version': '55.0.0', 'artifacts': {'mine-storage': artifact}}
    (folder / 'manifest.json').write_text(json.dumps(manifest), encoding='utf-8')
    return folder


def preflight(cloud: Cloud, folder: Path, **environment: str) -> tuple[int, Told]:
    """The exit code, and what is printed for programs."""
    done = subprocess.run(
        ['node', str(PROGRAM), 'preflight', 'mine', '--templates', str(folder), '--json'],
        env={**os.environ, **cloud.environment, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stderr == '', done.stderr
    return done.returncode, dict(json.loads(done.stdout))


def found(told: Told, *statuses: str) -> list[str]:
    """Lines of these findings: check, status, text, what mends it, and which right is missing."""
    parts = ('check', 'status', 'text', 'fix', 'action')
    return [
        ' | '.join(str(one[part]) for part in parts if part in one)
        for one in told['findings']
        if one['status'] in statuses
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return assembly(tmp_path, resources(f'/preflight/{unique("logs")}'))


def test_what_it_asks_for_is_what_mends_it(cloud: Cloud, folder: Path) -> None:
    """A new account has five vCPUs of a family; the increase that is asked for is the right one."""
    cloud.fault('quota', code='L-1216C47A', value=3)
    code, told = preflight(cloud, folder)
    assert code == 1
    (failure,) = found(told, 'failed')
    assert '4 vCPU needed, 0 in use beside it, of 3' in failure
    words = failure.split('aws service-quotas ')[1].split(' | ')[0].split()
    asked = dict(zip(words[1::2], words[2::2], strict=True))
    cloud.client('service-quotas').request_service_quota_increase(
        ServiceCode=asked['--service-code'],
        QuotaCode=asked['--quota-code'],
        DesiredValue=float(asked['--desired-value']),
    )
    code, told = preflight(cloud, folder)
    assert (code, told['verdict'], found(told, 'failed', 'unchecked', 'warning')) == (0, 'passed', [])
    assert told['monthlyUsd']['knownUsd'] > 100
    assert {one['check'] for one in told['findings']} >= {
        'credentials',
        'region',
        'bootstrap',
        'instance types',
        'quotas',
        'images',
        'endpoint services',
        'keys',
        'networks',
        'names',
    }


def test_nothing_is_changed(cloud: Cloud, folder: Path) -> None:
    before = len(cloud.calls())
    preflight(cloud, folder)
    asked = {call['action'] for call in cloud.calls()[before:]}
    assert len(asked) > 10
    assert [action for action in asked if not action.startswith(('Describe', 'Get', 'List'))] == []


def image_id(cloud: Cloud) -> str:
    return str(cloud.client('ssm').get_parameter(Name=IMAGE)['Parameter']['Value'])


@pytest.mark.parametrize(
    ('asked', 'text'),
    [
        ({'kind': 'no-type', 'type': TYPE, 'zone': 'us-east-1a'}, 'us-east-1b or us-east-1c in config/mine.yaml'),
        ({'kind': 'no-type', 'type': TYPE}, f'{TYPE} (mine-storage/Servers) is not offered in us-east-1'),
        ({'kind': 'quota', 'code': 'L-7A658B76', 'value': 0.01}, '--quota-code L-7A658B76 --desired-value 1'),
        ({'kind': 'quota', 'code': 'L-09BD8365', 'value': 0}, '--quota-code L-09BD8365 --desired-value 1'),
        ({'kind': 'quota', 'code': 'L-8D977E7E', 'value': 100}, '--quota-code L-8D977E7E --desired-value 3000'),
        ({'kind': 'quota', 'code': 'L-0263D0A3', 'value': 0}, '--quota-code L-0263D0A3 --desired-value 1'),
        ({'kind': 'quota', 'code': 'L-F678F1CE', 'value': 0}, '--quota-code L-F678F1CE'),
        ({'kind': 'quota', 'code': 'L-0EA8095F', 'value': 0}, '--quota-code L-0EA8095F --desired-value 1'),
        ({'kind': 'image', 'gone': True}, 'does not exist in us-east-1, or is not shared with 000000000000'),
        ({'kind': 'image', 'imageState': 'pending'}, 'it is pending'),
        ({'kind': 'image', 'architecture': 'arm64'}, f'it is for arm64, and {TYPE} has x86_64'),
        ({'kind': 'image', 'virtualizationType': 'paravirtual'}, 'its virtualization is paravirtual'),
        ({'kind': 'image', 'enaSupport': False}, 'it lacks ENA'),
        ({'kind': 'no-endpoint-service', 'service': 'ssm'}, 'no endpoint service com.amazonaws.us-east-1.ssm'),
        ({'kind': 'no-endpoint-service', 'service': 'ssm', 'zone': 'us-east-1a'}, 'is not in us-east-1a'),
    ],
    ids=lambda value: ' '.join(str(one) for one in value.values()) if isinstance(value, dict) else '',
)
def test_a_lack(
    cloud: Cloud, folder: Path, fault: Callable[..., dict[str, Any]], asked: dict[str, Any], text: str
) -> None:
    fault(**asked, **({'image': image_id(cloud)} if asked['kind'] == 'image' else {}))
    code, told = preflight(cloud, folder)
    failures = found(told, 'failed')
    assert code == 1
    assert any(text in failure for failure in failures), failures
    assert all('fix' in one for one in told['findings'] if one['status'] == 'failed')


@pytest.mark.parametrize(
    ('action', 'right'),
    [
        ('DescribeInstanceTypeOfferings', 'ec2:DescribeInstanceTypeOfferings'),
        ('DescribeImages', 'ec2:DescribeImages'),
        ('DescribeInstances', 'ec2:DescribeInstances'),
        ('DescribeVolumes', 'ec2:DescribeVolumes'),
        ('DescribeVpcEndpointServices', 'ec2:DescribeVpcEndpointServices'),
        ('GetServiceQuota', 'servicequotas:GetServiceQuota'),
        ('GetParameter', 'ssm:GetParameter'),
        ('DescribeStacks', 'cloudformation:DescribeStacks'),
        ('DescribeLogGroups', 'logs:DescribeLogGroups'),
        ('GetEbsDefaultKmsKeyId', 'ec2:GetEbsDefaultKmsKeyId'),
    ],
)
def test_a_right_that_is_missing(
    cloud: Cloud, folder: Path, fault: Callable[..., dict[str, Any]], action: str, right: str
) -> None:
    fault('deny', action=action, seconds=300)
    code, told = preflight(cloud, folder)
    lines = found(told, 'unchecked')
    assert (code, told['verdict'], found(told, 'failed')) == (3, 'incomplete', [])
    assert any(f'could not be checked: the right to {right} is missing | {right}' in line for line in lines), lines


def test_throttled_calls_are_made_again(cloud: Cloud, folder: Path, fault: Callable[..., dict[str, Any]]) -> None:
    fault('throttle', rules='Describe*=3 GetServiceQuota=2', seconds=300)
    code, told = preflight(cloud, folder)
    assert (code, found(told, 'failed', 'unchecked')) == (0, [])


def test_a_call_without_an_answer_holds_nothing_up(
    cloud: Cloud, folder: Path, fault: Callable[..., dict[str, Any]]
) -> None:
    fault('late', action='DescribeImages', seconds=300, late=60)
    code, told = preflight(cloud, folder)
    assert code == 3
    assert found(told, 'unchecked') == [
        'images | unchecked | could not be checked: ec2:DescribeImages got no answer in 15 s'
    ]


def test_reserved_room_counts(cloud: Cloud, folder: Path, fault: Callable[..., dict[str, Any]]) -> None:
    """An empty capacity reservation of others takes vCPUs of the quota."""
    client = cloud.client('cloudformation')
    properties = {
        'InstanceType': TYPE,
        'InstancePlatform': 'Linux/UNIX',
        'AvailabilityZone': 'us-east-1b',
        'InstanceCount': 2,
    }
    template = {'Resources': {'Room': {'Type': 'AWS::EC2::CapacityReservation', 'Properties': properties}}}
    client.create_stack(StackName='others', TemplateBody=json.dumps(template))
    client.get_waiter('stack_create_complete').wait(StackName='others', WaiterConfig={'Delay': 1})
    fault('quota', code='L-1216C47A', value=11)
    failures = found(preflight(cloud, folder)[1], 'failed')
    client.delete_stack(StackName='others')
    client.get_waiter('stack_delete_complete').wait(StackName='others', WaiterConfig={'Delay': 1})
    assert len(failures) == 1, failures
    assert '4 vCPU needed, 8 in use beside it, of 11' in failures[0]


def test_no_bootstrap(cloud: Cloud, folder: Path) -> None:
    client = cloud.client('ssm')
    client.put_parameter(Name=BOOTSTRAP, Value='5', Type='String', Overwrite=True)
    old = found(preflight(cloud, folder)[1], 'failed')
    client.delete_parameter(Name=BOOTSTRAP)
    none = found(preflight(cloud, folder)[1], 'failed')
    client.put_parameter(Name=BOOTSTRAP, Value='21', Type='String')
    assert [line.split(' | ')[2] for line in (*old, *none)] == [
        'the bootstrap is of version 5; version 6 or newer is needed',
        '000000000000/us-east-1 is not bootstrapped for the CDK',
    ]


def test_keys(cloud: Cloud, tmp_path: Path) -> None:
    """A key of the user's whose policy names the account only: Auto Scaling needs a statement or a grant."""
    kms = cloud.client('kms')
    key = kms.create_key()['KeyMetadata']['Arn']
    folder = assembly(tmp_path, resources(f'/preflight/{unique("logs")}', key))
    code, told = preflight(cloud, folder)
    (failure,) = found(told, 'failed')
    assert (code, 'does not let Auto Scaling launch hosts' in failure) == (1, True)
    words = failure.split('aws kms create-grant ')[1].split()
    role = words[words.index('--grantee-principal') + 1]
    kms.create_grant(KeyId=key, GranteePrincipal=role, Operations=words[words.index('--operations') + 1 :])
    assert preflight(cloud, folder)[0] == 0
    kms.disable_key(KeyId=key)
    assert (
        f'aws kms enable-key --region us-east-1 --key-id {key.split("/")[1]}'
        in found(preflight(cloud, folder)[1], 'failed')[0]
    )


def test_networks(cloud: Cloud, tmp_path: Path, fault: Callable[..., dict[str, Any]]) -> None:
    """A VPC that overlaps others, first before it is there, then with a transit gateway and a peering between them."""
    fault('quota', code='L-F678F1CE', value=20)
    client = cloud.client('ec2')
    other = client.create_vpc(CidrBlock='10.64.128.0/17')['Vpc']['VpcId']
    folder = assembly(tmp_path, resources(f'/preflight/{unique("logs")}'))
    code, told = preflight(cloud, folder)
    assert code == 0
    assert f'10.64.0.0/16 of mine-storage/Vpc overlaps {other} (10.64.128.0/17)' in found(told, 'warning')[0]

    own = client.create_vpc(CidrBlock='10.64.0.0/16')['Vpc']['VpcId']
    client.create_tags(Resources=[own], Tags=[{'Key': 'cdk-sas-grid:deployment', 'Value': 'mine'}])
    gateway = client.create_transit_gateway()['TransitGateway']['TransitGatewayId']
    subnets = {
        vpc: client.create_subnet(VpcId=vpc, CidrBlock=cidr)['Subnet']['SubnetId']
        for vpc, cidr in ((own, '10.64.9.0/24'), (other, '10.64.129.0/24'))
    }
    for vpc, subnet in subnets.items():
        client.create_transit_gateway_vpc_attachment(TransitGatewayId=gateway, VpcId=vpc, SubnetIds=[subnet])
    peering = client.create_vpc_peering_connection(VpcId=own, PeerVpcId=other)['VpcPeeringConnection']
    failures = found(preflight(cloud, folder)[1], 'failed')
    for by in (gateway, peering['VpcPeeringConnectionId']):
        assert any(f'overlaps 10.64.128.0/17 of {other}, which {by} connects it with' in one for one in failures), (
            failures
        )

    subnet = {'VpcId': other, 'CidrBlock': '10.64.129.128/25', 'AvailabilityZone': 'us-east-1a'}
    assembly(tmp_path, resources(f'/preflight/{unique("logs")}', subnet=subnet))
    assert any(
        f'overlaps 10.64.129.0/24 of {subnets[other]} in {other}' in one
        for one in found(preflight(cloud, folder)[1], 'failed')
    )
    client.delete_tags(Resources=[own], Tags=[{'Key': 'cdk-sas-grid:deployment'}])


def test_names_and_stacks(cloud: Cloud, tmp_path: Path, fault: Callable[..., dict[str, Any]]) -> None:
    """A log group of an earlier deployment, and a stack whose rollback failed."""
    name = f'/preflight/{unique("logs")}'
    folder = assembly(tmp_path, resources(name))
    logs, stacks = cloud.client('logs'), cloud.client('cloudformation')
    logs.create_log_group(logGroupName=name)
    failures = found(preflight(cloud, folder)[1], 'failed')
    assert len(failures) == 1, failures
    (failure,) = failures
    assert f'{name} (mine-storage/Logs) exists already | give the deployment another name' in failure
    assert f'aws logs describe-log-groups --log-group-name-prefix {name}' in failure
    logs.delete_log_group(logGroupName=name)

    template = {'Resources': {'Logs': {'Type': 'AWS::Logs::LogGroup', 'Properties': {'LogGroupName': name}}}}
    stacks.create_stack(StackName='mine-storage', TemplateBody=json.dumps(template))
    stacks.get_waiter('stack_create_complete').wait(StackName='mine-storage', WaiterConfig={'Delay': 1})
    # What its own stack has is not taken.
    assert preflight(cloud, folder)[0] == 0
    fault('stack-state', stack='mine-storage', status='UPDATE_ROLLBACK_FAILED')
    (failure,) = found(preflight(cloud, folder)[1], 'failed')
    assert 'mine-storage is in UPDATE_ROLLBACK_FAILED, which takes no deployment' in failure
    fault('stack-state', stack='mine-storage', status='UPDATE_FAILED')
    assert preflight(cloud, folder)[0] == 0


def test_another_account(cloud: Cloud, tmp_path: Path) -> None:
    folder = assembly(tmp_path, resources('/preflight/none'), 'aws://123456789012/us-east-1')
    code, told = preflight(cloud, folder)
    assert (code, told['verdict']) == (1, 'failed')
    assert (
        'the stacks are for account 123456789012, and the credentials are of 000000000000' in found(told, 'failed')[0]
    )


def test_no_credentials(cloud: Cloud, folder: Path) -> None:
    code, told = preflight(cloud, folder, AWS_ACCESS_KEY_ID='', AWS_SECRET_ACCESS_KEY='')
    assert (code, found(told, 'failed')) == (
        1,
        [
            'credentials | failed | there are no credentials | '
            'aws sso login, or aws configure; then look with aws sts get-caller-identity'
        ],
    )


def test_nobody_answers(cloud: Cloud, folder: Path) -> None:
    code, told = preflight(cloud, folder, AWS_ENDPOINT_URL='http://127.0.0.1:9')
    assert code == 1
    assert 'sts:GetCallerIdentity reached nobody' in found(told, 'failed')[0]


@pytest.mark.parametrize(
    ('request_', 'text'),
    [
        ({'kind': 'quota', 'code': 'L-00000000', 'value': 1}, 'quota does not exist'),
        ({'kind': 'image', 'image': 'ami-1', 'colour': 'red'}, 'colour is to change'),
        ({'kind': 'stack-state', 'stack': 'none', 'status': 'CREATE_FAILED'}, 'there is no stack none'),
    ],
)
def test_faults_that_are_none(cloud: Cloud, request_: dict[str, Any], text: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as raised:
        cloud.fault(**request_)
    assert text in json.load(raised.value)['error']
