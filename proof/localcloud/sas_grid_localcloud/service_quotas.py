"""Service Quotas: what an account may have. Quotas are told and raised; nothing here holds anybody to them.

They begin as those of a new account (``ec2/limits.json``). An increase is granted at once; on AWS it
takes minutes to days. Values: Service Quotas API reference.
"""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region

from .ec2 import limits
from .json_service import JsonService, page, without_none
from .query import Refused

Record = dict[str, Any]

_applied: Any = AccountRegionScopedDict()
"""quota code to the value that the account has"""


def set_value(code: str, value: float) -> None:
    """The account has this value from now on. Raises Refused for a quota that is not known."""
    _known(code)
    _applied[code] = value


def forget() -> None:
    """Every quota is again that of a new account."""
    _applied.clear()


def _known(code: str, service: str | None = None) -> Record:
    found = limits.quotas().get(code)
    if found is None or service not in (None, found['service']):
        raise Refused('NoSuchResourceException', 'The request failed because the specified quota does not exist.')
    return found


def _shown(code: str, value: float) -> Record:
    quota = _known(code)
    service = quota['service']
    return {
        'ServiceCode': service,
        'ServiceName': service,
        'QuotaArn': f'arn:aws:servicequotas:{get_region()}:{get_account_id()}:{service}/{code}',
        'QuotaCode': code,
        'QuotaName': quota['name'],
        'Value': value,
        'Unit': 'None',
        'Adjustable': True,
        'GlobalQuota': False,
    }


def get(request: Mapping[str, Any]) -> Record:
    """GetServiceQuota: the value of the account, which not every quota has until it was changed."""
    code = str(request['QuotaCode'])
    initial = _known(code, request['ServiceCode'])['initially']
    return {'Quota': _shown(code, _applied.get(code, initial))}


def get_default(request: Mapping[str, Any]) -> Record:
    """GetAWSDefaultServiceQuota."""
    code = str(request['QuotaCode'])
    return {'Quota': _shown(code, _known(code, request['ServiceCode'])['initially'])}


def list_all(request: Mapping[str, Any]) -> Record:
    """ListServiceQuotas."""
    service = request['ServiceCode']
    codes = [code for code, quota in limits.quotas().items() if quota['service'] == service]
    if not codes:
        raise Refused('NoSuchResourceException', f'The service {service} does not exist.')
    found, more = page(codes, request, 'MaxResults', 'NextToken')
    quotas = [_shown(code, _applied.get(code, _known(code)['initially'])) for code in found]
    return without_none({'Quotas': quotas, 'NextToken': more})


def raise_value(request: Mapping[str, Any]) -> Record:
    """RequestServiceQuotaIncrease."""
    code, wanted = str(request['QuotaCode']), float(request['DesiredValue'])
    quota = _known(code, request['ServiceCode'])
    if wanted <= _applied.get(code, quota['initially']):
        raise Refused('IllegalArgumentException', 'You must provide a quota value greater than the current value.')
    _applied[code] = wanted
    now = time.time()
    change = {
        'Id': uuid.uuid4().hex,
        'ServiceCode': quota['service'],
        'QuotaCode': code,
        'QuotaName': quota['name'],
        'DesiredValue': wanted,
        'Status': 'APPROVED',
        'Created': now,
        'LastUpdated': now,
    }
    return {'RequestedQuota': change}


def install() -> None:
    """Answer Service Quotas, which ministack lacks."""
    actions = {
        'GetServiceQuota': get,
        'GetAWSDefaultServiceQuota': get_default,
        'ListServiceQuotas': list_all,
        'RequestServiceQuotaIncrease': raise_value,
    }
    JsonService('servicequotas', 'ServiceQuotasV20190624', actions, 'IllegalArgumentException').install()
