"""The initial RAM disk: a shell, the few modules that the root disk needs, and nothing that has to be waited for."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

TRAILER = 'TRAILER!!!'


class NoModule(Exception):
    """The guest's kernel has no such module."""


def make(root: Path, version: str, modules: Iterable[str], init: str, target: Path) -> None:
    """Write an archive of busybox, the modules with all that they need, and /init."""
    folder = modules_folder(root, version)
    order = in_order(modules, (folder / 'modules.dep').read_text(), (folder / 'modules.builtin').read_text())
    entries: list[tuple[str, int, bytes]] = [
        (name, stat.S_IFDIR | 0o755, b'') for name in ('bin', 'dev', 'modules', 'proc', 'root')
    ]
    entries.append(('bin/busybox', stat.S_IFREG | 0o755, busybox(root).read_bytes()))
    entries.append(('init', stat.S_IFREG | 0o755, init.encode()))
    # The shell takes them in the order of their names.
    for number, path in enumerate(order):
        name = f'modules/{number:02}-{Path(path).name}'
        entries.append((name, stat.S_IFREG | 0o644, (folder / path).read_bytes()))
    target.write_bytes(archive(entries))


def modules_folder(root: Path, version: str) -> Path:
    """Where the modules of a kernel lie."""
    for folder in (root / 'lib/modules' / version, root / 'usr/lib/modules' / version):
        if (folder / 'modules.dep').exists():
            return folder
    raise NoModule(f'the guest has no modules of the kernel {version}')


def busybox(root: Path) -> Path:
    """The statically linked shell."""
    return next(path for path in (root / 'bin/busybox', root / 'usr/bin/busybox') if path.exists())


def in_order(wanted: Iterable[str], dependencies: str, builtin: str) -> list[str]:
    """Paths of the modules so that each comes after what it needs; those built into the kernel are left out."""
    needs: dict[str, list[str]] = {}
    for line in dependencies.splitlines():
        path, _, needed = line.partition(':')
        needs[path] = needed.split()
    by_name = {module_name(path): path for path in needs}
    in_kernel = {module_name(path) for path in builtin.split()}
    order: list[str] = []
    for name in wanted:
        if name in in_kernel:
            continue
        if name not in by_name:
            raise NoModule(f'the guest has no module {name}')
        # modules.dep lists what is needed with the deepest last.
        path = by_name[name]
        order += [one for one in [*reversed(needs[path]), path] if one not in order]
    return order


def module_name(path: str) -> str:
    """How a module is called, of its path."""
    return os.path.basename(path).split('.ko')[0].replace('-', '_')


def archive(entries: Iterable[tuple[str, int, bytes]]) -> bytes:
    """A cpio archive in the format 'newc' of names, modes and contents."""
    out = bytearray()
    for number, (name, mode, content) in enumerate([*entries, (TRAILER, 0, b'')], 1):
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        out += b'070701' + b''.join(f'{value:08x}'.encode() for value in fields)
        out += name.encode() + b'\0'
        out += bytes(-len(out) % 4)
        out += content
        out += bytes(-len(out) % 4)
    return bytes(out)
