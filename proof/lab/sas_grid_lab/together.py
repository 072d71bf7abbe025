"""The same thing on several machines at the same time."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar('Item')
Value = TypeVar('Value')


def on_each(items: Iterable[Item], act: Callable[[Item], Value]) -> list[Value]:
    """Results in the order of the items; the first error is raised when all have ended.

    Who is interrupted does not wait: the machines are about to be killed, which ends what is still at work.
    """
    pool = ThreadPoolExecutor(16)
    try:
        futures = [pool.submit(act, item) for item in items]
        for future in futures:
            future.exception()
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def together(actions: Iterable[Callable[[], object]]) -> None:
    """Different things at the same time."""
    on_each(actions, lambda action: action())
