"""The role that a runbook assumes: that it may be assumed."""

from ..permissions import trust
from ..scope import arn

SERVICE = 'ssm.amazonaws.com'


class Denied(Exception):
    """The role may not be assumed."""


def require_role(role_arn: str, execution_id: str) -> None:
    """Refuse a role that is not there, or that does not trust Systems Manager for this execution."""
    if not trust.role_exists(role_arn):
        raise Denied(f'The automation assume role {role_arn} does not exist')
    if not trust.trusts(role_arn, SERVICE, arn('ssm', f'automation-execution/{execution_id}')):
        raise Denied(f'The automation assume role {role_arn} does not trust {SERVICE} for this execution')
