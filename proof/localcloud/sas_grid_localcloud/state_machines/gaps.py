"""What asl-validator 4.0.0 does not see: fields of the other query language, and a catch-all that is not the last.

Amazon States Language specification (states-language.net), "Query language" and "Errors": ``States.ALL`` stands alone
and in the last retrier or catcher.
"""

from collections.abc import Iterator, Mapping
from typing import Any

_JSONPATH_ONLY = frozenset(
    [
        'InputPath',
        'ItemsPath',
        'MaxConcurrencyPath',
        'OutputPath',
        'Parameters',
        'ResultPath',
        'ResultSelector',
        'SecondsPath',
        'TimeoutSecondsPath',
        'TimestampPath',
        'HeartbeatSecondsPath',
    ]
)
_JSONATA_ONLY = frozenset(['Arguments', 'Items', 'Output'])


def gaps_in(machine: Mapping[str, Any], language: str = 'JSONPath') -> Iterator[str]:
    """What is wrong with the states of a machine, and of those inside of it."""
    language = str(machine.get('QueryLanguage', language))
    for name, state in _states(machine):
        own = str(state.get('QueryLanguage', language))
        for field in sorted((_JSONPATH_ONLY if own == 'JSONata' else _JSONATA_ONLY) & set(state)):
            yield f'SCHEMA_VALIDATION_FAILED: The field {field} is not supported in the state {name} of {own}'
        for rule in ('Retry', 'Catch'):
            yield from (f'SCHEMA_VALIDATION_FAILED: {rule} of {name}: {told}' for told in _order(state.get(rule) or []))
        inner = [state.get('ItemProcessor') or state.get('Iterator') or {}, *(state.get('Branches') or [])]
        for one in inner:
            yield from gaps_in(one, own)


def _states(machine: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    states = machine.get('States')
    found = states.items() if isinstance(states, Mapping) else ()
    return [(str(name), state) for name, state in found if isinstance(state, Mapping)]


def _order(rules: list[Any]) -> Iterator[str]:
    for at, one in enumerate(rules, 1):
        errors = one.get('ErrorEquals') if isinstance(one, Mapping) else None
        if isinstance(errors, list) and 'States.ALL' in errors and (len(errors) > 1 or at < len(rules)):
            yield 'States.ALL must be alone, and in the last'
