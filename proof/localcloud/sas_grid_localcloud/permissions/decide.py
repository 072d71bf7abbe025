"""Whether the policies of a role allow what a call needs: evaluated by ministack, which does not do it by itself."""

import json
from functools import lru_cache
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import iam

from . import in_force
from .check import Check


class Denied(Exception):
    """A role may not, in AWS's words."""

    def __init__(self, role_arn: str, check: Check) -> None:
        super().__init__(
            f'User: {session_arn(role_arn)} is not authorized to perform: {check.action} on resource: {check.resource}'
        )
        self.action, self.resource = check.action, check.resource
        self.when = ''
        """``early``: the policy that allows it does not count yet; ``late``: it did, until the role's stack
        began to go"""


def session_arn(role_arn: str) -> str:
    """Who somebody is that has assumed a role."""
    return f'arn:aws:sts::{get_account_id()}:assumed-role/{_name(role_arn)}/session'


def require(role_arn: str, checks: list[Check]) -> None:
    """Raise Denied with the first of the checks that the role's policies, or the resource's own, do not allow."""
    role = _name(role_arn)
    policies = _policies(role)
    for check in checks:
        if not _allows(role_arn, policies, check):
            denied = Denied(role_arn, check)
            if _allows(role_arn, _policies(role, soon=True), check):
                denied.when = 'early'
            elif _allows(role_arn, [*policies, *map(_parsed, in_force.ended(role))], check):
                denied.when = 'late'
            raise denied


def _allows(role_arn: str, policies: list[Any], check: Check) -> bool:
    context = iam_evaluator.EvalContext(
        principal_arn=session_arn(role_arn),
        principal_type='AssumedRole',
        principal_account=get_account_id(),
        action=check.action,
        resource_arn=check.resource,
        region=get_region(),
        # On this machine requests are not encrypted; on AWS they are.
        secure_transport=True,
        service_context={key.lower(): value for key, value in check.keys.items()},
        principal_keys={'kms:calleraccount': get_account_id()},
    )
    limits = iam_evaluator._permissions_boundary(iam._roles, _name(role_arn), get_account_id())
    decided = iam_evaluator.evaluate(context, policies, *limits)
    service = check.action.split(':')[0]
    own = iam_evaluator._resource_policy(service, check.resource)
    if own is not None:
        required = service in iam_evaluator._POLICY_REQUIRED
        decided = iam_evaluator.combine_resource_policy(decided, context, *own, required=required, limits=limits)
    return bool(decided.decision == 'Allow')


def _policies(role: str, soon: bool = False) -> list[Any]:
    """The statements of each policy of a role. One of AWS's own that ministack does not know allows nothing.

    ``soon``: also of what does not count yet.
    """
    account = get_account_id()
    record = iam._roles.get_scoped(account, None, role) or {}
    inline = record.get('InlinePolicies') or {}
    documents = list(inline.values()) if soon else in_force.counting(role, inline)
    documents += [
        iam_evaluator._resolve_managed_policy_document(arn, account) for arn in record.get('AttachedPolicies', [])
    ]
    texts = [each if isinstance(each, str) else json.dumps(each) for each in documents if each]
    return [_parsed(text) for text in texts]


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Any:
    return iam_evaluator.parse_policy_document(text)


def _name(role_arn: str) -> str:
    return role_arn.rsplit('/', 1)[-1]
