"""The image's key, its sources, and the parts that are made without tools of the system."""

import gzip
import lzma
import os
import threading
from pathlib import Path

import pytest

from sas_grid_lab import apt_sources, image, image_build, initrd, kernel
from sas_grid_lab.settings import GUEST


def test_the_key_changes_with_every_input() -> None:
    assert image.key_of(['a', 'bc']) == image.key_of(['a', 'bc'])
    assert len({image.key_of(parts) for parts in (['a', 'bc'], ['ab', 'c'], ['abc'], ['a', 'bc', ''])}) == 4


def test_the_guests_files_and_their_builder_are_inputs() -> None:
    inputs = image.guest_files()
    assert {path.name for path in GUEST.iterdir()} | {'image_build.py', 'initrd.py'} <= set(inputs)


def test_what_nobody_uses_is_forgotten_and_what_is_used_is_kept(tmp_path: Path) -> None:
    for name in ('image-used', 'image-old', 'image-interrupted', 'build-interrupted'):
        (tmp_path / name).mkdir()
    for name in ('image-used/image.json', 'image-old/image.json', 'base-used.tar.zst', 'base-old.tar.zst'):
        (tmp_path / name).touch()
        if 'old' in name:
            os.utime(tmp_path / name, (0, 0))
    image.forget_old(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {'image-used', 'base-used.tar.zst'}


def test_a_tree_that_changed_is_another_image(tmp_path: Path) -> None:
    file = tmp_path / 'sbin' / 'mount.lustre'
    file.parent.mkdir()
    file.write_text('one')
    before = image.listing(tmp_path)
    assert before == image.listing(tmp_path)
    os.utime(file, ns=(0, 1))
    assert before != image.listing(tmp_path)


def test_the_kernel_is_the_one_of_the_trees_modules(tmp_path: Path) -> None:
    with pytest.raises(image_build.BadTree, match='found: none'):
        image_build.kernel_of(tmp_path)
    (tmp_path / 'lib/modules/6.1.0-56-amd64').mkdir(parents=True)
    assert image_build.kernel_of(tmp_path) == '6.1.0-56-amd64'
    (tmp_path / 'lib/modules/5.14').mkdir()
    with pytest.raises(image_build.BadTree, match=r'5\.14, 6\.1'):
        image_build.kernel_of(tmp_path)


def test_zfs_is_added_only_to_a_tree_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apt_sources, 'available', lambda name: False)
    names = image_build.packages('6.1.0-56-amd64', tmp_path)
    assert 'linux-image-6.1.0-56-amd64' in names
    assert 'linux-image-amd64' not in names
    assert image_build.OTHER_KERNEL not in names
    assert 'zfsutils-linux' in names
    (tmp_path / 'sbin').mkdir()
    (tmp_path / 'sbin' / 'zpool').touch()
    assert 'zfsutils-linux' not in image_build.packages('6.1.0-56-amd64', tmp_path)
    assert 'zfsutils-linux' not in image_build.packages(None, None)


def test_the_guest_starts_with_the_kernel_for_all_hardware_and_has_one_more(tmp_path: Path) -> None:
    (tmp_path / 'boot').mkdir()
    for version in ('6.1.0-9-cloud-amd64', '6.1.0-9-amd64'):
        (tmp_path / 'boot' / f'vmlinuz-{version}').touch()
    assert image_build.kernels(tmp_path) == ['6.1.0-9-amd64', '6.1.0-9-cloud-amd64']
    assert image_build.OTHER_KERNEL in image_build.packages(None, None)


def test_sources_are_debians_of_this_release_with_all_components() -> None:
    text = (
        'Debian|bookworm|http://mirror/debian/|bookworm|main\n'
        'Debian|bookworm|http://mirror/debian/|bookworm|contrib\n'
        'Debian|bookworm-security|http://mirror/security/|bookworm-security|main\n'
        'Debian|trixie|http://mirror/debian/|trixie|main\n'
        'Node|nodistro|http://other/|nodistro|main\n'
    )
    assert apt_sources.from_targets(text) == (
        'deb http://mirror/debian/ bookworm main contrib\ndeb http://mirror/security/ bookworm-security main\n'
    )


