"""EC2's identity for QEMU's NVMe disks.

QEMU shows every NVMe controller as "QEMU NVMe Ctrl". EC2 shows a model, Amazon's vendor id and, in the vendor's part of
Identify Controller, the device name of the attachment. QEMU keeps that structure in its heap, so it is changed there
while the machine is paused. Offsets: NVM Express Base Specification, figure "Identify Controller Data Structure".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

EBS = 'Amazon Elastic Block Store'
INSTANCE_STORE = 'Amazon EC2 NVMe Instance Storage'

VENDOR = b'\x0f\x1d\x0f\x1d'
SERIAL_AT, MODEL_AT, DEVICE_NAME_AT = 4, 24, 3072
SERIAL_LENGTH, MODEL_LENGTH, DEVICE_NAME_LENGTH = 20, 40, 32
QEMU_MODEL = b'QEMU NVMe Ctrl'.ljust(MODEL_LENGTH)

# The heap is smaller; the guest's memory and the translated code are bigger.
LARGEST_REGION = 96 << 20


class NotPatched(Exception):
    """A controller's structure was not found in QEMU's memory."""


@dataclass(frozen=True)
class Identity:
    """What a disk says of itself."""

    model: str
    device_name: str


@dataclass(frozen=True)
class Change:
    """Bytes to write at an offset."""

    offset: int
    data: bytes


def changes(memory: bytes, identities: Mapping[str, Identity]) -> dict[str, list[Change]]:
    """By serial number: what to write into a piece of memory."""
    found: dict[str, list[Change]] = {}
    for match in re.finditer(re.escape(QEMU_MODEL), memory):
        start = match.start() - MODEL_AT
        if start < 0:
            continue
        serial = memory[start + SERIAL_AT : start + SERIAL_AT + SERIAL_LENGTH].decode('ascii', 'replace').strip()
        identity = identities.get(serial)
        if not identity:
            continue
        found[serial] = [
            Change(start, VENDOR),
            Change(start + MODEL_AT, identity.model.encode().ljust(MODEL_LENGTH)),
            Change(start + DEVICE_NAME_AT, identity.device_name.encode().ljust(DEVICE_NAME_LENGTH)),
        ]
    return found


def patch(pid: int, identities: Mapping[str, Identity]) -> None:
    """Change the controllers of a paused QEMU process."""
    missing = dict(identities)
    with open(f'/proc/{pid}/mem', 'r+b', buffering=0) as memory:
        for start, length in heap(Path(f'/proc/{pid}/maps').read_text()):
            if not missing:
                return
            try:
                memory.seek(start)
                data = memory.read(length)
            except OSError:
                continue
            for serial, writes in changes(data, missing).items():
                for change in writes:
                    memory.seek(start + change.offset)
                    memory.write(change.data)
                del missing[serial]
    if missing:
        raise NotPatched(f'QEMU has no NVMe controller with the serial number {", ".join(missing)}')


def heap(maps: str) -> Iterator[tuple[int, int]]:
    """Start and length of the regions of a process that can hold a controller."""
    for line in maps.splitlines():
        words = line.split()
        start, end = (int(word, 16) for word in words[0].split('-'))
        mapped_file = len(words) > 5 and words[5].startswith('/')
        if words[1].startswith('rw') and not mapped_file and end - start <= LARGEST_REGION:
            yield start, end - start
