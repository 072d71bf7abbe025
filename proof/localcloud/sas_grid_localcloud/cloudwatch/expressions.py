"""Metric math: arithmetic, comparisons, and the functions that alarms are made of. SEARCH and SQL are refused.

An expression is read by Python's own grammar, and nothing but what is listed here is carried out.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from statistics import pstdev
from typing import Any

Series = dict[float, float]
Value = float | Series | list[Series]

_BINARY: dict[type[ast.AST], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: left / right if right else float('nan'),
    ast.Pow: operator.pow,
    ast.And: lambda left, right: float(bool(left) and bool(right)),
    ast.Or: lambda left, right: float(bool(left) or bool(right)),
}
_COMPARE: dict[type[ast.AST], Callable[[float, float], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_AGGREGATES: dict[str, Callable[[Sequence[float]], float]] = {
    'AVG': lambda values: sum(values) / len(values),
    'MAX': max,
    'MIN': min,
    'STDDEV': pstdev,
    'SUM': sum,
}
_EACH: dict[str, Callable[[float], float]] = {'ABS': abs, 'CEIL': lambda v: -(-v // 1), 'FLOOR': lambda v: v // 1}


@lru_cache(maxsize=256)
def _tree(expression: str) -> ast.expr:
    # As in metric math, Python's and and or bind looser than its comparisons.
    text = re.sub(r'\bAND\b|&&', ' and ', re.sub(r'\bOR\b|\|\|', ' or ', expression)).replace('^', '**')
    try:
        return ast.parse(text.strip(), mode='eval').body
    except SyntaxError:
        raise ValueError(f'the expression {expression} is not valid') from None


def needs(expression: str) -> set[str]:
    """The ids that it refers to."""
    tree = _tree(expression)
    functions = {id(one.func) for one in ast.walk(tree) if isinstance(one, ast.Call)}
    named = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and id(one) not in functions}
    return named - {'REPEAT', 'LINEAR'}


def evaluate(
    expression: str, known: Mapping[str, Series], metrics: Mapping[str, Series], starts: list[float]
) -> Series:
    """The series that an expression is, over these periods.

    :param metrics: what METRICS() is
    :raises ValueError: when it is wrong or not implemented
    """
    value = _Evaluation(expression, known, metrics, starts).of(_tree(expression))
    if isinstance(value, list):
        raise ValueError(f'the expression {expression} is several time series; one is needed')
    return dict.fromkeys(starts, value) if isinstance(value, float) else value


class _Evaluation:
    def __init__(
        self, expression: str, known: Mapping[str, Series], metrics: Mapping[str, Series], starts: list[float]
    ) -> None:
        self._expression, self._known, self._metrics, self._starts = expression, known, metrics, starts

    def of(self, node: ast.expr) -> Value:
        """The value of a part."""
        match node:
            case ast.Constant(value=bool() | int() | float() as number):
                return float(number)
            case ast.Name(id=name) if name in self._known:
                return self._known[name]
            case ast.List(elts=parts):
                return [self._series(one) for one in parts]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self._both(ast.Mult(), -1.0, self.of(inner))
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
                return self._both(sign, self.of(left), self.of(right))
            case ast.BoolOp(op=word, values=[first, *others]):
                value = self.of(first)
                for one in others:
                    value = self._both(word, value, self.of(one))
                return value
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _COMPARE:
                return self._both(sign, self.of(left), self.of(right))
            case ast.Call(func=ast.Name(id=name), args=given):
                return self._call(name, given)
        raise self._not_there()

    def _both(self, sign: ast.AST, left: Value, right: Value) -> Value:
        apply: Any = _BINARY.get(type(sign)) or _COMPARE[type(sign)]
        if isinstance(left, list) or isinstance(right, list):
            several = left if isinstance(left, list) else right
            assert isinstance(several, list)
            pairs = [(one, right) if several is left else (left, one) for one in several]
            return [one for one in (self._both(sign, *pair) for pair in pairs) if isinstance(one, dict)]
        if isinstance(left, float) and isinstance(right, float):
            return float(apply(left, right))
        # A period in which one side has no value has none.
        at = [one for one in self._starts if self._has(left, one) and self._has(right, one)]
        return {one: float(apply(self._get(left, one), self._get(right, one))) for one in at}

    def _call(self, name: str, given: list[ast.expr]) -> Value:
        if name == 'METRICS':
            wanted = str(given[0].value) if given and isinstance(given[0], ast.Constant) else ''
            return [series for one, series in self._metrics.items() if wanted in one]
        if name == 'IF' and len(given) in (2, 3):
            return self._if([self.of(one) for one in given])
        if name == 'FILL' and len(given) == 2:
            return self._fill(self._series(given[0]), given[1])
        if name in _AGGREGATES and len(given) == 1:
            return self._aggregate(_AGGREGATES[name], self.of(given[0]))
        if name in _EACH and len(given) == 1:
            return {at: float(_EACH[name](value)) for at, value in self._series(given[0]).items()}
        raise self._not_there()

    def _if(self, values: list[Value]) -> Value:
        condition, then = values[0], values[1]
        otherwise: Value = values[2] if len(values) == 3 else {}
        found: Series = {}
        for at in self._starts:
            if self._has(condition, at):
                chosen = then if self._get(condition, at) else otherwise
                if self._has(chosen, at):
                    found[at] = self._get(chosen, at)
        return found

    def _fill(self, series: Series, by: ast.expr) -> Series:
        if isinstance(by, ast.Name) and by.id == 'REPEAT':
            found: Series = {}
            for at in sorted(self._starts):
                before = [one for one in sorted(series) if one <= at]
                if before:
                    found[at] = series[before[-1]]
            return found
        filling = self.of(by)
        there = [at for at in self._starts if at in series or self._has(filling, at)]
        return {at: series[at] if at in series else self._get(filling, at) for at in there}

    def _aggregate(self, apply: Callable[[Sequence[float]], float], value: Value) -> Value:
        if isinstance(value, dict):
            return float(apply(list(value.values()))) if value else {}
        if isinstance(value, float):
            return value
        by_time = {at: [one[at] for one in value if at in one] for at in self._starts}
        return {at: float(apply(values)) for at, values in by_time.items() if values}

    def _series(self, node: ast.expr) -> Series:
        value = self.of(node)
        if isinstance(value, list):
            raise self._not_there()
        return dict.fromkeys(self._starts, value) if isinstance(value, float) else value

    @staticmethod
    def _has(value: Value, at: float) -> bool:
        return isinstance(value, float) or at in value

    @staticmethod
    def _get(value: Value, at: float) -> float:
        assert not isinstance(value, list)
        return value if isinstance(value, float) else value[at]

    def _not_there(self) -> ValueError:
        return ValueError(f'the expression {self._expression} is not valid, or not implemented by the embedded AWS')
