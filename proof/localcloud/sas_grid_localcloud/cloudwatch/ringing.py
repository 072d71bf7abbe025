"""Looks at all alarms each minute, and lets them ring.

At most once a second, however short a minute is. It has a thread of its own, since what an alarm tells may call back,
and does nothing when there is no alarm. Composite alarms follow their children: ministack's doing.
"""

import logging
import math
import threading

from ministack.services import cloudwatch

from .. import clock, settings
from ..scope import own_scope
from . import derived, judging

_log = logging.getLogger(__name__)
_LEAST_SECONDS = 1.0
_SHORTEST_MINUTE = 0.05
_due = threading.Event()


def minute() -> float:
    """Seconds that a minute of periods takes."""
    return max(_SHORTEST_MINUTE, settings.delays().minute)


def start() -> None:
    """Begin. Only this looks: ministack does when it is told something, and never when it is told nothing."""
    cloudwatch._evaluate_alarm = lambda alarm: None
    cloudwatch._evaluate_all_alarms = lambda: None
    threading.Thread(target=_ring, name='localcloud-alarms', daemon=True).start()
    _wait()


def _wait() -> None:
    """Until the minute is over, as the wall clock has it."""
    length = max(_LEAST_SECONDS, minute())

    def over() -> None:
        _due.set()
        _wait()

    clock.after(length - clock.wall() % length, over)


def _ring() -> None:
    while True:
        _due.wait()
        _due.clear()
        try:
            with own_scope():
                look()
        except Exception:
            _log.exception('alarms were not looked at')


def look() -> None:
    """One look at everything, in the account and region of the caller."""
    length = max(_LEAST_SECONDS, minute())
    end = math.floor(clock.wall() / length) * length
    derived.measure(end - minute() / 2)
    for alarm in cloudwatch._alarms.values():
        try:
            verdict = judging.judge(alarm, end, minute())
        except (ValueError, KeyError, TypeError) as problem:
            _log.warning('alarm %s cannot be evaluated: %s', alarm['AlarmName'], problem)
            continue
        if verdict.state and verdict.state != alarm['StateValue']:
            _turn(alarm, verdict)


def _turn(alarm: dict[str, object], verdict: judging.Verdict) -> None:
    former = alarm['StateValue']
    now = int(clock.wall())
    alarm.update(
        StateValue=verdict.state,
        StateReason=verdict.reason,
        StateUpdatedTimestamp=now,
        StateTransitionedTimestamp=now,
    )
    alarm.pop('StateReasonData', None)
    cloudwatch._record_history(alarm['AlarmName'], former, verdict.state, verdict.reason)
    cloudwatch._dispatch_alarm_actions(alarm, former, verdict.state, verdict.reason)
    cloudwatch._evaluate_parent_alarms(alarm)
