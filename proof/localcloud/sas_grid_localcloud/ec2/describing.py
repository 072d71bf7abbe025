"""What every describe call does: choose by id, by filter, leave out what is too new to be seen, page."""

import base64
import fnmatch
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..query import Refused, integer
from .state import Record, tags_of, visible

Fields = Mapping[str, Callable[[Record], Iterable[str]]]
"""Filter name to the values that a record has for it."""


def choose(
    records: Iterable[Record],
    request: Mapping[str, Any],
    *,
    key: str,
    ids: Iterable[str],
    fields: Fields,
    missing: Callable[[str], Refused],
) -> list[Record]:
    """The records that a describe call asks for.

    A record that is asked for by id and cannot be seen (yet) is refused, as on EC2; a filter that the
    emulation does not know is refused too, so that it is never silently ignored.
    """
    seen = {str(record[key]): record for record in records if visible(record)}
    wanted = list(ids)
    for one in wanted:
        if one not in seen:
            raise missing(one)
    chosen = [seen[one] for one in wanted] if wanted else list(seen.values())
    filters = _filters(request)
    return [record for record in chosen if _matches(record, filters, fields, key)]


def page(records: list[Record], request: Mapping[str, Any]) -> tuple[list[Record], str | None]:
    """One page of the records and the token of the next, if any."""
    limit = integer(request.get('MaxResults'), 'maxResults', 1000) or 1000
    start = 0
    token = request.get('NextToken')
    if token:
        try:
            start = int(base64.urlsafe_b64decode(str(token)))
        except ValueError:
            raise Refused('InvalidParameterValue', f"The token '{token}' is invalid") from None
    following = start + limit
    more = base64.urlsafe_b64encode(str(following).encode()).decode() if following < len(records) else None
    return records[start:following], more


def _filters(request: Mapping[str, Any]) -> dict[str, list[str]]:
    return {one['Name']: [str(value) for value in one.get('Value') or []] for one in request.get('Filter') or []}


def _matches(record: Record, filters: Mapping[str, list[str]], fields: Fields, key: str) -> bool:
    for name, patterns in filters.items():
        if name.startswith('tag:'):
            actual = [tag['Value'] for tag in tags_of(record[key]) if tag['Key'] == name[4:]]
        elif name == 'tag-key':
            actual = [tag['Key'] for tag in tags_of(record[key])]
        elif name in fields:
            actual = [str(value) for value in fields[name](record) if value is not None]
        else:
            raise Refused('InvalidParameterValue', f"The filter '{name}' is invalid")
        if not any(_like(value, pattern) for value in actual for pattern in patterns):
            return False
    return True


def _like(value: str, pattern: str) -> bool:
    if '*' in pattern or '?' in pattern:
        return fnmatch.fnmatchcase(value, pattern)
    return value == pattern
