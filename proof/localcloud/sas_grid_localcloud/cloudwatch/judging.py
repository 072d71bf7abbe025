"""What an alarm's data make of it.

CloudWatch user guide, "Configuring how CloudWatch alarms treat missing data" (read 2026-11): what is there counts
first, from a few more periods than are evaluated; only what is still missing then is filled in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import queries

EXTRA_PERIODS = 2
"""How many more periods than are evaluated CloudWatch looks back, in the tables of its user guide."""

_BREACHES: dict[str, Callable[[float, float], bool]] = {
    'GreaterThanOrEqualToThreshold': lambda value, threshold: value >= threshold,
    'GreaterThanThreshold': lambda value, threshold: value > threshold,
    'LessThanThreshold': lambda value, threshold: value < threshold,
    'LessThanOrEqualToThreshold': lambda value, threshold: value <= threshold,
}
_WORDS = {
    'GreaterThanOrEqualToThreshold': 'greater than or equal to',
    'GreaterThanThreshold': 'greater than',
    'LessThanThreshold': 'less than',
    'LessThanOrEqualToThreshold': 'less than or equal to',
}
_TREATED = {'breaching': 'Breaching', 'notBreaching': 'NonBreaching'}

Alarm = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """The state that an alarm should be in, and why. None of it: it stays in the one that it is in."""

    state: str | None
    reason: str = ''


def judge(alarm: Alarm, end: float, minute: float) -> Verdict:
    """The verdict over the periods that end then.

    :param minute: seconds that a minute of periods takes
    :raises ValueError: of an expression that cannot be evaluated
    """
    count = int(alarm.get('EvaluationPeriods') or 1)
    values = _values(alarm, end, minute, count + EXTRA_PERIODS)
    threshold = float(alarm.get('Threshold') or 0)
    breaches = _BREACHES.get(str(alarm.get('ComparisonOperator')))
    if breaches is None:
        raise ValueError(f'{alarm.get("ComparisonOperator")} is not implemented by the embedded AWS')
    found = [None if one is None else breaches(one, threshold) for one in values]
    wanted = int(alarm.get('DatapointsToAlarm') or count)
    treatment = str(alarm.get('TreatMissingData') or 'missing')
    state = state_of(found, count, wanted, treatment)
    if state is None:
        return Verdict(None)
    there = [one for one in values if one is not None][:count]
    return Verdict(state, _reason(alarm, there, count, wanted, treatment, state))


def state_of(found: Sequence[bool | None], count: int, wanted: int, treatment: str) -> str | None:
    """The state by data points, newest first: True breaches, None is missing. None: it stays as it is."""
    there = [one for one in found if one is not None][:count]
    missing = count - len(there)
    breaching = sum(there) + (missing if treatment == 'breaching' else 0)
    if breaching >= wanted:
        return 'ALARM'
    if missing <= 0 or treatment in ('breaching', 'notBreaching') or False in there:
        return 'OK'
    if not there:
        return None if treatment == 'ignore' else 'INSUFFICIENT_DATA'
    # All that is there breaches. An old enough one rings, unless missing data are ignored.
    oldest = max(at for at, one in enumerate(found) if one is not None)
    return 'ALARM' if treatment == 'missing' and oldest + 1 >= wanted else None


def _values(alarm: Alarm, end: float, minute: float, count: int) -> list[float | None]:
    """Newest first."""
    metrics = alarm.get('Metrics') or []
    seconds = (queries.period_of(metrics) if metrics else int(alarm.get('Period') or 60)) * minute / 60
    starts = [end - (number + 1) * seconds for number in range(count)]
    if metrics:
        [told] = [str(one['Id']) for one in metrics if one.get('ReturnData', True)]
        series = queries.values_of(metrics, starts, seconds)[told]
        return [series.get(at) for at in starts]
    name = str(alarm.get('ExtendedStatistic') or alarm.get('Statistic') or 'Average')
    stat = {
        'Metric': {key: alarm.get(key) for key in ('Namespace', 'MetricName', 'Dimensions')},
        'Stat': name,
        'Unit': alarm.get('Unit') or None,
    }
    found = queries.series_of(stat, starts, seconds)
    return [found.get(at) for at in starts]


def _reason(alarm: Alarm, there: Sequence[float], count: int, wanted: int, treatment: str, state: str) -> str:
    """In CloudWatch's words."""
    missing = count - len(there)
    if not there:
        if state == 'INSUFFICIENT_DATA':
            return f'Insufficient Data: {count} datapoints were unknown.'
        treated = f'{missing} missing datapoints were treated as [{_TREATED[treatment]}]'
        return f'Threshold Crossed: no datapoints were received for {count} periods and {treated}.'
    threshold = float(alarm.get('Threshold') or 0)
    breaches = _BREACHES[str(alarm['ComparisonOperator'])]
    crossing = [one for one in there if breaches(one, threshold) == (state == 'ALARM')]
    negated = '' if state == 'ALARM' else 'not '
    words = _WORDS[str(alarm['ComparisonOperator'])]
    move = 'OK -> ALARM' if state == 'ALARM' else 'ALARM -> OK'
    least = wanted if state == 'ALARM' else count - wanted + 1
    told = f'{len(crossing)} out of the last {count} datapoints [{", ".join(map(str, crossing))}] were {negated}{words}'
    filled = (
        f' and {missing} missing datapoints were treated as [{_TREATED[treatment]}]'
        if (missing and treatment in _TREATED)
        else ''
    )
    plural = '' if least == 1 else 's'
    return (
        f'Threshold Crossed: {told} the threshold ({threshold}){filled} '
        f'(minimum {least} datapoint{plural} for {move} transition).'
    )
