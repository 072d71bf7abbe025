"""Reading the fields of a request for a fault."""

from collections.abc import Mapping
from typing import Any

LONGEST = 3600.0


class Wrong(Exception):
    """A request that is none; the message names the field, the value and what is allowed."""


def text(request: Mapping[str, Any], name: str) -> str:
    """A field that has to be there."""
    value = request.get(name)
    if not isinstance(value, str) or not value:
        raise Wrong(f'{name} is {value!r}; a text is needed')
    return value


def number(request: Mapping[str, Any], name: str, most: float = LONGEST, default: float | None = None) -> float:
    """A number from 0 on."""
    value = request.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise Wrong(f'{name} is {value!r}; allowed: 0 to {most:g}')
    return float(value)


def one_of(request: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    """One of several words."""
    value = request.get(name)
    if value not in allowed:
        raise Wrong(f'{name} is {value!r}; allowed: {", ".join(allowed)}')
    return str(value)
