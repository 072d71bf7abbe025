"""Members of a request from the flat names of the query protocols: ``Tags.member.1.Key``, ``Tag.1.Key``."""

from collections.abc import Mapping
from typing import Any

from botocore.model import Shape

from .scalars import from_text
from .violations import Found, Violation, below

Tree = dict[str, Any]

_OF_THE_PROTOCOL = {
    'Action',
    'AWSAccessKeyId',
    'Expires',
    'SecurityToken',
    'Signature',
    'SignatureMethod',
    'SignatureVersion',
    'Timestamp',
    'Version',
}


def members_of(shape: Shape, flat: Mapping[str, Any], ec2: bool, found: Found) -> dict[str, Any]:
    """The request as its shape names it. What the shape does not have keeps the name that it came with."""
    tree: Tree = {}
    for name, value in flat.items():
        if name in _OF_THE_PROTOCOL or name.startswith('X-Amz-'):
            continue
        node = tree
        *above, last = name.split('.')
        for part in above:
            inner = node.get(part)
            if not isinstance(inner, dict):
                inner = node[part] = {}
            node = inner
        node.setdefault(last, value[0] if isinstance(value, list) else value)
    value = _Reader(ec2, found).structure(shape, tree, '')
    return value if isinstance(value, dict) else {}


class _Reader:
    def __init__(self, ec2: bool, found: Found) -> None:
        self._ec2 = ec2
        self._found = found

    def read(self, shape: Any, node: Any, path: str) -> Any:
        kind = shape.type_name
        if kind == 'structure':
            return self.structure(shape, node, path)
        if kind == 'list':
            return self._list(shape, node, path)
        if kind == 'map':
            return self._map(shape, node, path)
        if isinstance(node, dict):
            self._found.append(Violation(path, 'type', f'{path} must be of the type {kind}'))
            return None
        return from_text(shape, str(node), path, self._found)

    def structure(self, shape: Any, node: Any, path: str) -> Any:
        if not isinstance(node, dict):
            # A structure without members is written as its name alone.
            return {} if node == '' else node
        rest, result = dict(node), {}
        for name, member in shape.members.items():
            wire = self._name(member, name)
            if member.type_name == 'list' and self._flattened(member) and not self._ec2:
                wire = member.member.serialization.get('name') or wire
            if wire in rest:
                result[name] = self.read(member, rest.pop(wire), below(path, name))
        return {**result, **rest}

    def _name(self, shape: Any, default: str) -> str:
        told = shape.serialization
        if not self._ec2:
            return str(told.get('name', default))
        if 'queryName' in told:
            return str(told['queryName'])
        name = str(told.get('name', default))
        return name[:1].upper() + name[1:] if 'name' in told else name

    def _flattened(self, shape: Any) -> bool:
        return self._ec2 or bool(shape.serialization.get('flattened'))

    def _list(self, shape: Any, node: Any, path: str) -> Any:
        if not self._flattened(shape) and isinstance(node, dict):
            node = node.get(shape.member.serialization.get('name', 'member'), node.get('member', node))
        if node == '':
            return []
        if not isinstance(node, dict) or not all(key.isdigit() for key in node):
            self._found.append(Violation(path, 'type', f'{path} must be a list'))
            return None
        numbered = sorted(node, key=int)
        return [self.read(shape.member, node[key], below(path, str(at))) for at, key in enumerate(numbered, 1)]

    def _map(self, shape: Any, node: Any, path: str) -> Any:
        if not self._flattened(shape) and isinstance(node, dict):
            node = node.get('entry', node)
        if node == '':
            return {}
        key_name, value_name = self._name(shape.key, 'key'), self._name(shape.value, 'value')
        if not isinstance(node, dict) or not all(isinstance(one, dict) and key_name in one for one in node.values()):
            self._found.append(Violation(path, 'type', f'{path} must be a map'))
            return None
        return {
            one[key_name]: self.read(shape.value, one.get(value_name, ''), below(path, str(one[key_name])))
            for one in node.values()
        }
