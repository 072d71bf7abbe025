"""What Image Builder does in somebody's name: the role of the instance that builds, and the execution role."""

import time

from ministack.services import iam

from .. import permissions
from ..permissions import callers
from ..permissions.check import Check
from ..permissions.s3 import s3_checks
from .failures import Failed
from .state import Record

_LOOK_SECONDS = 0.1

# The AWS Managed Policy Reference, EC2InstanceProfileForImageBuilder; ministack lacks it.
PROFILE_POLICY = 'arn:aws:iam::aws:policy/EC2InstanceProfileForImageBuilder'
_PROFILE_STATEMENTS = [
    {
        'Effect': 'Allow',
        'Action': ['imagebuilder:GetComponent', 'imagebuilder:GetMarketplaceResource'],
        'Resource': '*',
    },
    {
        'Effect': 'Allow',
        'Action': ['kms:Decrypt'],
        'Resource': '*',
        'Condition': {
            'ForAnyValue:StringEquals': {
                'kms:EncryptionContextKeys': 'aws:imagebuilder:arn',
                'aws:CalledVia': ['imagebuilder.amazonaws.com'],
            }
        },
    },
    {'Effect': 'Allow', 'Action': ['s3:GetObject'], 'Resource': 'arn:aws:s3:::ec2imagebuilder*'},
    {
        'Effect': 'Allow',
        'Action': ['logs:CreateLogStream', 'logs:CreateLogGroup', 'logs:PutLogEvents'],
        'Resource': 'arn:aws:logs:*:*:log-group:/aws/imagebuilder/*',
    },
]


def install() -> None:
    """Let roles have AWS's policy for instances that build."""
    known = next(iter(iam._aws_managed_policies.values()))
    document = {'Version': '2012-10-17', 'Statement': _PROFILE_STATEMENTS}
    version = {**next(iter(known['Versions'].values())), 'Document': document}
    name = PROFILE_POLICY.rsplit('/', 1)[-1]
    made = {**known, 'PolicyName': name, 'Arn': PROFILE_POLICY, 'DefaultVersionId': 'v1', 'Versions': {'v1': version}}
    iam._aws_managed_policies.setdefault(PROFILE_POLICY, made)


def of_instance(instance_id: str) -> str:
    """The role of the instance, which is nobody's without an instance profile."""
    return callers.role_of(instance_id) or instance_id


def require(role: str, checks: list[Check]) -> None:
    """The role may; what a stack has just given it counts by the time that an instance takes to start on AWS.

    :raises Denied: when it may not
    """
    while True:
        try:
            permissions.require(role, checks)
            return
        except permissions.Denied as denied:
            if denied.when != 'early':
                raise
        time.sleep(_LOOK_SECONDS)


def require_object(role: str, method: str, bucket: str, key: str) -> None:
    """The role may read (GET) or write (PUT) an object; the keys of a bucket without one.

    :raises Denied: when it may not
    """
    query = {} if key else {'list-type': ['2']}
    require(role, s3_checks(method, f'/{bucket}/{key}' if key else f'/{bucket}', {}, b'', query))


def execution_role(image: Record, what: str) -> str:
    """The ARN of the role that Image Builder assumes.

    :raises Failed: when there is none, or it does not trust Image Builder
    """
    named = str(image.get('executionRole') or '')
    role = iam._roles.get(named.rsplit('/', 1)[-1])
    if not named or role is None:
        raise Failed(f'An execution role is required to {what}')
    if 'imagebuilder.amazonaws.com' not in str(role.get('AssumeRolePolicyDocument')):
        raise Failed(f'Image Builder may not assume the execution role {role["Arn"]}')
    return str(role['Arn'])
