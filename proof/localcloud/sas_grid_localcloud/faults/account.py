"""What an account lacks before anything is deployed: quotas, instance types, images, services behind endpoints."""

from collections.abc import Mapping
from typing import Any

from ministack.services import cloudformation

from .. import service_quotas
from ..ec2 import endpoint_services, images, offerings
from ..query import Refused
from .fields import Wrong, number, text

_IMAGE_FIELDS = (
    'architecture',
    'bootMode',
    'deprecationTime',
    'enaSupport',
    'gone',
    'imageState',
    'virtualizationType',
)


def quota(request: Mapping[str, Any]) -> dict[str, Any]:
    """A quota has this value, until calm."""
    try:
        service_quotas.set_value(text(request, 'code'), number(request, 'value', most=1e9))
    except Refused as refused:
        raise Wrong(refused.message) from None
    return {}


def no_type(request: Mapping[str, Any]) -> dict[str, Any]:
    """An instance type is not offered in a zone, or nowhere, until calm."""
    offerings.withhold(text(request, 'type'), str(request.get('zone') or ''))
    return {}


def no_endpoint_service(request: Mapping[str, Any]) -> dict[str, Any]:
    """There is no such service behind endpoints, in a zone or nowhere, until calm."""
    endpoint_services.withhold(text(request, 'service'), str(request.get('zone') or ''))
    return {}


def image(request: Mapping[str, Any]) -> dict[str, Any]:
    """Something is otherwise about an image, until calm."""
    changes = {key: value for key, value in request.items() if key not in ('kind', 'image')}
    wrong = [key for key in changes if key not in _IMAGE_FIELDS]
    if wrong or not changes:
        raise Wrong(f'{", ".join(wrong) or "nothing"} is to change; allowed: {", ".join(_IMAGE_FIELDS)}')
    images.change(text(request, 'image'), changes)
    return {}


def stack_state(request: Mapping[str, Any]) -> dict[str, Any]:
    """A stack is said to be in a state. It stays so."""
    found = cloudformation._stacks.get(text(request, 'stack'))
    if found is None:
        raise Wrong(f'there is no stack {request["stack"]}')
    found['StackStatus'] = text(request, 'status')
    return {}


def calm() -> None:
    """The account has what a new one has."""
    service_quotas.forget()
    offerings.offer_all()
    endpoint_services.offer_all()
    images.calm()
