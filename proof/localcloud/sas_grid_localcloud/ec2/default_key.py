"""The key that encrypts volumes which name none: AWS's own, or one of the account's."""

from collections.abc import Mapping
from typing import Any

from ministack.core.responses import AccountRegionScopedDict
from ministack.services import kms

from ..query import Refused

_AWS_OWN = 'alias/aws/ebs'
_chosen: Any = AccountRegionScopedDict()


def get(_: Mapping[str, Any]) -> dict[str, Any]:
    """GetEbsDefaultKmsKeyId."""
    return {'kmsKeyId': _chosen.get('key', _AWS_OWN)}


def modify(request: Mapping[str, Any]) -> dict[str, Any]:
    """ModifyEbsDefaultKmsKeyId."""
    record = kms._resolve_key(str(request.get('KmsKeyId')))
    if record is None:
        raise Refused('InvalidKmsKey.InvalidState', f"The key '{request.get('KmsKeyId')}' is not in a valid state")
    _chosen['key'] = record['Arn']
    return {'kmsKeyId': record['Arn']}


def reset(_: Mapping[str, Any]) -> dict[str, Any]:
    """ResetEbsDefaultKmsKeyId."""
    _chosen.pop('key', None)
    return {'kmsKeyId': _AWS_OWN}
