"""Numbers, booleans and times from the texts of forms, XML, addresses and headers."""

import re
from typing import Any

from .violations import Found, Violation, shown

_FORMS = {
    'integer': re.compile(r'[+-]?\d+'),
    'long': re.compile(r'[+-]?\d+'),
    'float': re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|NaN|-?Infinity'),
    'double': re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|NaN|-?Infinity'),
    'boolean': re.compile(r'true|false', re.IGNORECASE),
    # ISO 8601, seconds since 1970, and the dates of HTTP headers.
    'timestamp': re.compile(r'\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?|\d+(\.\d+)?([eE]\+?\d+)?|\w{3}, .* GMT'),
}


def from_text(shape: Any, text: str, path: str, found: Found) -> Any:
    """The value that a text means; None, and a violation, of what is no such value."""
    kind = shape.type_name
    form = _FORMS.get(kind)
    if form is None:
        return text
    if not form.fullmatch(text):
        found.append(Violation(path, 'type', f"Value '{text[:120]}' at '{shown(path)}' must be of the type {kind}"))
        return None
    if kind in ('integer', 'long'):
        return int(text)
    if kind in ('float', 'double'):
        return float(text)
    return text.lower() == 'true' if kind == 'boolean' else text
