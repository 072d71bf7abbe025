"""Lines of logs: those in the embedded metric format are metrics, and metric filters make metrics of others.

CloudWatch user guide, "Specification: Embedded metric format".
"""

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from ministack.services import cloudwatch_logs, lambda_svc

from . import filters, points

_log = logging.getLogger(__name__)


def install() -> None:
    """Look at what is put into log groups, and at what functions print."""
    own_put, own_emit = cloudwatch_logs._put_log_events, lambda_svc._emit_lambda_logs

    def put(data: Mapping[str, Any]) -> Any:
        answer = own_put(data)
        if answer[0] < 400:
            events = data.get('logEvents') or []
            _look(str(data.get('logGroupName')), [(str(one.get('message')), one.get('timestamp')) for one in events])
        return answer

    def emit(function: dict[str, Any], request_id: str, text: str, *more: Any, **named: Any) -> None:
        own_emit(function, request_id, text, *more, **named)
        configuration = function.get('config') or function
        logging_to = (configuration.get('LoggingConfig') or {}).get('LogGroup')
        group = logging_to or f'/aws/lambda/{configuration.get("FunctionName")}'
        _look(str(group), [(line, None) for line in (text or '').splitlines()])

    cloudwatch_logs._put_log_events = put
    lambda_svc._emit_lambda_logs = emit


def _look(group: str, lines: Iterable[tuple[str, Any]]) -> None:
    told = list(lines)
    for line, _ in told:
        if '"_aws"' in line:
            try:
                _measure(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError) as problem:
                # As on AWS, such a line stays a line of the log.
                _log.info('no metrics in a line of %s: %s', group, problem)
    filters.look(group, told)


def _measure(line: Mapping[str, Any]) -> None:
    about = line['_aws']
    at = float(about['Timestamp']) / 1000
    for directive in about['CloudWatchMetrics']:
        for names in directive.get('Dimensions') or [[]]:
            dimensions = {name: str(line[name]) for name in names}
            for metric in directive['Metrics']:
                found = line.get(metric['Name'])
                values = found if isinstance(found, list) else [found]
                numbers = [float(one) for one in values if isinstance(one, int | float)]
                if numbers:
                    unit = str(metric.get('Unit') or 'None')
                    points.put(str(directive['Namespace']), str(metric['Name']), numbers, dimensions, unit, at)
