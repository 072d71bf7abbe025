"""Wrong requests, derived from the models of the services: one constraint broken in each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode

from botocore.model import OperationModel
from botocore.serialize import create_serializer

from sas_grid_localcloud.validation.checks import compiled_pattern
from sas_grid_localcloud.validation.request import Request

DEEPEST = 6
LONGEST = 4096
"""what is longer is not built"""

_TEXTS = ('!', ' ', '—', '#', '..', 'x')


@dataclass(frozen=True)
class Wrong:
    """One request, and what is wrong with it."""

    service: str
    operation: str
    path: str
    kind: str
    members: dict[str, Any]

    elsewhere: bool
    """whether what is missing may make it another operation of the same address, as in S3"""

    def __str__(self) -> str:
        return f'{self.service} {self.operation} {self.path} {self.kind}'


def wrong_requests(service: str, operation: OperationModel) -> Iterator[Wrong]:
    """All of an operation."""
    shape = operation.input_shape
    # What is deprecated has the address of its successor. A member that is part of the host's name is not sent.
    if shape is None or operation.deprecated or '{' in (operation.endpoint or {}).get('hostPrefix', ''):
        return
    flat = operation.service_model.metadata['protocol'] in ('query', 'ec2')
    for path, kind, members in _wrong(shape, DEEPEST, ()):
        if not (flat and _vanishes(members)):
            place = shape.members[path[0]].serialization.get('location')
            elsewhere = kind == 'missing' and place in ('querystring', 'header')
            yield Wrong(service, operation.name, '.'.join(path), kind, members, elsewhere)


def _vanishes(value: Any) -> bool:
    """Query protocols write nothing of a structure without members, and of no list without elements."""
    if isinstance(value, dict):
        return any(inner in ({}, []) or _vanishes(inner) for inner in value.values())
    return isinstance(value, list) and any(inner == {} or _vanishes(inner) for inner in value)


def sent(operation: OperationModel, members: dict[str, Any]) -> Request:
    """The request as the SDK writes it."""
    protocol = operation.service_model.metadata['protocol']
    protocol = 'json' if protocol == 'smithy-rpc-v2-cbor' else protocol
    wire = create_serializer(protocol, include_validation=False).serialize_to_request(members, operation)
    headers = {name.lower(): value for name, value in wire['headers'].items()}
    body, path = wire['body'], wire['url_path']
    if isinstance(body, dict):
        body = urlencode(body).encode()
        headers['content-type'] = 'application/x-www-form-urlencoded'
    path, _, constants = path.partition('?')
    query = {**parse_qs(constants, keep_blank_values=True), **parse_qs(urlencode(wire['query_string'], doseq=True))}
    return Request.of(wire['method'], unquote(path), headers, body, query)


def _wrong(shape: Any, deep: int, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    kind = shape.type_name
    if deep == 0 or getattr(shape, 'is_document_type', False):
        return
    if kind == 'structure':
        good = sample(shape, deep)
        for name in shape.required_members:
            if shape.members[name].serialization.get('location') != 'uri' and name != shape.serialization.get(
                'payload'
            ):
                yield (*path, name), 'missing', {key: value for key, value in good.items() if key != name}
        for name, member in shape.members.items():
            # What stands in an address or a header decides which operation it is, or cannot be written at all.
            if member.serialization.get('location') is None:
                siblings = {} if getattr(shape, 'is_tagged_union', False) else good
                for at, what, value in _wrong(member, deep - 1, (*path, name)):
                    yield at, what, {**siblings, name: value}
    elif kind == 'list':
        yield from _sizes(shape, path, [sample(shape.member, deep - 1)])
        for at, what, value in _wrong(shape.member, deep - 1, (*path, '1')):
            yield at, what, [value]
    elif kind == 'map':
        key = sample(shape.key, deep)
        for at, what, value in _wrong(shape.value, deep - 1, (*path, key)):
            yield at, what, {key: value}
    elif kind == 'string':
        yield from _texts(shape, path)
    elif kind in ('integer', 'long', 'float', 'double'):
        low, high = shape.metadata.get('min'), shape.metadata.get('max')
        if low is not None:
            yield path, 'range', int(low) - 1
        if high is not None:
            yield path, 'range', int(high) + 1


def _sizes(shape: Any, path: tuple[str, ...], one: list[Any]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    high = shape.metadata.get('max')
    if shape.metadata.get('min'):
        yield path, 'length', one * (int(shape.metadata['min']) - 1)
    if high is not None and high < LONGEST:
        yield path, 'length', one * (int(high) + 1)


def _texts(shape: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    yield from ((at, what, ''.join(text)) for at, what, text in _sizes(shape, path, ['a']))
    if shape.enum:
        yield path, 'enum', 'no-such-value'
    pattern = shape.metadata.get('pattern')
    if pattern:
        compiled = compiled_pattern(pattern)
        wrong = next((text for text in _TEXTS if not compiled.search(text)), None)
        if wrong is not None:
            yield path, 'pattern', wrong


def sample(shape: Any, deep: int) -> Any:
    """The least that a shape asks for. Patterns are not looked at."""
    kind = shape.type_name
    if kind == 'structure':
        wanted = shape.required_members or (list(shape.members)[:1] if getattr(shape, 'is_tagged_union', False) else [])
        return {name: sample(shape.members[name], deep - 1) for name in wanted} if deep > -4 else {}
    if kind == 'list':
        return [sample(shape.member, deep - 1)] * max(1, int(shape.metadata.get('min') or 1))
    if kind == 'map':
        return {sample(shape.key, deep - 1): sample(shape.value, deep - 1)}
    if kind == 'string':
        return shape.enum[0] if shape.enum else 'a' * max(1, int(shape.metadata.get('min') or 1))
    if kind == 'blob':
        return b'x'
    if kind == 'timestamp':
        return datetime(2026, 1, 1, tzinfo=UTC)
    return True if kind == 'boolean' else int(shape.metadata.get('min') or 1)
