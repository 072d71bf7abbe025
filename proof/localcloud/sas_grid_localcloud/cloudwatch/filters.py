"""Metric filters of log groups, with patterns of terms and of JSON.

CloudWatch Logs user guide, "Filter pattern syntax". Patterns of space-delimited events and regular expressions are
refused: what is not implemented is not silently a match.
"""

import fnmatch
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import cloudwatch_logs

from . import points

Matches = Callable[[str], bool]

_CONDITION = re.compile(
    r'\s*\(?\s*\$\.([\w.\[\]-]+)\s*'
    r'(IS NULL|IS TRUE|IS FALSE|NOT EXISTS|(!=|<=|>=|=|<|>)\s*("[^"]*"|[^\s&|)]+))'
    r'\s*\)?\s*'
)


class NotImplementedHere(ValueError):
    """A pattern of a kind that is not there."""


def install() -> None:
    """Refuse patterns that are not implemented. Where a filter is stored, ministack does it."""
    own = cloudwatch_logs._put_metric_filter

    def put(data: Mapping[str, Any]) -> Any:
        try:
            matcher(str(data.get('filterPattern') or ''))
        except NotImplementedHere as problem:
            return error_response_json('InvalidParameterException', str(problem), 400)
        return own(data)

    cloudwatch_logs._put_metric_filter = put


def look(group: str, lines: Sequence[tuple[str, Any]]) -> None:
    """Make metrics of new lines. Each comes with its time in milliseconds, or None."""
    for one in cloudwatch_logs._metric_filters.values():
        if one['logGroupName'] != group:
            continue
        matches = matcher(str(one.get('filterPattern') or ''))
        for transformation in one['metricTransformations']:
            found = [(line, at) for line, at in lines if matches(line)]
            for line, at in found:
                _put(transformation, _value(transformation['metricValue'], line), line, at)
            if not found and lines and transformation.get('defaultValue') is not None:
                _put(transformation, float(transformation['defaultValue']), '', lines[-1][1])


def _put(transformation: Mapping[str, Any], value: float | None, line: str, at: Any) -> None:
    if value is None:
        return
    named = transformation.get('dimensions') or {}
    found = {name: _at(line, path.removeprefix('$.')) for name, path in named.items()}
    dimensions = {name: str(one) for name, one in found.items() if one is not None}
    unit = str(transformation.get('unit') or 'None')
    moment = None if at is None else float(at) / 1000
    points.put(transformation['metricNamespace'], transformation['metricName'], [value], dimensions, unit, moment)


def _value(text: str, line: str) -> float | None:
    found = _at(line, text[2:]) if text.startswith('$.') else text
    try:
        return float(str(found))
    except ValueError:
        return None


def matcher(pattern: str) -> Matches:
    """Whether a line matches.

    :raises NotImplementedHere: of a pattern of another kind
    """
    text = pattern.strip()
    if text.startswith('[') or '%' in text:
        raise NotImplementedHere(f'the filter pattern {pattern} is not implemented by the embedded AWS')
    if not text.startswith('{'):
        own: Matches = cloudwatch_logs._compile_filter_pattern(text)
        return own
    either = [[_condition(one, pattern) for one in part.split('&&')] for part in text.strip('{} ').split('||')]

    def matches(line: str) -> bool:
        return any(all(holds(line) for holds in conditions) for conditions in either)

    return matches


def _condition(text: str, pattern: str) -> Matches:
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise NotImplementedHere(f'the filter pattern {pattern} is not implemented by the embedded AWS')
    path, whole, operator, wanted = found.groups()

    def holds(line: str) -> bool:
        there = _at(line, path)
        if operator is None:
            return {'IS NULL': there is None, 'NOT EXISTS': there is None}.get(whole, there is (whole == 'IS TRUE'))
        return there is not None and _compare(there, operator, wanted)

    return holds


def _compare(there: Any, operator: str, wanted: str) -> bool:
    try:
        left, right = float(there), float(wanted)
    except (TypeError, ValueError):
        same = fnmatch.fnmatchcase(str(there), wanted.strip('"'))
        return same if operator == '=' else not same and operator == '!='
    return {
        '=': left == right,
        '!=': left != right,
        '<': left < right,
        '>': left > right,
        '<=': left <= right,
        '>=': left >= right,
    }[operator]


def _at(line: str, path: str) -> Any:
    try:
        node = json.loads(line)
    except ValueError:
        return None
    for step in re.findall(r'[\w-]+', path):
        if isinstance(node, list) and step.isdigit() and int(step) < len(node):
            node = node[int(step)]
        else:
            node = node.get(step) if isinstance(node, dict) else None
    return node
