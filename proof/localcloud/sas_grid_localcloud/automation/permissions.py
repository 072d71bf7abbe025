"""The role that a runbook assumes: that it may be assumed."""

import json
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import iam

from ..scope import arn

SERVICE = 'ssm.amazonaws.com'


class Denied(Exception):
    """The role may not be assumed."""


def require_role(role_arn: str, execution_id: str) -> None:
    """Refuse a role that is not there, or that does not trust Systems Manager for this execution."""
    role = iam._roles.get_scoped(get_account_id(), None, role_arn.rsplit('/', 1)[-1])
    if role is None or role.get('Arn') != role_arn:
        raise Denied(f'The automation assume role {role_arn} does not exist')
    context = _context(role_arn, 'sts:AssumeRole', role_arn)
    context.service_context = {
        'aws:sourceaccount': get_account_id(),
        'aws:sourcearn': arn('ssm', f'automation-execution/{execution_id}'),
    }
    document = role.get('AssumeRolePolicyDocument')
    statements = iam_evaluator.parse_policy_document(document)
    raw = document if isinstance(document, dict) else json.loads(document)
    listed = raw['Statement'] if isinstance(raw['Statement'], list) else [raw['Statement']]
    for statement, parsed in zip(listed, statements, strict=True):
        trusts = iam_evaluator._service_principal_matches(statement.get('Principal'), SERVICE)
        if trusts and parsed.effect == 'Allow' and iam_evaluator._conditions_met(parsed.conditions, context):
            return
    raise Denied(f'The automation assume role {role_arn} does not trust {SERVICE} for this execution')


def _context(role_arn: str, action: str, resource: str) -> Any:
    return iam_evaluator.EvalContext(
        principal_arn=role_arn,
        principal_type='AssumedRole',
        principal_account=get_account_id(),
        action=action,
        resource_arn=resource,
        region=get_region(),
    )
