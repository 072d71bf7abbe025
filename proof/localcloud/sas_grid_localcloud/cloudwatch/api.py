"""What the API and templates say of metrics and alarms, where ministack knows no math and mixes dimensions."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from ministack.services import cloudwatch
from ministack.services.cloudformation import provisioners

from .. import query
from . import points, queries

Answer = Any
Handler = Callable[..., Answer]


def install() -> None:
    """Answer GetMetricData and GetMetricStatistics, and keep the math of alarms."""
    cloudwatch._get_metric_data = _handler('GetMetricData', _data)
    cloudwatch._get_metric_statistics = _handler('GetMetricStatistics', _statistics)
    own_put, own_record = cloudwatch._put_metric_alarm, provisioners._cw_metric_alarm_record

    def put(parameters: Any, data: Any, is_cbor: bool, is_json: bool = False) -> Answer:
        members = _members(parameters, data, is_cbor or is_json)
        metrics = _metrics(members)
        refused = _refusal(metrics)
        if refused:
            return cloudwatch._error('ValidationError', refused, 400, use_json=is_json, use_cbor=is_cbor)
        answer = own_put(parameters, data, is_cbor, is_json)
        alarm = cloudwatch._alarms.get(members.get('AlarmName'))
        if answer[0] < 400 and alarm is not None and metrics:
            _with_metrics(alarm, metrics)
        return answer

    def record(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        metrics = _metrics(properties)
        if not metrics:
            return dict(own_record(name, properties))
        refused = _refusal(metrics)
        if refused:
            raise ValueError(refused)
        alone = {key: value for key, value in properties.items() if key != 'Metrics'}
        return _with_metrics(dict(own_record(name, {**alone, 'MetricName': '-', 'Namespace': '-'})), metrics)

    cloudwatch._put_metric_alarm = put
    provisioners._cw_metric_alarm_record = record


def _handler(action: str, handle: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Handler:
    def handler(parameters: Any, data: Any, is_cbor: bool, is_json: bool = False) -> Answer:
        try:
            told = handle(_members(parameters, data, is_cbor or is_json))
        except ValueError as problem:
            return cloudwatch._error('ValidationError', str(problem), 400, use_json=is_json, use_cbor=is_cbor)
        if is_json:
            return cloudwatch._json_ok(_timed(told, int))
        if is_cbor:
            return cloudwatch._cbor_ok(_timed(told, cloudwatch._cbor_timestamp))
        inner = query.xml(_timed(told, cloudwatch._ts_iso), 'member')
        return cloudwatch._xml(200, f'{action}Response', f'<{action}Result>{inner}</{action}Result>')

    return handler


def _timed(value: Any, shown: Callable[[float], Any]) -> Any:
    """With times as the protocol has them."""
    if isinstance(value, _Time):
        return shown(float(value))
    if isinstance(value, Mapping):
        return {key: _timed(one, shown) for key, one in value.items()}
    return [_timed(one, shown) for one in value] if isinstance(value, list) else value


class _Time(float):
    """Seconds since 1970, and no value of a metric."""


def _members(parameters: Any, data: Any, nested: bool) -> Mapping[str, Any]:
    return dict(data or {}) if nested else query.parse(parameters)


def _metrics(members: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [_typed(dict(one)) for one in members.get('Metrics') or members.get('MetricDataQueries') or []]


def _typed(one: dict[str, Any]) -> dict[str, Any]:
    """A query of any protocol."""
    if 'ReturnData' in one:
        one['ReturnData'] = query.flag(one['ReturnData'])
    return one


def _refusal(metrics: list[dict[str, Any]]) -> str:
    """Why these cannot be an alarm's metrics; '' when they can."""
    if not metrics:
        return ''
    if sum(one.get('ReturnData', True) for one in metrics) != 1:
        return 'Exactly one element of the metrics list should return data'
    try:
        queries.values_of(metrics, [0.0], 60)
    except ValueError as problem:
        return str(problem)
    return ''


def _with_metrics(alarm: dict[str, Any], metrics: list[dict[str, Any]]) -> dict[str, Any]:
    """An alarm on math has metrics in place of one metric."""
    for name in ('MetricName', 'Namespace', 'Statistic', 'ExtendedStatistic', 'Period', 'Dimensions', 'Unit'):
        alarm.pop(name, None)
    alarm['Metrics'] = metrics
    return alarm


def _range(members: Mapping[str, Any]) -> tuple[float, float]:
    start, end = (cloudwatch._parse_ts(members.get(name)) for name in ('StartTime', 'EndTime'))
    if start is None or end is None or start >= end:
        raise ValueError('The parameter StartTime must be less than the parameter EndTime.')
    return float(start), float(min(end, time.time() + 7200))


def _starts(start: float, end: float, seconds: int) -> list[float]:
    first = int(start // seconds) * seconds
    return [float(at) for at in range(first, int(-(-end // 1)), seconds)]


def _data(members: Mapping[str, Any]) -> dict[str, Any]:
    """GetMetricData. All series of one request that are in one expression have the longest period of all."""
    asked = _metrics(members)
    start, end = _range(members)
    in_math = any(one.get('Expression') for one in asked)
    common = queries.period_of(asked)
    found: dict[str, queries.Series] = {}
    if in_math:
        found = queries.values_of(asked, _starts(start, end, common), common)
    else:
        for one in asked:
            seconds = queries.period_of([one])
            found[str(one['Id'])] = queries.series_of(one['MetricStat'], _starts(start, end, seconds), seconds)
    newest_first = members.get('ScanBy') != 'TimestampAscending'
    results = []
    for one in asked:
        if one.get('ReturnData', True):
            series = sorted(found[str(one['Id'])].items(), reverse=newest_first)
            results.append(
                {
                    'Id': one['Id'],
                    'Label': one.get('Label')
                    or one.get('MetricStat', {}).get('Metric', {}).get('MetricName')
                    or one['Id'],
                    'Timestamps': [_Time(at) for at, _ in series],
                    'Values': [value for _, value in series],
                    'StatusCode': 'Complete',
                }
            )
    return {'MetricDataResults': results, 'Messages': []}


def _statistics(members: Mapping[str, Any]) -> dict[str, Any]:
    """GetMetricStatistics: of exactly these dimensions."""
    start, end = _range(members)
    seconds = int(members['Period'])
    dimensions = queries.dimensions_of(members.get('Dimensions'))
    about = str(members['Namespace']), str(members['MetricName'])
    shown: list[dict[str, Any]] = []
    for at in _starts(start, end, seconds):
        there = points.between(*about, dimensions, at, at + seconds)
        there = [one for one in there if members.get('Unit') in (None, one['Unit'])]
        if not there:
            continue
        point: dict[str, Any] = {'Timestamp': _Time(at), 'Unit': there[0]['Unit']}
        point.update({name: points.statistic(there, name) for name in members.get('Statistics') or []})
        extended = {name: points.statistic(there, name) for name in members.get('ExtendedStatistics') or []}
        if extended:
            point['ExtendedStatistics'] = extended
        shown.append(point)
    return {'Label': about[1], 'Datapoints': shown}
