"""References in component documents: ``{{ Parameter }}``, ``{{ build.Step.outputs.stdout }}``, inputs likewise."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_REFERENCE = re.compile(r'\{\{\s*([^{}]+?)\s*\}\}')
_OF_STEP = re.compile(r'([^.\s]+)\.([^.\s]+)\.(inputs|outputs)((?:\.[^.\[\]\s]+|\[\d+\])+)')


class Unknown(Exception):
    """It refers to nothing."""


@dataclass(frozen=True)
class Reference:
    """One reference."""

    text: str
    name: str = ''
    """of a parameter or a constant"""
    step: tuple[str, str] = ('', '')
    """phase and step"""
    side: str = ''
    path: tuple[str, ...] = ()


def references(value: Any) -> Iterator[Reference]:
    """All that a value has in its texts."""
    if isinstance(value, str):
        for match in _REFERENCE.finditer(value):
            yield _read(match[1])
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def resolved(value: Any, names: Mapping[str, Any], steps: Mapping[tuple[str, str], Mapping[str, Any]]) -> Any:
    """The value with what it refers to in place.

    :param steps: inputs and outputs of the steps that ran, by phase and step
    """
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: _text(_value(_read(match[1]), names, steps)), value)
    if isinstance(value, Mapping):
        return {key: resolved(one, names, steps) for key, one in value.items()}
    if isinstance(value, list):
        return [resolved(one, names, steps) for one in value]
    return value


def _read(text: str) -> Reference:
    match = _OF_STEP.fullmatch(text)
    if match is None:
        return Reference(text, name=text)
    path = tuple(re.findall(r'[^.\[\]]+', match[4]))
    return Reference(text, step=(match[1], match[2]), side=match[3], path=path)


def _value(one: Reference, names: Mapping[str, Any], steps: Mapping[tuple[str, str], Mapping[str, Any]]) -> Any:
    if one.name:
        return names[one.name]
    found: Any = steps.get(one.step, {}).get(one.side)
    for part in one.path:
        try:
            found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Unknown(one.text) from None
    return found


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ','.join(map(str, value)) if isinstance(value, list) else str(value)
