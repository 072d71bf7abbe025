"""Members of a request of the REST protocols: from its path, its query, its headers and its body."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from botocore.model import OperationModel
from defusedxml import ElementTree

from .models import Route
from .request import Request
from .scalars import from_text
from .violations import Found, Violation, below


class Unreadable(Exception):
    """The body is not what the protocol says."""


def which(routes: list[Route], query: Mapping[str, Any], headers: Mapping[str, str]) -> Route:
    """Of operations that share an address: the one whose members come, ``x-id`` saying it outright."""
    for one in routes:
        if query.get('x-id') in (one.operation.name, [one.operation.name]):
            return one

    def fits(route: Route) -> tuple[int, bool, int]:
        shape: Any = route.operation.input_shape
        members = shape.members if shape else {}
        places = {'querystring': query, 'header': headers}
        came, missing = 0, 0
        for name, member in members.items():
            told = member.serialization
            place = places.get(told.get('location', ''))
            if place is None:
                continue
            wire = told.get('name', name)
            here = wire in place or wire.lower() in place
            came += here
            missing += not here and name in shape.required_members
        return -missing, not route.operation.deprecated, came

    return max(routes, key=fits)


def members_of(route: Route, request: Request, found: Found) -> dict[str, Any]:
    """The request as its shape names it."""
    operation, headers = route.operation, request.headers
    shape: Any = operation.input_shape
    if shape is None:
        return {}
    values = route.pattern.fullmatch(request.path)
    in_path = dict(zip(route.names, map(unquote, values.groups() if values else ()), strict=False))
    result: dict[str, Any] = {}
    in_body: dict[str, Any] = {}
    for name, member in shape.members.items():
        told = member.serialization
        wire = told.get('name', name)
        place = told.get('location')
        if place == 'uri' and wire in in_path:
            result[name] = from_text(member, in_path[wire], name, found)
        elif place == 'querystring':
            _from_query(member, name, wire, request.flat, result, found)
        elif place == 'header' and wire.lower() in headers:
            result[name] = _from_header(member, headers[wire.lower()], name, found)
        elif place == 'headers':
            start = wire.lower()
            result[name] = {key[len(start) :]: value for key, value in headers.items() if key.startswith(start)}
        elif place is None:
            in_body[name] = member
    payload = shape.serialization.get('payload')
    return {**result, **_from_body(operation, payload, in_body, request.raw, found)}


def _from_query(
    member: Any, name: str, wire: str, query: Mapping[str, Any], result: dict[str, Any], found: Found
) -> None:
    if member.type_name == 'map':
        return
    if wire not in query:
        return
    values = query[wire] if isinstance(query[wire], list) else [query[wire]]
    if member.type_name == 'list':
        result[name] = [
            from_text(member.member, str(one), below(name, str(at)), found) for at, one in enumerate(values, 1)
        ]
    else:
        result[name] = from_text(member, str(values[0]) if values else '', name, found)


def _from_header(member: Any, value: str, name: str, found: Found) -> Any:
    if member.type_name == 'list':
        parts = [one.strip() for one in value.split(',')]
        return [from_text(member.member, one, below(name, str(at)), found) for at, one in enumerate(parts, 1)]
    return from_text(member, value, name, found)


def _from_body(
    operation: OperationModel, payload: str | None, members: Mapping[str, Any], raw: bytes, found: Found
) -> dict[str, Any]:
    if payload is not None:
        member: Any = operation.input_shape.members[payload]
        if member.type_name != 'structure' or getattr(member, 'is_document_type', False):
            return {payload: raw} if raw else {}
        if not raw:
            return {}
        return {payload: _parsed(operation, member, raw, payload, found)}
    if not members or not raw:
        return {}
    told = _parsed(operation, operation.input_shape, raw, '', found, set(members))
    return told if isinstance(told, dict) else {'body': told}


def _parsed(
    operation: OperationModel, shape: Any, raw: bytes, path: str, found: Found, only: set[str] | None = None
) -> Any:
    if operation.service_model.metadata['protocol'] == 'rest-xml':
        try:
            return _from_xml(shape, ElementTree.fromstring(raw), path, found, only)
        except ElementTree.ParseError as problem:
            raise Unreadable(str(problem)) from problem
    return from_json(shape, json_body(raw))


def json_body(raw: bytes) -> Any:
    """A body of JSON."""
    try:
        return json.loads(raw)
    except ValueError as problem:
        raise Unreadable(str(problem)) from problem


def from_json(shape: Any, value: Any) -> Any:
    """The same value with the names of the shape in place of those on the wire."""
    if value is None or getattr(shape, 'is_document_type', False):
        return value
    if shape.type_name == 'structure' and isinstance(value, dict):
        wire = {member.serialization.get('name', name): name for name, member in shape.members.items()}
        named = {wire.get(key, key): inner for key, inner in value.items() if key != '__type'}
        return {
            key: from_json(shape.members[key], inner) if key in shape.members else inner for key, inner in named.items()
        }
    if shape.type_name == 'list' and isinstance(value, list):
        return [from_json(shape.member, one) for one in value]
    if shape.type_name == 'map' and isinstance(value, dict):
        return {key: from_json(shape.value, inner) for key, inner in value.items()}
    return value


def _from_xml(shape: Any, element: Element, path: str, found: Found, only: set[str] | None = None) -> Any:
    kind = shape.type_name
    if kind == 'structure':
        result: dict[str, Any] = {}
        rest = list(element)
        for name, member in shape.members.items():
            told = member.serialization
            wire = told.get('name', name)
            if told.get('xmlAttribute') or (only is not None and name not in only):
                continue
            if member.type_name == 'list' and told.get('flattened'):
                wire = member.member.serialization.get('name') or wire
            came = [one for one in rest if _tag(one) == wire.split(':')[-1]]
            rest = [one for one in rest if one not in came]
            if not came:
                continue
            at = below(path, name)
            if member.type_name == 'list' and told.get('flattened'):
                inner = enumerate(came, 1)
                result[name] = [_from_xml(member.member, one, below(at, str(n)), found) for n, one in inner]
            else:
                result[name] = _from_xml(member, came[0], at, found)
        return {**result, **{_tag(one): one.text for one in rest}}
    if kind == 'list':
        return [_from_xml(shape.member, one, below(path, str(at)), found) for at, one in enumerate(element, 1)]
    if kind == 'map':
        found.append(Violation(path, 'type', f'{path}: maps in XML are not read')) if len(element) else None
        return {}
    return from_text(shape, element.text or '', path, found)


def _tag(element: Element) -> str:
    return str(element.tag).rsplit('}', 1)[-1]
