"""The data points of metrics, in the order of their time, so that a look at the last minutes costs little."""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from ministack.services import cloudwatch

from .. import clock

Point = Mapping[str, Any]
_TIME = itemgetter('Timestamp')
_EVICT_SECONDS = 60.0
_last_eviction = 0.0


class _Points(list[Point]):
    """Of one metric, ordered."""

    def append(self, point: Point) -> None:
        insort(self, point, key=_TIME)


def install() -> None:
    """Keep points ordered, and look for old ones now and then only: ministack does at each request."""
    own_evict = cloudwatch._evict_old_metrics

    def bucket(key: tuple[str, str, str]) -> list[Point]:
        found = cloudwatch._metrics.get(key)
        if not isinstance(found, _Points):
            found = cloudwatch._metrics[key] = _Points(found or ())
        return found

    def evict() -> None:
        global _last_eviction
        if clock.wall() - _last_eviction >= _EVICT_SECONDS:
            _last_eviction = clock.wall()
            own_evict()

    cloudwatch._metric_bucket = bucket
    cloudwatch._evict_old_metrics = evict


def put(
    namespace: str,
    name: str,
    values: Sequence[float],
    dimensions: Mapping[str, str] | None = None,
    unit: str = 'None',
    at: float | None = None,
) -> None:
    """Store values of a metric, in the account and region of the caller."""
    moment = clock.wall() if at is None else at
    cloudwatch._store_datum(namespace, name, dict(dimensions or {}), moment, unit, None, list(values), None, None)


def between(namespace: str, name: str, dimensions: Mapping[str, str], start: float, end: float) -> list[Point]:
    """The points of exactly this metric from ``start`` until before ``end``."""
    found = cloudwatch._metrics.get((namespace, name, cloudwatch._dims_key(dict(dimensions)))) or []
    ordered = found if isinstance(found, _Points) else sorted(found, key=_TIME)
    return ordered[bisect_left(ordered, start, key=_TIME) : bisect_left(ordered, end, key=_TIME)]


def statistic(points: Sequence[Point], name: str) -> float | None:
    """One statistic of them (``Sum``, ``p99``); None when there is none."""
    if not points:
        return None
    found = cloudwatch._stat_value(cloudwatch._calc_stats(points), name, points)
    return None if found is None else float(found)
