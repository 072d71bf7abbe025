"""Policies of topics and keys."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import iam

from ..query import Refused

_PRINCIPAL = re.compile(r'arn:aws[a-z-]*:iam::(\d{12}):(role|user)/(?:.*/)?([^/]+)')


def topic(members: Mapping[str, Any]) -> None:
    """CreateTopic and SetTopicAttributes: a policy that SNS cannot read, or that is about something else."""
    attributes = members.get('Attributes') or {}
    policy = attributes.get('Policy')
    if members.get('AttributeName') == 'Policy':
        policy = members.get('AttributeValue')
    if policy:
        _topic_policy(policy)


def topic_policy(properties: Mapping[str, Any]) -> None:
    """AWS::SNS::TopicPolicy."""
    _topic_policy(properties.get('PolicyDocument'))


def _topic_policy(policy: Any) -> None:
    statements = _statements(policy)
    if not statements:
        raise Refused('InvalidParameter', 'Invalid parameter: Policy Error: null')
    for one in statements:
        if one.get('Effect') not in ('Allow', 'Deny') or not one.get('Principal', one.get('NotPrincipal')):
            raise Refused('InvalidParameter', 'Invalid parameter: Policy statement must have Effect and Principal')
        actions = _list(one.get('Action', one.get('NotAction')))
        if not actions or not all(action == '*' or action.lower().startswith('sns:') for action in actions):
            raise Refused('InvalidParameter', 'Invalid parameter: Policy statement action out of service scope!')
        if not _list(one.get('Resource', one.get('NotResource'))):
            raise Refused('InvalidParameter', 'Invalid parameter: Policy statement must have a Resource')


def key(members: Mapping[str, Any]) -> None:
    """CreateKey and PutKeyPolicy (AWS KMS API Reference, CreateKey: Policy)."""
    policy = members.get('Policy', members.get('KeyPolicy'))
    if not policy:
        return
    statements = _statements(policy)
    if statements is None:
        raise Refused('MalformedPolicyDocumentException', 'The new key policy is not a valid JSON document.')
    for one in statements:
        if not one.get('Principal'):
            raise Refused('MalformedPolicyDocumentException', 'Policy contains a statement without a principal.')
        for principal in _principals(one):
            if not _exists(principal):
                raise Refused(
                    'MalformedPolicyDocumentException',
                    f'Policy contains a statement with one or more invalid principals: {principal}',
                )
    bypassed = str(members.get('BypassPolicyLockoutSafetyCheck', '')).lower() == 'true'
    if not bypassed and not any(_manages(one) for one in statements):
        raise Refused(
            'MalformedPolicyDocumentException',
            'The new key policy will not allow you to update the key policy in the future.',
        )


def _manages(statement: Mapping[str, Any]) -> bool:
    """Whether the account, or somebody, may change the policy again."""
    if statement.get('Effect') != 'Allow' or not _principals(statement):
        return False
    patterns = [re.escape(one).replace(r'\*', '.*').replace(r'\?', '.') for one in _list(statement.get('Action'))]
    return any(re.fullmatch(one, 'kms:PutKeyPolicy', re.IGNORECASE) for one in patterns)


def _exists(principal: str) -> bool:
    """Of this account; nothing is known of others."""
    named = _PRINCIPAL.fullmatch(principal)
    if named is None or named[1] != get_account_id() or named[3].startswith('AWSServiceRoleFor'):
        return True
    return named[3] in (iam._roles if named[2] == 'role' else iam._users)


def _principals(statement: Mapping[str, Any]) -> list[str]:
    principal = statement.get('Principal')
    if isinstance(principal, Mapping):
        return _list(principal.get('AWS'))
    return _list(principal)


def _statements(policy: Any) -> list[Mapping[str, Any]] | None:
    try:
        document = json.loads(policy) if isinstance(policy, str) else policy
    except ValueError:
        return None
    if not isinstance(document, Mapping):
        return None
    found = document.get('Statement')
    statements = found if isinstance(found, list) else [found]
    return list(_mappings(statements)) if all(isinstance(one, Mapping) for one in statements) else None


def _mappings(found: list[Any]) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in found if isinstance(one, Mapping))


def _list(value: Any) -> list[str]:
    if value is None:
        return []
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]
