"""Addresses reserved by the real function, in the place of what CloudFormation's own type has made."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import PACKAGE_ROOT, Cloud, unique
from stacks import Resources, Stack

BUNDLE = PACKAGE_ROOT.parents[1] / 'build/lambda/address-reservation/index.js'
RANGE, DESCRIPTION = '10.47.0.64/26', 'Fixed addresses of storage servers'

pytestmark = pytest.mark.skipif(not BUNDLE.exists(), reason='the functions are not bundled (npm run bundle)')

NETWORK: Resources = {
    'Vpc': {'Type': 'AWS::EC2::VPC', 'Properties': {'CidrBlock': '10.47.0.0/24'}},
    'Subnet': {
        'Type': 'AWS::EC2::Subnet',
        'Properties': {'VpcId': {'Ref': 'Vpc'}, 'CidrBlock': '10.47.0.0/24', 'AvailabilityZone': 'us-east-1a'},
    },
}
NATIVE: Resources = {
    'Type': 'AWS::EC2::SubnetCidrReservation',
    'Properties': {
        'SubnetId': {'Ref': 'Subnet'},
        'Cidr': RANGE,
        'ReservationType': 'explicit',
        'Description': DESCRIPTION,
    },
}
INTERFACE: Resources = {
    'Type': 'AWS::EC2::NetworkInterface',
    'Properties': {'SubnetId': {'Ref': 'Subnet'}, 'PrivateIpAddress': '10.47.0.64'},
}


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


@pytest.fixture
def function(cloud: Cloud) -> Resources:
    """The function with its role, as the construct makes them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, 'w') as archive:
        archive.write(BUNDLE, 'index.js')
    s3, bucket = cloud.client('s3'), unique('code')
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key='code.zip', Body=packed.getvalue())
    return {**role(), 'Function': function_of({'S3Bucket': bucket, 'S3Key': 'code.zip'})}


def role() -> Resources:
    calls = ('Create', 'Delete')
    statements = [
        {
            'Effect': 'Allow',
            'Action': [*(f'ec2:{call}SubnetCidrReservation' for call in calls), 'ec2:GetSubnetCidrReservations'],
            'Resource': '*',
            'Condition': {'StringEquals': {'ec2:Region': {'Ref': 'AWS::Region'}}},
        },
        {
            'Effect': 'Allow',
            'Action': 'ec2:CreateTags',
            'Resource': 'arn:aws:ec2:*:*:subnet-cidr-reservation/*',
            'Condition': {'StringEquals': {'ec2:CreateAction': 'CreateSubnetCidrReservation'}},
        },
    ]
    trusted = {'Effect': 'Allow', 'Principal': {'Service': 'lambda.amazonaws.com'}, 'Action': 'sts:AssumeRole'}
    version = '2012-10-17'
    policy = {'PolicyName': 'p', 'PolicyDocument': {'Version': version, 'Statement': statements}}
    document = {'Version': version, 'Statement': [trusted]}
    properties = {'AssumeRolePolicyDocument': document, 'Policies': [policy]}
    return {'Role': {'Type': 'AWS::IAM::Role', 'Properties': properties}}


def function_of(code: dict[str, str]) -> dict[str, Any]:
    properties = {
        'Code': code,
        'Handler': 'index.handler',
        'Role': {'Fn::GetAtt': ['Role', 'Arn']},
        'Runtime': 'nodejs24.x',
        'Timeout': 60,
    }
    return {'Type': 'AWS::Lambda::Function', 'Properties': properties}


def reserved(cidr: str = RANGE) -> Resources:
    properties = {
        'ServiceToken': {'Fn::GetAtt': ['Function', 'Arn']},
        'SubnetId': {'Ref': 'Subnet'},
        'Cidr': cidr,
        'Description': DESCRIPTION,
    }
    return {'Type': 'Custom::SasGridAddressReservation', 'Properties': properties}


def found(cloud: Cloud, stack: Stack) -> dict[str, str]:
    """Ranges by reservation."""
    answer = cloud.client('ec2').get_subnet_cidr_reservations(SubnetId=stack.ids()['Subnet'])
    return {one['SubnetCidrReservationId']: one['Cidr'] for one in answer['SubnetIpv4CidrReservations']}


def test_a_deployed_reservation_is_followed_by_one_of_the_function(
    cloud: Cloud, stack: Stack, function: Resources
) -> None:
    assert stack.create({**NETWORK, 'Old': NATIVE, 'Nic': INTERFACE}) == 'CREATE_COMPLETE'
    before = stack.ids()
    assert stack.update({**NETWORK, **function, 'New': reserved(), 'Nic': INTERFACE}) == 'UPDATE_COMPLETE', (
        stack.reasons()
    )
    after = stack.ids()
    assert 'Old' not in after
    assert after['Nic'] == before['Nic']
    assert found(cloud, stack) == {after['New']: RANGE}
    assert after['New'] != before['Old']


def test_another_range_follows_and_the_old_one_goes(cloud: Cloud, stack: Stack, function: Resources) -> None:
    assert stack.create({**NETWORK, **function, 'New': reserved()}) == 'CREATE_COMPLETE', stack.reasons()
    assert stack.update({**NETWORK, **function, 'New': reserved('10.47.0.0/25')}) == 'UPDATE_COMPLETE', stack.reasons()
    assert found(cloud, stack) == {stack.ids()['New']: '10.47.0.0/25'}
    # An address that nobody names comes from outside.
    taken = cloud.client('ec2').create_network_interface(SubnetId=stack.ids()['Subnet'])['NetworkInterface']
    assert taken['PrivateIpAddress'] == '10.47.0.128'
    cloud.client('ec2').delete_network_interface(NetworkInterfaceId=taken['NetworkInterfaceId'])
    assert stack.update({**NETWORK, **function}) == 'UPDATE_COMPLETE'
    assert found(cloud, stack) == {}