@pytest.mark.parametrize('compress', [lzma.compress, gzip.compress])
def test_a_kernel_is_unpacked(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    elf = b'\x7fELF' + bytes(range(256)) * 40
    bz_image = tmp_path / 'vmlinuz'
    bz_image.write_bytes(b'MZ boot code \x1f\x8b\x08 not it' + compress(elf) + b'more sections')
    kernel.unpack(bz_image, tmp_path / 'vmlinux')
    assert (tmp_path / 'vmlinux').read_bytes() == elf


def test_a_kernel_in_an_unknown_format_is_an_error(tmp_path: Path) -> None:
    (tmp_path / 'vmlinuz').write_bytes(b'MZ nothing here')
    with pytest.raises(kernel.NoKernel, match='vmlinuz'):
        kernel.unpack(tmp_path / 'vmlinuz', tmp_path / 'vmlinux')


DEPENDENCIES = """\
kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko kernel/lib/crc16.ko
kernel/fs/jbd2/jbd2.ko:
kernel/lib/crc16.ko:
kernel/drivers/block/virtio_blk.ko: kernel/drivers/virtio/virtio_ring.ko kernel/drivers/virtio/virtio.ko
kernel/drivers/virtio/virtio_ring.ko: kernel/drivers/virtio/virtio.ko
kernel/drivers/virtio/virtio.ko:
"""


def test_modules_come_after_what_they_need_and_once() -> None:
    order = initrd.in_order(['virtio_blk', 'ext4', 'jbd2', 'built_in'], DEPENDENCIES, 'kernel/x/built-in.ko\n')
    names = [Path(path).stem for path in order]
    assert names == ['virtio', 'virtio_ring', 'virtio_blk', 'crc16', 'jbd2', 'ext4']


def test_a_module_that_the_kernel_lacks_is_an_error() -> None:
    with pytest.raises(initrd.NoModule, match='zfs'):
        initrd.in_order(['zfs'], DEPENDENCIES, '')


def entries(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Read an archive in the format newc: names, modes, contents."""
    found, at = {}, 0
    while True:
        assert archive[at : at + 6] == b'070701'
        fields = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name_end = at + 110 + fields[11]
        name = archive[at + 110 : name_end - 1].decode()
        start = (name_end + 3) & ~3
        if name == 'TRAILER!!!':
            return found
        found[name] = (fields[1], archive[start : start + fields[6]])
        at = (start + fields[6] + 3) & ~3


def test_the_initial_ram_disk_has_shell_modules_and_init(tmp_path: Path) -> None:
    modules = tmp_path / 'root/lib/modules/6.1'
    for path in [line.split(':')[0] for line in DEPENDENCIES.splitlines()]:
        (modules / path).parent.mkdir(parents=True, exist_ok=True)
        (modules / path).write_text(path)
    (modules / 'modules.dep').write_text(DEPENDENCIES)
    (modules / 'modules.builtin').write_text('')
    (tmp_path / 'root/bin').mkdir()
    (tmp_path / 'root/bin/busybox').write_bytes(b'shell')
    initrd.make(tmp_path / 'root', '6.1', ['ext4'], '#!/bin/busybox sh\n', tmp_path / 'initrd')
    found = entries((tmp_path / 'initrd').read_bytes())
    assert found['init'] == (0o100755, b'#!/bin/busybox sh\n')
    assert found['bin/busybox'] == (0o100755, b'shell')
    assert [name for name in found if name.startswith('modules/')] == [
        'modules/00-crc16.ko',
        'modules/01-jbd2.ko',
        'modules/02-ext4.ko',
    ]


def test_contrib_is_added_once_to_sources_of_main() -> None:
    sources = 'deb http://mirror.example/debian bookworm main\ndeb http://mirror.example/debian bookworm main contrib\n'
    line = 'deb http://mirror.example/debian bookworm main contrib\n'
    assert apt_sources.with_contrib(sources) == line * 2


def test_who_waits_for_another_build_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, 'SAY_SECONDS', 0.4)
    said, waits, inside = [], threading.Event(), threading.Event()

    def say(line: str) -> None:
        said.append(line)
        waits.set()

    def wait() -> None:
        with image.locked(tmp_path / 'lock', say):
            inside.set()

    with image.locked(tmp_path / 'lock', say):
        assert not said
        other = threading.Thread(target=wait)
        other.start()
        assert waits.wait(60)
        assert not inside.is_set()
    other.join(60)
    assert inside.is_set()
