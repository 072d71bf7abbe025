"""A request as it came."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs


@dataclass(frozen=True)
class Request:
    """Method, path, headers in lower case, body, and the parameters of the query and of a form."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    flat: Mapping[str, Any]

    @classmethod
    def of(cls, method: str, path: str, headers: Mapping[str, str], body: Any, query: Mapping[str, Any]) -> 'Request':
        """From what ministack gives to the handler of a service."""
        raw = body if isinstance(body, bytes) else str(body or '').encode()
        flat = dict(query)
        if 'form' in headers.get('content-type', '') and raw:
            flat = {**parse_qs(raw.decode('utf-8', 'replace'), keep_blank_values=True), **flat}
        return cls(method, path, headers, raw, flat)
