"""What one API call has to be allowed: an action on a resource, with the condition keys that go with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ministack.core.responses import get_region
from ministack.services import kms


@dataclass(frozen=True)
class Check:
    """One of them. A call is allowed when all of its checks are."""

    action: str
    """as policies write it: ``ec2:AttachVolume``"""
    resource: str = '*'
    """an ARN; actions that know no resources are allowed on everything or not at all"""
    keys: Mapping[str, Any] = field(default_factory=dict)
    """the service's own condition keys and those of tags, with their values"""


def tag_keys(tags: list[dict[str, str]], *prefixes: str) -> dict[str, str]:
    """The condition keys that tell the tags of a resource: ``aws:ResourceTag/<key>``, and as the service calls them."""
    return {f'{prefix}/{tag["Key"]}': tag['Value'] for prefix in ('aws:ResourceTag', *prefixes) for tag in tags}


def key_use(action: str, key: str | None, service: str, **more: str) -> list[Check]:
    """A service uses a customer's key in the name of the caller, who must be allowed to use it through that service.

    The key is an id, an alias or an ARN of either; policies name keys by the ARN. AWS's own keys (``alias/aws/...``)
    may be used by everybody in the account, through the service.
    """
    if not key or 'alias/aws/' in key:
        return []
    known = kms._resolve_key(key)
    arn = known['Arn'] if known else key
    return [Check(f'kms:{action}', arn, {'kms:ViaService': f'{service}.{get_region()}.amazonaws.com', **more})]
