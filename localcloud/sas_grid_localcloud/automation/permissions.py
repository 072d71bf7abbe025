"""The role that a runbook assumes: that it may be assumed, and what it allows.

Unlike everywhere else in the embedded AWS, policies are enforced here, with their conditions.
"""

import json
from collections.abc import Iterator
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import ec2, iam

from ..ec2.state import tags_of
from ..scope import arn
from ..state_manager import runs

SERVICE = 'ssm.amazonaws.com'


class Denied(Exception):
    """The role may not."""


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


def require(role_arn: str, service: str, api: str, request: dict[str, Any]) -> None:
    """Refuse a call that the role's policies do not allow."""
    policies = iam_evaluator._gather_role_policies(role_arn.rsplit('/', 1)[-1], get_account_id())
    action = f'{service}:{api}'
    for resource, more in _resources(service, api, request):
        context = _context(role_arn, action, resource)
        context.service_context = {key.lower(): value for key, value in more.items()}
        if iam_evaluator.evaluate(context, policies).decision != 'Allow':
            raise Denied(f'{role_arn} is not authorized to perform {action} on {resource}')


def _context(role_arn: str, action: str, resource: str) -> Any:
    return iam_evaluator.EvalContext(
        principal_arn=role_arn,
        principal_type='AssumedRole',
        principal_account=get_account_id(),
        action=action,
        resource_arn=resource,
        region=get_region(),
    )


def _resources(service: str, api: str, request: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a call is about, and the condition keys that go with it."""
    if service == 'dynamodb' and 'TableName' in request:
        yield arn('dynamodb', f'table/{request["TableName"]}'), {'dynamodb:LeadingKeys': _leading_keys(request)}
    elif service == 'sns' and 'TopicArn' in request:
        yield str(request['TopicArn']), {}
    elif service == 'cloudwatch' and api == 'PutMetricData':
        yield '*', {'cloudwatch:namespace': request.get('Namespace')}
    elif service == 'ec2' and not api.startswith('Describe'):
        for instance in request.get('InstanceIds') or []:
            yield arn('ec2', f'instance/{instance}'), {f'aws:ResourceTag/{k}': v for k, v in _tags(instance).items()}
    elif (service, api) == ('ssm', 'SendCommand'):
        yield arn('ssm', f'document/{request["DocumentName"]}'), {}
        targets = request.get('Targets') or []
        for instance in [*(request.get('InstanceIds') or []), *(runs.targeted(targets) if targets else [])]:
            yield arn('ec2', f'instance/{instance}'), {f'ssm:resourceTag/{k}': v for k, v in _tags(instance).items()}
    else:
        yield '*', {}


def _tags(instance: str) -> dict[str, str]:
    return {tag['Key']: tag['Value'] for tag in tags_of(instance)} if instance in ec2._instances else {}


def _leading_keys(request: dict[str, Any]) -> list[str]:
    if 'Key' in request:
        return [str(next(iter(value.values()))) for name, value in request['Key'].items() if name != 'item'][:1]
    equal, _, rest = str(request.get('KeyConditionExpression', '')).partition('=')
    value = (request.get('ExpressionAttributeValues') or {}).get(rest.split()[0]) if equal and rest else None
    return [str(next(iter(value.values())))] if value else []
