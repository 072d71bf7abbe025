"""AWS's own models of its services, as botocore ships them: which operation a request asks for, and its shapes.

Each is read when its service is asked for the first time (EC2's takes half a second, the others a few hundredths).
"""

import re
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

from botocore.exceptions import UnknownServiceError
from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel

_BOTOCORE_NAMES = {
    'airflow': 'mwaa',
    'elasticfilesystem': 'efs',
    'elasticmapreduce': 'emr',
    'monitoring': 'cloudwatch',
    'servicequotas': 'service-quotas',
    'states': 'stepfunctions',
    'tagging': 'resourcegroupstaggingapi',
}
"""of services that ministack calls by the name in their address"""

_loader = Loader()
_lock = threading.Lock()
_read: dict[str, ServiceModel | None] = {}


def name_of(service: str, path: str, parameters: Mapping[str, Any]) -> str:
    """botocore's name for what a request of this service is about: some have two models behind one address."""
    if service == 'elasticloadbalancing':
        return 'elb' if _text(parameters.get('Version')) == '2012-06-01' else 'elbv2'
    if service == 'apigateway' and path.startswith('/v2/'):
        return 'apigatewayv2'
    if service == 'ses' and path.startswith('/v2/'):
        return 'sesv2'
    return _BOTOCORE_NAMES.get(service, service)


def is_read(name: str) -> bool:
    """Whether the model is there already: reading one takes a while."""
    return name in _read


def model_of(name: str) -> ServiceModel | None:
    """The newest model of a service, or None of what is no service of AWS (instance metadata, for one)."""
    with _lock:
        if name not in _read:
            try:
                _read[name] = ServiceModel(_loader.load_service_model(name, 'service-2'), name)
            except UnknownServiceError:
                _read[name] = None
        return _read[name]


def operation_named(model: ServiceModel, action: str) -> OperationModel | None:
    """An operation by its name."""
    return model.operation_model(action) if action in model.operation_names else None


def candidates(model: ServiceModel, method: str, path: str, query: Mapping[str, Any]) -> list['Route']:
    """The operations of a REST service that a method and path can mean, the most literal of them."""
    found = [one for one in _routes(model) if one.method == method and one.pattern.fullmatch(path)]
    found = [one for one in found if all(_fits(query, name, value) for name, value in one.constants.items())]
    most = max(((one.literal, len(one.constants)) for one in found), default=(0, 0))
    return [one for one in found if (one.literal, len(one.constants)) == most]


class Route:
    """How an operation of a REST service is addressed."""

    def __init__(self, operation: OperationModel) -> None:
        self.operation = operation
        self.method = str(operation.http['method'])
        path, _, query = str(operation.http['requestUri']).partition('?')
        self.constants = {name: value for name, _, value in (pair.partition('=') for pair in query.split('&') if pair)}
        self.names = re.findall(r'\{(\w+)\+?\}', path)
        self.literal = len(re.sub(r'\{[^}]*\}', '', path))
        parts = re.split(r'(\{[^}]*\})', path.rstrip('/') or '/')
        self.pattern = re.compile(''.join(_part(one) for one in parts) + ('' if path == '/' else '/?'))


@cache
def _routes(model: ServiceModel) -> list[Route]:
    return [Route(model.operation_model(name)) for name in model.operation_names]


def _part(text: str) -> str:
    if not text.startswith('{'):
        return re.escape(text)
    return '(.+)' if text.endswith('+}') else '([^/]+)'


def _fits(query: Mapping[str, Any], name: str, value: str) -> bool:
    return name in query and (not value or _text(query[name]) == value)


def _text(value: Any) -> str:
    return str((value[0] if value else '') if isinstance(value, list) else value or '')
