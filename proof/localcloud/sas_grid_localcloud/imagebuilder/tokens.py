"""clientToken: a request that is sent again gives the first answer again, with other parameters it is refused."""

import threading
from collections.abc import Callable

from ..query import Refused
from .state import Record, Request

Handle = Callable[[Request], Record]

_lock = threading.RLock()


def once(handle: Handle) -> Handle:
    """An operation that honours clientToken."""
    done: dict[str, tuple[Record, Record]] = {}

    def guarded(request: Request) -> Record:
        token = str(request.get('clientToken') or '')
        if not token:
            return handle(request)
        asked = {name: value for name, value in request.items() if name != 'clientToken'}
        with _lock:
            if token not in done:
                done[token] = (asked, {**handle(request), 'clientToken': token})
            before, answer = done[token]
        if before != asked:
            raise Refused(
                'IdempotentParameterMismatchException',
                f'The client token {token} was used with other parameters. Use another token.',
            )
        return answer

    return guarded
