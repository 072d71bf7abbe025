"""When an association is applied again.

Source: "Reference: Cron and rate expressions for Systems Manager" (rates from 30 minutes on; UTC), read 2026-11.
"""

import re
from datetime import UTC, datetime

from ministack.services import eventbridge

from ..hosts.documents import Refused

LEAST_RATE = 1800
_RATE = re.compile(r'rate\((\d+) (minute|minutes|hour|hours|day|days)\)')
_SECONDS = {'minute': 60, 'hour': 3600, 'day': 86400}


def check(expression: str | None, only_at_interval: bool) -> None:
    """Refuse what State Manager refuses."""
    if expression is None:
        if only_at_interval:
            raise _invalid('ApplyOnlyAtCronInterval needs a ScheduleExpression')
        return
    if rate(expression) is None:
        if not expression.startswith('cron(') or eventbridge._parse_cron_fields(expression) is None:
            raise _invalid(f'ScheduleExpression {expression} is not valid')
    elif only_at_interval:
        raise _invalid("ApplyOnlyAtCronInterval isn't supported for rate expressions")


def rate(expression: str) -> int | None:
    """Seconds between two runs, None for what is no rate."""
    found = _RATE.fullmatch(expression)
    if found is None:
        return None
    number, unit = int(found[1]), found[2]
    seconds = number * _SECONDS[unit.removesuffix('s')]
    if (number == 1) != (not unit.endswith('s')) or seconds < LEAST_RATE:
        raise _invalid(f'ScheduleExpression {expression} is not valid; a rate is 30 minutes or more')
    return seconds


def next_after(expression: str, moment: datetime) -> datetime | None:
    """The next time of a cron expression."""
    fields = eventbridge._parse_cron_fields(expression)
    found: datetime | None = eventbridge._cron_next_fire(fields, moment)
    return found


def seconds_until_next(expression: str, now: datetime | None = None) -> float | None:
    """How long until the association is applied again; None when it never is."""
    every = rate(expression)
    if every is not None:
        return float(every)
    moment = now or datetime.now(UTC)
    following = next_after(expression, moment)
    return None if following is None else max(0.0, (following - moment).total_seconds())


def _invalid(message: str) -> Refused:
    return Refused('InvalidSchedule', message)
