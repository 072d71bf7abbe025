"""Rules with a rate run by the clock of this embedded AWS, where a minute can be shorter than 60 seconds.

Cron expressions name times of day; they keep to the wall clock.
"""

from ministack.services import eventbridge

from . import settings

_LEAST_SWEEP = 0.2


def install() -> None:
    """Turn rates into seconds of this clock, and look at rules often enough for them."""
    minute = settings.delays().minute
    if minute == 60:
        return
    own = eventbridge._parse_rate_seconds

    def seconds(expression: str) -> float | None:
        found = own(expression)
        return None if found is None else found * minute / 60

    eventbridge._parse_rate_seconds = seconds
    eventbridge._SCHEDULER_TICK_INTERVAL = max(_LEAST_SWEEP, min(10.0, minute / 6))
