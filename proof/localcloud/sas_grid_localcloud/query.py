"""Requests and answers of AWS's query protocols (EC2, Auto Scaling): flat parameters in, XML out."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any
from xml.sax.saxutils import escape

Answer = tuple[int, dict[str, str], bytes]
Parameters = Mapping[str, Any]


class Refused(Exception):
    """An error as AWS answers it: a code programs act on and a message people read."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return f'{self.message} ({self.code})'


def parse(parameters: Parameters) -> dict[str, Any]:
    """Nested request from flat parameters: ``Tag.1.Key=a`` becomes ``{'Tag': [{'Key': 'a'}]}``.

    ``member`` levels (Auto Scaling's way to number lists) disappear.
    """
    tree: dict[str, Any] = {}
    for key, value in parameters.items():
        text = value[0] if isinstance(value, list) else value
        path = [part for part in key.split('.') if part != 'member']
        node = tree
        for part in path[:-1]:
            inner = node.setdefault(part, {})
            if not isinstance(inner, dict):
                inner = node[part] = {}
            node = inner
        node[path[-1]] = text
    parsed = _lists(tree)
    assert isinstance(parsed, dict)
    return parsed


def _lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(key.isdigit() for key in node):
        return [_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _lists(value) for key, value in node.items()}


def flag(value: Any, default: bool = False) -> bool:
    """A boolean as query strings and templates carry it."""
    return default if value in (None, '') else str(value).lower() == 'true'


def integer(value: Any, what: str, default: int | None = None) -> int | None:
    """A whole number, or a refusal that names it."""
    if value in (None, ''):
        return default
    try:
        return int(str(value))
    except ValueError:
        raise Refused('InvalidParameterValue', f'Value ({value}) for parameter {what} is invalid.') from None


def xml(value: Any, item: str = 'item') -> str:
    """XML of nested data: mappings become elements, sequences numbered by ``item``, None disappears."""
    if isinstance(value, Mapping):
        parts = []
        for name, inner in value.items():
            if inner is None:
                continue
            parts.append(f'<{name}>{xml(inner, item)}</{name}>')
        return ''.join(parts)
    if isinstance(value, list | tuple):
        return ''.join(f'<{item}>{xml(inner, item)}</{item}>' for inner in value)
    if isinstance(value, bool):
        return 'true' if value else 'false'
    return escape(str(value))


class Protocol:
    """How one service wraps its answers."""

    def __init__(self, namespace: str, item: str, ec2_errors: bool) -> None:
        self._namespace = namespace
        self._item = item
        self._ec2_errors = ec2_errors

    def answer(self, action: str, data: Mapping[str, Any]) -> Answer:
        """200 with this data."""
        request = str(uuid.uuid4())
        inner = xml(data, self._item)
        if self._ec2_errors:
            inner += f'<requestId>{request}</requestId>'
        else:
            result = f'<{action}Result>{inner}</{action}Result>'
            inner = f'{result}<ResponseMetadata><RequestId>{request}</RequestId></ResponseMetadata>'
        name = f'{action}Response'
        body = f'<?xml version="1.0" encoding="UTF-8"?><{name} xmlns="{self._namespace}">{inner}</{name}>'
        return 200, {'Content-Type': 'text/xml'}, body.encode()

    def refusal(self, refused: Refused) -> Answer:
        """The error answer."""
        error = {'Code': refused.code, 'Message': refused.message}
        request = str(uuid.uuid4())
        if self._ec2_errors:
            body = (
                f'<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error>{xml(error)}</Error></Errors>'
                f'<RequestID>{request}</RequestID></Response>'
            )
        else:
            body = (
                f'<ErrorResponse xmlns="{self._namespace}"><Error><Type>Sender</Type>{xml(error)}</Error>'
                f'<RequestId>{request}</RequestId></ErrorResponse>'
            )
        return refused.status, {'Content-Type': 'text/xml'}, body.encode()

    def action(
        self, name: str, handle: Callable[[dict[str, Any]], Mapping[str, Any]]
    ) -> Callable[[Parameters], Answer]:
        """A ministack action handler from a function that takes a nested request and returns nested data."""

        def handler(parameters: Parameters) -> Answer:
            request = parse(parameters)
            try:
                return self.answer(name, handle(request))
            except Refused as refused:
                return self.refusal(refused)

        return handler


EC2 = Protocol('http://ec2.amazonaws.com/doc/2016-11-15/', 'item', ec2_errors=True)
AUTO_SCALING = Protocol('http://autoscaling.amazonaws.com/doc/2011-01-01/', 'member', ec2_errors=False)
