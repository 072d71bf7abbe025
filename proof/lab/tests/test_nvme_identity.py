"""EC2's identity, written into a piece of memory that looks like QEMU's."""

from sas_grid_lab.nvme_identity import EBS, INSTANCE_STORE, LARGEST_REGION, Identity, changes, heap


def controller(serial: str, model: str = 'QEMU NVMe Ctrl') -> bytes:
    """Identify Controller as QEMU fills it: vendor, subsystem vendor, serial, model, and the rest up to 4096 bytes."""
    head = b'\x36\x1b\xf4\x1a' + serial.encode().ljust(20) + model.encode().ljust(40)
    return head.ljust(4096, b'\0')


def applied(memory: bytes, identities: dict[str, Identity]) -> bytes:
    changed = bytearray(memory)
    for writes in changes(memory, identities).values():
        for change in writes:
            changed[change.offset : change.offset + len(change.data)] = change.data
    return bytes(changed)


def test_model_vendor_and_device_name_are_ec2s_and_nothing_else_changes() -> None:
    memory = b'x' * 100 + controller('vol0123456789abcdef0') + b'y' * 100
    result = applied(memory, {'vol0123456789abcdef0': Identity(EBS, '/dev/sdf')})
    start = 100
    assert result[start : start + 4] == b'\x0f\x1d\x0f\x1d'
    assert result[start + 4 : start + 24] == b'vol0123456789abcdef0'
    assert result[start + 24 : start + 64] == b'Amazon Elastic Block Store'.ljust(40)
    assert result[start + 3072 : start + 3104] == b'/dev/sdf'.ljust(32)
    assert len(result) == len(memory)
    assert result[start + 64 : start + 3072] == memory[start + 64 : start + 3072]
    assert result[start + 3104 :] == memory[start + 3104 :]


def test_each_disk_gets_its_own_identity() -> None:
    memory = controller('AWS0') + controller('vol0')
    result = applied(memory, {'vol0': Identity(EBS, '/dev/sdg'), 'AWS0': Identity(INSTANCE_STORE, 'ephemeral0:none')})
    assert result[24:64] == b'Amazon EC2 NVMe Instance Storage'.ljust(40)
    assert result[4096 + 24 : 4096 + 64] == b'Amazon Elastic Block Store'.ljust(40)


def test_other_disks_and_text_that_looks_alike_are_left_alone() -> None:
    memory = b'QEMU NVMe Ctrl'.ljust(40) + controller('other') + controller('vol0', 'Amazon Elastic Block Store')
    assert changes(memory, {'vol0': Identity(EBS, '/dev/sdf')}) == {}


def test_only_writable_memory_of_the_process_itself_is_searched() -> None:
    maps = '\n'.join(
        [
            '55d000000000-55d000001000 r--p 00000000 08:01 1 /usr/bin/qemu-system-x86_64',
            '55d000001000-55d000002000 rw-p 00000000 08:01 1 /usr/bin/qemu-system-x86_64',
            '55d000010000-55d000030000 rw-p 00000000 00:00 0 [heap]',
            f'7f0000000000-{0x7F0000000000 + LARGEST_REGION + 4096:x} rw-p 00000000 00:00 0',
            '7f8000000000-7f8000021000 rw-p 00000000 00:00 0',
        ]
    )
    assert list(heap(maps)) == [(0x55D000010000, 0x20000), (0x7F8000000000, 0x21000)]
