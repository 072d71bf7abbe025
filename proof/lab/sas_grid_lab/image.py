"""The guest's image: a kernel, an initial RAM disk and a root disk, cached under a key of all that it is made of."""

import fcntl
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from . import apt_sources, image_build, initrd, kernel
from .commands import HostCommandFailed
from .recipe import Recipe
from .settings import GUEST, Settings

CANNOT_BUILD = (apt_sources.NoSources, image_build.Unreachable)
"""reasons of this host for having no image"""
PROBLEMS = (image_build.BadTree, initrd.NoModule, kernel.NoKernel, HostCommandFailed)
"""errors in what the image is made of"""

Say = Callable[[str], None]

SAY_SECONDS = 30.0
"""between two words of who waits"""


@dataclass(frozen=True)
class Image:
    """A built image."""

    folder: Path
    version: str

    @property
    def kernel(self) -> Path:
        return self.folder / 'vmlinux'

    @property
    def initrd(self) -> Path:
        return self.folder / 'initrd.img'

    @property
    def root(self) -> Path:
        return self.folder / 'root.raw'


def ensure(settings: Settings, say: Say, tree: Path | None = None, recipe: Recipe | None = None) -> Image:
    """The image, built when the cache has none of this key. A tree is laid over the guest's root.

    :param recipe: what makes the image of a plain Debian, instead of the lab's own packages
    """
    sources = apt_sources.sources(settings.sources)
    wanted = image_build.kernel_of(tree) if tree else None
    packages = recipe.base() if recipe else image_build.packages(wanted, tree)
    if recipe or not set(image_build.ZFS_TOOLS).isdisjoint(packages):
        sources = apt_sources.with_contrib(sources)
    base = key_of([sources, *packages])
    key = key_of([base, *guest_files(), *(listing(tree) if tree else []), *(recipe.parts() if recipe else [])])
    folder = settings.cache / f'image-{key}'
    with locked(settings.cache / 'image.lock', say):
        if not (folder / 'image.json').exists():
            started = time.monotonic()
            archive = settings.cache / f'base-{base}.tar.zst'
            forget_old(settings.cache)
            if not archive.exists():
                say('building the guest: Debian and its packages (about 3 minutes, once)')
                image_build.make_base(archive, packages, sources)
            say('building the guest: root disk, kernel and initial RAM disk (about half a minute)')
            version = image_build.make_image(folder, archive, tree, recipe.kernel if recipe else wanted, recipe)
            (folder / 'image.json').write_text(json.dumps({'kernel': version}) + '\n')
            archive.touch()
            say(f'the image is built: {folder}, {time.monotonic() - started:.0f} s')
        (folder / 'image.json').touch()
        return Image(folder, json.loads((folder / 'image.json').read_text())['kernel'])


def remove_all(settings: Settings) -> list[Path]:
    """Remove every cached image; returns what was there."""
    found = [path for kind in ('image', 'base', 'build') for path in settings.cache.glob(f'{kind}-*')]
    for path in found:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return found


def forget_old(cache: Path) -> None:
    """Remove what interrupted builds left, and what no run has used for a week. The lock is held."""
    long_ago = time.time() - 7 * 24 * 3600
    for path in [*cache.glob('image-*'), *cache.glob('base-*'), *cache.glob('build-*')]:
        used = path / 'image.json' if path.is_dir() else path
        if not used.exists() or used.stat().st_mtime < long_ago:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def locked(file: Path, say: Say) -> Iterator[None]:
    """Two runs at once build an image only once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open('w') as handle:
        while not _taken(handle):
            say('another run looks for the image, or builds it: waiting for that')
        yield


def _taken(handle: IO[str]) -> bool:
    """Whether the lock is had now, or within the time after which something is said."""
    for _ in range(int(SAY_SECONDS / 0.2)):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(0.2)
    return False


def key_of(parts: list[str]) -> str:
    """Sixteen hexadecimal digits that change when any part does."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f'{len(part)}:{part}'.encode())
    return digest.hexdigest()[:16]


def guest_files() -> list[str]:
    """What the image is made of besides packages: names and contents, the builder's among them."""
    builder = Path(image_build.__file__)
    files = [
        *sorted(path for path in GUEST.iterdir() if path.is_file()),
        *(builder.with_name(name) for name in ('image_build.py', 'initrd.py', 'kernel.py')),
    ]
    return [text for path in files for text in (path.name, path.read_text())]


def listing(tree: Path) -> list[str]:
    """Path, size and time of each file of a tree."""
    found = []
    for path in sorted(tree.rglob('*')):
        state = path.lstat()
        found.append(f'{path.relative_to(tree)} {state.st_mode:o} {state.st_size} {state.st_mtime_ns}')
    return [str(tree), *found]
