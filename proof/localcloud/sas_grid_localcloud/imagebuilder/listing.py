"""Lists: filters by names of members, pages of at most 25."""

from typing import Any

from ..json_service import page
from .state import Record, Request, invalid, shown

MOST = 25


def listed(name: str, found: list[Record], request: Request) -> Record:
    """The answer to a list request, under this name."""
    for one in request.get('filters') or []:
        key, values = str(one.get('name')), [str(value) for value in one.get('values') or []]
        if found and not any(key in record for record in found):
            raise invalid(f'The filter {key} is not valid, or not implemented by the embedded AWS')
        found = [record for record in found if _value(record.get(key)) in values]
    asked: dict[str, Any] = {**request, 'maxResults': request.get('maxResults') or MOST}
    chosen, token = page(found, asked, 'maxResults', 'nextToken')
    return {name: [shown(one) for one in chosen], **({'nextToken': token} if token else {})}


def _value(value: Any) -> str:
    return str(value.get('status')) if isinstance(value, dict) else str(value)
