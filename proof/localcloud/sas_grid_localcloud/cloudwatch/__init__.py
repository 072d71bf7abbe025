"""CloudWatch: metrics from functions, logs and AWS itself, math on them, and alarms that ring.

ministack keeps metrics, alarms and their history, and answers for them. What it lacks is here: metrics in log lines,
those that AWS derives, metric math, and alarms that are looked at by themselves, also when data are missing.
"""

from . import api, derived, filters, log_lines, points, ringing, states


def install() -> None:
    """Put all of it into ministack, and begin to look at alarms. After the functions' runtime."""
    points.install()
    log_lines.install()
    filters.install()
    derived.install()
    states.install()
    api.install()
    ringing.start()
