"""A service of our own in AWS's JSON protocol: ``X-Amz-Target: <prefix>.<Action>``, nested JSON in and out."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ministack import app
from ministack.core import router

from .query import Answer, Refused
from .throttling import refuses

Request = Mapping[str, Any]
Handle = Callable[[Request], Mapping[str, Any]]
Kind = TypeVar('Kind')

_CONTENT_TYPE = 'application/x-amz-json-1.1'


class JsonService:
    """One service: its name, what its targets begin with, and its actions."""

    def __init__(self, name: str, prefix: str, actions: Mapping[str, Handle], invalid: str) -> None:
        self._name = name
        self._prefix = prefix
        self._actions = actions
        self._invalid = invalid
        """the code with which this service refuses a request that lacks something"""

    def install(self) -> None:
        """Let ministack route its requests here."""
        router.SERVICE_PATTERNS[self._name] = {'target_prefixes': [f'{self._prefix}.']}
        app.SERVICE_HANDLERS[self._name] = self._handle_request

    async def _handle_request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, query: Mapping[str, Any]
    ) -> Answer:
        action = headers.get('x-amz-target', '').rsplit('.', 1)[-1]
        return self.answer(action, json.loads(body) if body else {})

    def answer(self, action: str, request: Request) -> Answer:
        """The answer to one request, refusals included."""
        try:
            return _answer(200, self.call(action, request))
        except Refused as refused:
            return _answer(refused.status, {'__type': refused.code, 'message': refused.message})

    def call(self, action: str, request: Request) -> Mapping[str, Any]:
        """One request, in-process. Raises Refused."""
        handle = self._actions.get(action)
        if handle is None:
            raise Refused('UnknownOperationException', f'{self._name} {action} is not implemented by the embedded AWS')
        if refuses(action):
            raise Refused('ThrottlingException', 'Rate exceeded')
        try:
            return handle(request)
        except KeyError as missing:
            raise Refused(self._invalid, f'{action} lacks {missing.args[0]}') from missing


def _answer(status: int, data: Mapping[str, Any]) -> Answer:
    return status, {'Content-Type': _CONTENT_TYPE}, json.dumps(data, default=str).encode()


def page(
    found: Sequence[Kind], request: Request, size: str, token: str, default: int = 100
) -> tuple[list[Kind], str | None]:
    """One page of what was found, and the token of the next, if any. ``size`` and ``token`` name the parameters."""
    start = 0
    if request.get(token):
        try:
            start = int(base64.urlsafe_b64decode(str(request[token])))
        except ValueError:
            raise Refused('ValidationException', f'{token} is invalid') from None
    end = start + int(request.get(size) or default)
    more = base64.urlsafe_b64encode(str(end).encode()).decode() if end < len(found) else None
    return list(found[start:end]), more


def without_none(data: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer carries: members that are not set are absent."""
    return {key: value for key, value in data.items() if value is not None}
