"""What programs that build an image ask for beside packages: the kernel that boots, loop devices, and small things."""

from __future__ import annotations

import os

import host
from host import Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_KERNEL = host.ROOT / 'boot/grub2/grubenv'
"""The kernel of the next boot; the one that runs is in proc/sys/kernel/osrelease (hosts/sandbox.py)."""
LOOPS = host.ROOT / 'var/lib/loop'
LOOP_BYTES = 1 << 16
"""What stands for the content of a loop device, however big its file is."""


def grubby(arguments: Sequence[str]) -> int:
    if '--set-default' in arguments:
        kernel = arguments[-1]
        if not (host.ROOT / kernel.lstrip('/')).exists():
            raise Failed(1, f'The param {kernel} is incorrect')
        DEFAULT_KERNEL.parent.make_folder()
        DEFAULT_KERNEL.write_text(f'saved_entry={kernel.removeprefix("/boot/vmlinuz-")}\n')
        print(f'The default is {kernel}')
    elif '--default-kernel' in arguments and DEFAULT_KERNEL.exists():
        print(f'/boot/vmlinuz-{DEFAULT_KERNEL.read_text().strip().partition("=")[2]}')
    return 0


def losetup(arguments: Sequence[str]) -> int:
    """--find --show of a file, -j to look for it, -d of a device."""
    name = arguments[-1]
    if '-d' in arguments:
        return _detach(Path(name))
    if '-j' in arguments:
        for loop in LOOPS.children():
            if (loop / 'file').read_text() == name:
                print(f'{host.ROOT / "dev" / loop.name}: []: ({name})')
        return 0
    if not Path(name).is_file():
        raise Failed(1, f'losetup: {name}: failed to set up loop device: No such file or directory')
    loop = next(LOOPS / f'loop{number}' for number in range(256) if not (LOOPS / f'loop{number}').exists())
    loop.make_folder()
    (loop / 'file').write_text(name)
    with open(str(loop / 'disk'), 'wb') as disk:
        disk.truncate(LOOP_BYTES)
    device = host.ROOT / 'dev' / loop.name
    device.remove()
    device.symlink_to(loop / 'disk')
    print(device)
    return 0


def _detach(device: Path) -> int:
    loop = LOOPS / device.name
    if not loop.is_dir():
        raise Failed(1, f'losetup: {device}: failed to use device: No such device')
    device.remove()
    for file in loop.links():
        file.remove()
    os.rmdir(str(loop))
    return 0


def locale(arguments: Sequence[str]) -> int:
    if '-a' in arguments:
        print('C\nC.utf8\nPOSIX')
        if host.installed('glibc-langpack-en'):
            print('en_US\nen_US.utf8')
    return 0


def cloud_init(arguments: Sequence[str]) -> int:
    """clean: the next boot is the first one to it."""
    if arguments[:1] == ['clean']:
        import shutil

        shutil.rmtree(str(host.ROOT / 'var/lib/cloud'), ignore_errors=True)
    return 0


TOOLS = {'cloud-init': cloud_init, 'grubby': grubby, 'locale': locale, 'losetup': losetup}
