"""A machine is stopped when a disk has writes that were not flushed."""

from collections.abc import Iterator

import pytest

from sas_grid_lab.qemu import Counts, Qemu

Step = Counts | str


class Scripted(Qemu):
    """Answers with these counts in turn."""

    def __init__(self, counts: list[Counts]) -> None:
        self.said: list[str] = []
        self._counts: Iterator[Counts] = iter(counts)

    def writes(self) -> dict[str, tuple[int, int]]:
        return dict(next(self._counts))

    def freeze(self) -> None:
        self.said.append('stop')

    def go(self) -> None:
        self.said.append('cont')


def test_it_stops_after_writes_without_a_flush() -> None:
    qemu = Scripted(
        [{'a': (1, 1), 'b': (0, 0)}, {'a': (2, 2), 'b': (0, 0)}, {'a': (4, 2), 'b': (0, 0)}] + 2 * [{'a': (5, 2)}]
    )
    assert qemu.stop_between_flushes(60) == {'a': 3}
    assert qemu.said == ['stop']


def test_a_flush_that_was_under_way_lets_it_go_on() -> None:
    qemu = Scripted([{'a': (1, 1)}, {'a': (2, 1)}, {'a': (2, 2)}, {'a': (3, 2)}, {'a': (4, 2)}, {'a': (4, 2)}])
    assert qemu.stop_between_flushes(60) == {'a': 1}
    assert qemu.said == ['stop', 'cont', 'stop']


@pytest.mark.parametrize('counts', [(2, 2), (1, 1)])
def test_there_may_be_no_such_moment(counts: tuple[int, int]) -> None:
    assert Scripted([{'a': (1, 1)}, *[{'a': counts}] * 100_000]).stop_between_flushes(0.01) == {}
