"""ClientToken: a request that is sent again does nothing again.

EC2 developer guide, "Ensuring idempotency in Amazon EC2 API requests": the same token with the same parameters
succeeds without a further action, with other parameters it is refused.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..query import Refused
from .state import LOCK

Handle = Callable[[Mapping[str, Any]], dict[str, Any]]

_NOT_COMPARED = ('ClientToken', 'DryRun', 'Action', 'Version')


def once(handle: Handle, show_again: Handle) -> Handle:
    """An action that honours ClientToken.

    ``show_again`` makes the answer to a repetition out of the first one: what was made may have changed since.
    """
    done: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}

    def guarded(request: Mapping[str, Any]) -> dict[str, Any]:
        token = request.get('ClientToken')
        if not token:
            return handle(request)
        asked = {name: value for name, value in request.items() if name not in _NOT_COMPARED}
        with LOCK:
            if token not in done:
                done[token] = (asked, handle(request))
                return done[token][1]
            before, answer = done[token]
            if before != asked:
                raise Refused(
                    'IdempotentParameterMismatch',
                    f"The client token '{token}' was used with other parameters. Use another token.",
                )
            return show_again(answer)

    return guarded
