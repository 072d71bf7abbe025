"""EventBridge Scheduler: schedules fire by the clock of this embedded AWS, in their time zones, under their roles.

ministack keeps schedules and groups, and answers for them. What it lacks is here: time zones, roles that have to trust
Scheduler and be allowed what they do, universal targets, dead-letter queues, and a clock that can stand still.
"""

from . import api


def install() -> None:
    """Put all of it into ministack."""
    api.install()
