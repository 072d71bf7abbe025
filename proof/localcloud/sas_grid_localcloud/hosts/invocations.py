"""How Systems Manager lists what became of commands: filters, pages, and one output for both streams."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from .commands import Command, Invocation
from .documents import Refused

LARGEST_PAGE = 50
OUTPUT_CHARACTERS = 2500
"""Systems Manager API Reference, "CommandPlugin": what comes after is cut off."""

Wanted = Callable[[Command, Invocation], bool]

WantedCommand = Callable[[Command], bool]


def filters(given: Sequence[Mapping[str, str]]) -> Wanted:
    """Whether an invocation is asked for. All filters have to hold."""
    return lambda command, invocation: all(_holds(one, command, invocation) for one in given)


def _holds(one: Mapping[str, str], command: Command, invocation: Invocation) -> bool:
    key, value = one.get('key'), str(one.get('value') or '')
    if key == 'DocumentName':
        return command.document == value
    if key == 'Status':
        return invocation.status == value
    if key in ('InvokedAfter', 'InvokedBefore'):
        return _at_the_time(key, value, command)
    raise Refused('InvalidFilterKey', f'The filter {key} is not valid for ListCommandInvocations')


def command_filters(given: Sequence[Mapping[str, str]]) -> WantedCommand:
    """Whether a command is asked for. All filters have to hold."""
    return lambda command: all(_command_holds(one, command) for one in given)


def _command_holds(one: Mapping[str, str], command: Command) -> bool:
    key, value = one.get('key'), str(one.get('value') or '')
    if key == 'DocumentName':
        return command.document == value
    if key == 'Status':
        return command.status == value
    if key in ('InvokedAfter', 'InvokedBefore'):
        return _at_the_time(key, value, command)
    raise Refused('InvalidFilterKey', f'The filter {key} is not valid for ListCommands')


def _at_the_time(key: str, value: str, command: Command) -> bool:
    try:
        time = datetime.strptime(value, '%Y-%m-%dT%H:%M:%S%z').timestamp()
    except ValueError:
        raise Refused('InvalidFilterValue', f'The filter value {value!r} is not a time') from None
    return command.requested >= time if key == 'InvokedAfter' else command.requested <= time


def page(found: list[dict[str, Any]], request: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str | None]:
    """One page, and the token of the next."""
    most = int(request.get('MaxResults') or LARGEST_PAGE)
    if not 1 <= most <= LARGEST_PAGE:
        raise Refused('ValidationException', f'MaxResults is {most}; allowed: 1 to {LARGEST_PAGE}')
    token = str(request.get('NextToken') or '0')
    if not token.isdigit():
        raise Refused('InvalidNextToken', f'The token {token!r} is not valid')
    following = int(token) + most
    return found[int(token) : following], str(following) if following < len(found) else None


def output(invocation: Invocation) -> str:
    """What the program said, its errors last."""
    errors = f'\n----------ERROR-------\n{invocation.err}' if invocation.err else ''
    return (invocation.out + errors)[:OUTPUT_CHARACTERS]
