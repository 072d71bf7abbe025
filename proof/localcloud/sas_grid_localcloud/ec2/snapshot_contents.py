"""Where there are hosts, snapshots have contents, which are taken when they are asked for and go with them."""

from collections.abc import Mapping
from typing import Protocol


class Contents(Protocol):
    """What hosts keep for snapshots. Names are those of EC2."""

    def take(self, volumes: Mapping[str, str]) -> None:
        """Copy volumes, by the names of their snapshots, all at one moment.

        :raises OSError: when there is too little room
        """

    def duplicate(self, snapshot: str, copied: str) -> None:
        """Another snapshot has the same contents."""

    def fill(self, volume: str, snapshot: str) -> None:
        """A new volume begins with what is in the snapshot."""

    def drop_snapshot(self, snapshot: str) -> None:
        """The snapshot is gone."""


class _None(Contents):
    """Without hosts there is nothing on volumes."""

    def take(self, volumes: Mapping[str, str]) -> None:
        pass

    def duplicate(self, snapshot: str, copied: str) -> None:
        pass

    def fill(self, volume: str, snapshot: str) -> None:
        pass

    def drop_snapshot(self, snapshot: str) -> None:
        pass


_contents: Contents = _None()


def use(contents: Contents) -> None:
    """These keep them from now on."""
    global _contents
    _contents = contents


def current() -> Contents:
    """Who keeps them."""
    return _contents
