"""Series of metrics and of math on them, for GetMetricData and for alarms.

CloudWatch user guide, "Using math expressions with CloudWatch metrics".
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import expressions, points

Series = dict[float, float]
"""Values by the start of their period."""
Query = Mapping[str, Any]


def dimensions_of(listed: Sequence[Mapping[str, str]] | None) -> dict[str, str]:
    """Dimensions as a mapping."""
    return {one['Name']: one['Value'] for one in listed or []}


def series_of(stat: Mapping[str, Any], starts: Sequence[float], seconds: float) -> Series:
    """The series of a MetricStat, in periods that begin then and take so long."""
    metric = stat['Metric']
    about = str(metric['Namespace']), str(metric['MetricName'])
    dimensions = dimensions_of(metric.get('Dimensions'))
    unit = stat.get('Unit')
    found: Series = {}
    for start in starts:
        there = points.between(*about, dimensions, start, start + seconds)
        value = points.statistic([one for one in there if unit in (None, one['Unit'])], str(stat['Stat']))
        if value is not None:
            found[start] = value
    return found


def period_of(queries: Sequence[Query]) -> int:
    """The longest period of all, which is that of an expression."""
    periods = [int((one.get('MetricStat') or one).get('Period') or 0) for one in queries]
    return max(periods, default=0) or 60


def values_of(queries: Sequence[Query], starts: Sequence[float], seconds: float) -> dict[str, Series]:
    """The series of each query, by its id. All have the same periods.

    :raises ValueError: of an expression that is wrong, or that is not implemented
    """
    found = {str(one['Id']): series_of(one['MetricStat'], starts, seconds) for one in queries if one.get('MetricStat')}
    waiting = [one for one in queries if one.get('Expression')]
    metrics = list(found)
    while waiting:
        ready = [one for one in waiting if expressions.needs(str(one['Expression'])) <= found.keys()]
        if not ready:
            unknown = ', '.join(str(one['Id']) for one in waiting)
            raise ValueError(f'the expressions of {unknown} refer to ids that do not exist, or to each other')
        for one in ready:
            known = {name: found[name] for name in metrics}
            result = expressions.evaluate(str(one['Expression']), found, known, list(starts))
            found[str(one['Id'])] = {at: value for at, value in result.items() if math.isfinite(value)}
        waiting = [one for one in waiting if one not in ready]
    return found
