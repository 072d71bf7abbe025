"""Who calls: a function, a host or a runbook by the access key that it was given, for the role that it has."""

import hashlib
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import ec2, iam, lambda_svc, sts

_roles: dict[str, str] = {}
"""the role's ARN, by access key"""


def key_for(role_arn: str) -> str:
    """The access key of somebody who has assumed this role."""
    key = f'ASIA{hashlib.sha256(role_arn.encode()).hexdigest()[:16].upper()}'
    _roles[key] = role_arn
    return key


def role_of(access_key: str) -> str | None:
    """The role of who has this access key, or None for the root user. Hosts have their instance id for a key."""
    if access_key.startswith('i-'):
        return _role_of_instance(access_key)
    return _roles.get(access_key)


def _role_of_instance(instance_id: str) -> str:
    """Without an instance profile a host has no credentials, which is refused as a role without policies is."""
    profile = (ec2._instances.get(instance_id) or {}).get('IamInstanceProfile') or {}
    name = str(profile.get('Arn', '')).rsplit('/', 1)[-1]
    roles = (iam._instance_profiles.get(name) or {}).get('Roles') or []
    role = iam._roles.get(str(roles[0])) if roles else None
    return str(role['Arn']) if role else f'{instance_id} without an instance profile'


def _session(role_arn: str, secret: str) -> dict[str, str]:
    """Credentials of who has assumed a role. S3 holds signed addresses against them, and nothing else does."""
    key = key_for(role_arn)
    token = f'session-of-{key}'
    _, _, _, _, account, path = role_arn.split(':', 5)
    name = path.rsplit('/', 1)[-1]
    who = {'Arn': f'arn:aws:sts::{account}:assumed-role/{name}/session', 'UserId': f'{name}:session'}
    session = {**who, 'SecretAccessKey': secret, 'SessionToken': token}
    sts.register_session(key, session)
    return {'AWS_ACCESS_KEY_ID': key, 'AWS_SESSION_TOKEN': token}


def install() -> None:
    """Functions get credentials for their roles."""
    own = lambda_runtime.execution_credentials

    def credentials(config: dict[str, Any]) -> dict[str, str]:
        found = dict(own(config))
        if config.get('Role'):
            found.update(_session(str(config['Role']), found['AWS_SECRET_ACCESS_KEY']))
        return found

    lambda_runtime.execution_credentials = credentials
    lambda_svc.execution_credentials = credentials
