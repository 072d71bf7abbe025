"""The check of a value against a shape: compiled once for each shape, from what the model says of it.

botocore's own validator knows what is required, types and lower bounds; AWS also refuses what is too long or too
much, does not match a pattern, is no value of an enum, or names a member that does not exist.
"""

from collections.abc import Callable, Mapping
from typing import Any

import regex
from botocore.model import Shape

from .laxer import is_laxer
from .violations import Found, Violation, below, shown

Check = Callable[[Any, str, Found], None]

_JAVA = (
    (r'\uD800\uDC00-\uDBFF\uDFFF', r'\U00010000-\U0010FFFF'),
    (r'\p{all}', r'\p{Any}'),
    (r'\p{LD}', r'[\p{L}\p{N}]'),
)
"""what the models write for Java, whose texts are UTF-16"""

_SHOWN = 120
"""characters of a value that a message repeats"""


_checks: dict[tuple[str, str], Check] = {}


def check_of(service: str, shape: Shape) -> Check:
    """The check of this shape of a service."""
    key = (service, shape.name)
    if key not in _checks:
        make = {'structure': _structure, 'list': _list, 'map': _map}.get(shape.type_name, _scalar)
        _checks[key] = make(service, shape)
    return _checks[key]


def _structure(service: str, shape: Any) -> Check:
    if getattr(shape, 'is_document_type', False):
        return _anything
    required = [name for name in shape.required_members if not is_laxer(service, shape.name, name, 'missing')]
    members = shape.members
    union = bool(getattr(shape, 'is_tagged_union', False))

    def check(value: Any, path: str, found: Found) -> None:
        if not isinstance(value, Mapping):
            found.append(_wrong_type(path, 'a structure', value))
            return
        for name in required:
            if value.get(name) is None:
                found.append(Violation(below(path, name), 'missing', 'Member must not be null'))
        set_members = [name for name, inner in value.items() if inner is not None]
        if union and len(set_members) != 1:
            found.append(Violation(path, 'union', f'Exactly one member must be set; these are: {set_members}'))
        for name in set_members:
            if name in members:
                check_of(service, members[name])(value[name], below(path, name), found)
            elif not is_laxer(service, shape.name, name, 'unknown'):
                found.append(Violation(below(path, name), 'unknown', f'{name} is no member of {shape.name}'))

    return check


def _list(service: str, shape: Any) -> Check:
    measure = _measure(service, shape, 'length')

    def check(value: Any, path: str, found: Found) -> None:
        if not isinstance(value, list | tuple):
            found.append(_wrong_type(path, 'a list', value))
            return
        measure(value, len(value), path, found)
        inner = check_of(service, shape.member)
        for at, one in enumerate(value, 1):
            inner(one, below(path, str(at)), found)

    return check


def _map(service: str, shape: Any) -> Check:
    measure = _measure(service, shape, 'length')

    def check(value: Any, path: str, found: Found) -> None:
        if not isinstance(value, Mapping):
            found.append(_wrong_type(path, 'a map', value))
            return
        measure(value, len(value), path, found)
        keys, values = check_of(service, shape.key), check_of(service, shape.value)
        for key, inner in value.items():
            keys(key, below(path, str(key)), found)
            if inner is not None:
                values(inner, below(path, str(key)), found)

    return check


_TYPES: Mapping[str, tuple[type, ...]] = {
    'string': (str,),
    'character': (str,),
    'boolean': (bool,),
    'integer': (int,),
    'long': (int,),
    'float': (int, float),
    'double': (int, float),
    'blob': (str, bytes, bytearray),
}


def _scalar(service: str, shape: Any) -> Check:
    kind = shape.type_name
    types = _TYPES.get(kind)
    if types is None:
        return _anything
    numeric = bool in types or int in types
    measure = _measure(service, shape, 'range' if int in types else 'length') if kind != 'boolean' else None
    matches = _pattern(service, shape)
    enum = None if is_laxer(service, shape.name, '', 'enum') else frozenset(getattr(shape, 'enum', None) or ())

    def check(value: Any, path: str, found: Found) -> None:
        if isinstance(value, float) and value.is_integer() and float not in types:
            value = int(value)
        if not isinstance(value, types) or (numeric and bool not in types and isinstance(value, bool)):
            found.append(_wrong_type(path, f'of the type {kind}', value))
            return
        if measure is not None and kind != 'blob':
            measure(value, value if int in types else _length(value), path, found)
        if enum and value not in enum:
            allowed = ', '.join(sorted(enum)[:40])
            found.append(_fails(path, 'enum', value, f'Member must satisfy enum value set: [{allowed}]'))
        if matches is not None and not matches(value):
            text = f'Member must satisfy regular expression pattern: {shape.metadata["pattern"]}'
            found.append(_fails(path, 'pattern', value, text))

    return check


def _measure(service: str, shape: Any, kind: str) -> Callable[[Any, Any, str, Found], None]:
    low, high = shape.metadata.get('min'), shape.metadata.get('max')
    if (low is None and high is None) or is_laxer(service, shape.name, '', kind):
        return lambda value, size, path, found: None
    what = 'have length' if kind == 'length' else 'have value'

    def measure(value: Any, size: Any, path: str, found: Found) -> None:
        if low is not None and size < low:
            found.append(_fails(path, kind, value, f'Member must {what} greater than or equal to {low}'))
        if high is not None and size > high:
            found.append(_fails(path, kind, value, f'Member must {what} less than or equal to {high}'))

    return measure


def _pattern(service: str, shape: Any) -> Callable[[Any], bool] | None:
    pattern = shape.metadata.get('pattern')
    if not pattern or shape.type_name != 'string' or is_laxer(service, shape.name, '', 'pattern'):
        return None
    compiled = compiled_pattern(pattern)
    # Services match whole values; a pattern that is anchored says itself what it means.
    whole = not (pattern.startswith('^') or pattern.endswith('$'))
    return lambda value: bool(compiled.fullmatch(value) if whole else compiled.search(value))


def compiled_pattern(pattern: str) -> Any:
    """A pattern of a model, which is written for Java."""
    for java, here in _JAVA:
        pattern = pattern.replace(java, here)
    pattern = regex.sub(r'\\x\{([0-9A-Fa-f]+)\}', lambda found: f'\\u{int(found[1], 16):04x}', pattern)
    # Java's $ is the end of the text or before its last line break, and so is Python's; both are taken as the end.
    return regex.compile(regex.sub(r'(?<!\\)\$$', r'\\Z', pattern))


def _length(value: Any) -> int:
    return len(value)


def _anything(value: Any, path: str, found: Found) -> None:
    pass


def _wrong_type(path: str, wanted: str, value: Any) -> Violation:
    return Violation(path, 'type', f"Value '{_short(value)}' at '{shown(path)}' must be {wanted}")


def _fails(path: str, kind: str, value: Any, constraint: str) -> Violation:
    return Violation(
        path, kind, f"Value '{_short(value)}' at '{shown(path)}' failed to satisfy constraint: {constraint}"
    )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f'{text[:_SHOWN]}...'
