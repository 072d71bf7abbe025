"""When a schedule is due next.

EventBridge Scheduler user guide, "Schedule types": cron and at expressions are in the time zone of the schedule. A time
that daylight saving skips is skipped, and one that comes twice counts once.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ministack.services import eventbridge

from ..query import Refused

_AT = re.compile(r'at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)')
_MOST_SKIPPED = 50
"""occurrences that can be skipped one after the other: daylight saving skips one each year"""


def check(expression: str, zone: str) -> None:
    """Refuse what Scheduler refuses."""
    zone_of(zone)
    found = _AT.fullmatch(expression)
    if found:
        try:
            datetime.fromisoformat(found[1])
        except ValueError:
            raise _invalid(expression) from None
        return
    if eventbridge._parse_rate_seconds(expression) is None and not _fields(expression):
        raise _invalid(expression)


def zone_of(name: str) -> Any:
    """The time zone, by its name in the IANA database."""
    if name == 'UTC':
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Refused('ValidationException', f'Invalid ScheduleExpressionTimezone {name}.') from None


def is_once(expression: str) -> bool:
    """Whether it is due only once."""
    return bool(_AT.fullmatch(expression))


def next_time(expression: str, zone: str, after: float, begin: float) -> float | None:
    """The first moment later than ``after`` at which it is due; None when there is none.

    :param begin: when a rate began to count
    """
    found = _AT.fullmatch(expression)
    if found:
        moment = _moment(datetime.fromisoformat(found[1]), zone_of(zone))
        return moment if moment is not None and moment > after else None
    seconds = eventbridge._parse_rate_seconds(expression)
    if seconds is not None:
        return begin + seconds * max(1, int((after - begin) // seconds) + 1)
    return _next_of_cron(_fields(expression), zone_of(zone), after)


def _next_of_cron(fields: Any, zone: Any, after: float) -> float | None:
    # On the wall of that zone; what computes the next time knows no zones.
    wall = datetime.fromtimestamp(after, zone).replace(tzinfo=UTC) - timedelta(minutes=1)
    for _ in range(_MOST_SKIPPED):
        wall = eventbridge._cron_next_fire(fields, wall)
        if wall is None:
            return None
        moment = _moment(wall.replace(tzinfo=None), zone)
        if moment is not None and moment > after:
            return moment
    return None


def _moment(wall: datetime, zone: Any) -> float | None:
    """Seconds since 1970; None of a time that the clocks of the zone skip."""
    local = wall.replace(tzinfo=zone, fold=0)
    back = local.astimezone(UTC).astimezone(zone)
    return local.timestamp() if back.replace(tzinfo=None) == wall else None


def _fields(expression: str) -> Any:
    return eventbridge._parse_cron_fields(expression) if expression.startswith('cron(') else None


def _invalid(expression: str) -> Refused:
    return Refused('ValidationException', f'Invalid Schedule Expression {expression}.')
