"""The part of JSONPath that is implemented: ``$.Members.Of[0].Objects`` and ``$.All[*].Members``."""

import re
from typing import Any

from ..hosts.documents import Refused

_WHOLE = re.compile(r'\$(\.[A-Za-z0-9_]+(\[(\d+|\*)\])?)+')
_PART = re.compile(r'\.([A-Za-z0-9_]+)|\[(\d+|\*)\]')


class Missing(Exception):
    """There is nothing at this place."""


def check(selector: str, where: str) -> None:
    """Refuse a selector that this emulation cannot read."""
    if not _WHOLE.fullmatch(selector):
        raise Refused('InvalidDocumentContent', f'{where}: the selector {selector!r} is not implemented')


def select(selector: str, value: Any) -> Any:
    """What is there; a list of it with ``[*]``. Raises Missing, and with ``[*]`` also when it is nowhere."""
    found = [value]
    for name, index in _PART.findall(selector):
        try:
            if index == '*':
                found = [one for many in found for one in many]
            else:
                found = [one[name] if name else one[int(index)] for one in found]
        except (KeyError, IndexError, TypeError):
            raise Missing(f'{selector} is not in the answer') from None
    if not found:
        raise Missing(f'{selector} is not in the answer')
    return found if '[*]' in selector else found[0]


def typed(kind: str, value: Any) -> Any:
    """The value if it is of this type of Automation. Raises Missing."""
    fits = {
        'String': lambda: isinstance(value, str),
        'Integer': lambda: isinstance(value, int) and not isinstance(value, bool),
        'Boolean': lambda: isinstance(value, bool),
        'StringList': lambda: isinstance(value, list),
        'StringMap': lambda: isinstance(value, dict),
        'MapList': lambda: isinstance(value, list),
    }
    if not fits[kind]():
        raise Missing(f'{value!r} is not of the type {kind}')
    return value


def plain(value: Any) -> str:
    """A value as DesiredValues compare it: 'If specifying a boolean value, you must use a capital letter.'"""
    return str(value)
