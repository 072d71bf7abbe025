"""Whether a service may assume a role."""

import json
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import iam


def role_exists(role_arn: str) -> bool:
    """Whether the account has the role."""
    return _record(role_arn) is not None


def trusts(role_arn: str, service: str, source: str) -> bool:
    """Whether the role's trust policy lets the service assume it on behalf of a resource of this account.

    :param source: the ARN of the resource, which conditions may name
    """
    role = _record(role_arn)
    if role is None:
        return False
    context = iam_evaluator.EvalContext(
        principal_arn=role_arn,
        principal_type='AssumedRole',
        principal_account=get_account_id(),
        action='sts:AssumeRole',
        resource_arn=role_arn,
        region=get_region(),
    )
    context.service_context = {'aws:sourceaccount': get_account_id(), 'aws:sourcearn': source}
    document = role.get('AssumeRolePolicyDocument')
    statements = iam_evaluator.parse_policy_document(document)
    raw = document if isinstance(document, dict) else json.loads(str(document))
    listed = raw['Statement'] if isinstance(raw['Statement'], list) else [raw['Statement']]
    for statement, parsed in zip(listed, statements, strict=True):
        named = iam_evaluator._service_principal_matches(statement.get('Principal'), service)
        if named and parsed.effect == 'Allow' and iam_evaluator._conditions_met(parsed.conditions, context):
            return True
    return False


def _record(role_arn: str) -> dict[str, Any] | None:
    role = iam._roles.get_scoped(get_account_id(), None, role_arn.rsplit('/', 1)[-1])
    return role if role is not None and role.get('Arn') == role_arn else None
