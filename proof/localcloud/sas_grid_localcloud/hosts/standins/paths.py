"""As much of pathlib as the stand-ins use. Importing the real one takes longer than most of them run."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Path:
    """A path of the file system."""

    def __init__(self, text: str | Path) -> None:
        self._text = str(text)

    def __str__(self) -> str:
        return self._text

    def __truediv__(self, name: str | Path) -> Path:
        return Path(os.path.join(self._text, str(name)))

    def __lt__(self, other: Path) -> bool:
        return self._text < other._text

    @property
    def name(self) -> str:
        return os.path.basename(self._text)

    @property
    def parent(self) -> Path:
        return Path(os.path.dirname(self._text))

    def exists(self) -> bool:
        return os.path.exists(self._text)

    def is_dir(self) -> bool:
        return os.path.isdir(self._text)

    def is_file(self) -> bool:
        return os.path.isfile(self._text)

    def resolve(self) -> Path:
        return Path(os.path.realpath(self._text))

    def read_text(self) -> str:
        with open(self._text, encoding='utf-8') as file:
            return file.read()

    def read_bytes(self) -> bytes:
        with open(self._text, 'rb') as file:
            return file.read()

    def write_text(self, text: str) -> None:
        with open(self._text, 'w', encoding='utf-8') as file:
            file.write(text)

    def append_text(self, text: str) -> None:
        with open(self._text, 'a', encoding='utf-8') as file:
            file.write(text)

    def touch(self) -> None:
        self.append_text('')

    def make_folder(self) -> None:
        os.makedirs(self._text, exist_ok=True)

    def remove(self) -> None:
        if os.path.lexists(self._text):
            os.unlink(self._text)

    def symlink_to(self, target: Path) -> None:
        os.symlink(str(target), self._text)

    def links(self) -> Iterator[Path]:
        """What lies in this folder, in order, also links to what is gone."""
        for name in sorted(os.listdir(self._text)) if self.is_dir() else ():
            yield self / name

    def children(self, below: str = '') -> Iterator[Path]:
        """What lies in this folder, in order; with ``below``, that path in each of its folders, where it exists."""
        for name in sorted(os.listdir(self._text)) if self.is_dir() else ():
            path = self / name / below if below else self / name
            if path.exists():
                yield path
