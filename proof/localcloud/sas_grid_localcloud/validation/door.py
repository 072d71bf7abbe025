"""Requests are held against the models of their services before anything else looks at what they ask for."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from botocore.model import OperationModel, ServiceModel
from ministack import app
from ministack.core import responses
from ministack.core.iam_actions import access_denied_response

from .. import rules
from ..query import Refused
from . import codes, models, query_wire, rest_wire
from .checks import check_of
from .request import Request
from .violations import Found, Violation, shown

Handler = Callable[..., Awaitable[tuple[int, dict[str, str], Any]]]
Refusal = tuple[int, dict[str, str], Any]
Asked = tuple[OperationModel, Any]

_MOST_SHOWN = 10


def install() -> None:
    """Look at every request. After permissions, which are to see requests that are well formed."""

    @cache
    def service_model(service: str) -> ServiceModel | None:
        return models.model_of(models.name_of(service, '/', {}))

    # ministack asks for the models, too, by a session of botocore for each, which takes longer than all else.
    responses._service_model = service_model
    for service, handler in list(app.SERVICE_HANDLERS.items()):
        app.SERVICE_HANDLERS[service] = _guarded(service, handler)


def _guarded(service: str, handler: Handler) -> Handler:
    async def guarded(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> Any:
        request = Request.of(method, path, headers, body, query)
        name = models.name_of(service, path, request.flat)
        if not models.is_read(name):
            await asyncio.to_thread(models.model_of, name)
        model = models.model_of(name)
        refused = refusal_of(service, model, request) if model else None
        return refused or await handler(method, path, headers, body, query)

    return guarded


def refusal_of(service: str, model: ServiceModel, request: Request) -> Refusal | None:
    """The answer to a request that its model does not allow, or None."""
    try:
        judgement = judged(model, request)
    except rest_wire.Unreadable as problem:
        code = 'MalformedXML' if model.metadata['protocol'] == 'rest-xml' else codes.UNREADABLE
        return _refusal(service, '', request.headers, code, str(problem))
    operation, violations = judgement.operation, judgement.violations
    if violations:
        return _refusal(
            service, operation, request.headers, codes.code_of(model, operation, violations), message_of(violations)
        )
    try:
        rules.refuse(model.service_name, operation, judgement.members, codes.invalid_of(model))
    except Refused as refused:
        return _refusal(service, operation, request.headers, refused.code, refused.message)
    return None


@dataclass(frozen=True)
class Judgement:
    """The operation that a request asks for, its members, and what is wrong with them by the model."""

    operation: str = ''
    members: Mapping[str, Any] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)


def judged(model: ServiceModel, request: Request) -> Judgement:
    """What the model says of a request. What the model does not have is left to the service.

    @throws Unreadable when the body is not what the protocol says
    """
    found: Found = []
    asked = _asked(model, request, found)
    if asked is None:
        return Judgement()
    operation, members = asked
    if operation.input_shape is not None:
        unread = {one.path for one in found}
        checked: Found = []
        check_of(model.service_name, operation.input_shape)(members, '', checked)
        found.extend(one for one in checked if one.path not in unread)
    return Judgement(operation.name, members, found)


def message_of(violations: list[Violation]) -> str:
    """As AWS's services count and name them."""
    told = '; '.join(
        f"Value null at '{shown(one.path)}' failed to satisfy constraint: {one.message}"
        if one.kind == 'missing'
        else one.message
        for one in violations[:_MOST_SHOWN]
    )
    plural = '' if len(violations) == 1 else 's'
    return f'{len(violations)} validation error{plural} detected: {told}'


def _asked(model: ServiceModel, request: Request, found: Found) -> Asked | None:
    protocol = str(model.metadata['protocol'])
    target = request.headers.get('x-amz-target', '')
    flat = request.flat
    if target or 'Action' in flat:
        action = target.rsplit('.', 1)[-1] or flat['Action']
        operation = models.operation_named(model, str(action[0] if isinstance(action, list) else action))
        if operation is None or operation.input_shape is None:
            return None
        shape = operation.input_shape
        if target:
            return operation, rest_wire.from_json(shape, rest_wire.json_body(request.raw) if request.raw else {})
        return operation, query_wire.members_of(shape, flat, protocol == 'ec2', found)
    if not protocol.startswith('rest'):
        return None
    routes = models.candidates(model, request.method, request.path, flat)
    if not routes:
        return None
    route = rest_wire.which(routes, flat, request.headers)
    return route.operation, rest_wire.members_of(route, request, found)


def _refusal(service: str, action: str, headers: Mapping[str, str], code: str, message: str) -> Refusal:
    _, answered, content = access_denied_response(
        service, action, '', str(uuid.uuid4()), error_code=code, message=message, headers=dict(headers)
    )
    return 400, answered, content
