"""The guest's kernel, unpacked: under emulation it would take seconds to unpack itself at every boot."""

import gzip
import lzma
import zlib
from pathlib import Path

from .commands import HostCommandFailed, host

ELF = b'\x7fELF'


class NoKernel(Exception):
    """The kernel image is in a format that is not known."""


def unpack(vmlinuz: Path, vmlinux: Path) -> None:
    """Write the ELF kernel that a bzImage carries."""
    image = vmlinuz.read_bytes()
    for magic, decompress in ((b'\xfd7zXZ\x00', _xz), (b'\x1f\x8b\x08', _gzip), (b'\x28\xb5\x2f\xfd', _zstd)):
        start = image.find(magic)
        while start >= 0:
            kernel = decompress(image[start:])
            if kernel.startswith(ELF):
                vmlinux.write_bytes(kernel)
                return
            start = image.find(magic, start + 1)
    raise NoKernel(f'{vmlinuz} carries no kernel packed by xz, gzip or zstd')


def _xz(data: bytes) -> bytes:
    try:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(data)
    except lzma.LZMAError:
        return b''


def _gzip(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data)
    except (zlib.error, gzip.BadGzipFile):
        return b''


def _zstd(data: bytes) -> bytes:
    # The stream is followed by other sections, which zstd reports as an error after it wrote the kernel.
    import subprocess

    try:
        host(['zstd', '--version'])
    except HostCommandFailed:
        return b''
    return subprocess.run(['zstd', '-dc'], input=data, capture_output=True, check=False, timeout=60).stdout
