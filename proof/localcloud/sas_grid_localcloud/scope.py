"""Account and region of work that no request started. ministack keeps its stores by both."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ministack.core.responses import get_account_id, get_region, request_scope

from .settings import ACCOUNT

_region = 'us-east-1'


def use_region(region: str) -> None:
    """The region of background work from now on."""
    global _region
    _region = region


@contextmanager
def own_scope() -> Iterator[None]:
    """Inside, ministack's stores are those of the embedded account and region."""
    with request_scope(ACCOUNT, _region):
        yield


def in_scope(action: Callable[[], None]) -> Callable[[], None]:
    """The same action, run in the embedded account and region whatever thread it is on."""

    def scoped() -> None:
        with own_scope():
            action()

    return scoped


def arn(service: str, resource: str) -> str:
    """An ARN in the scope of the request that is running."""
    return f'arn:aws:{service}:{get_region()}:{get_account_id()}:{resource}'
