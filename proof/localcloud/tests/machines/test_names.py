"""The name server of machines."""

import socket
import struct

import pytest

from sas_grid_localcloud.machines import names

ENDPOINTS = '169.254.169.254'


def question(name: str, kind: int = 1) -> bytes:
    labels = b''.join(bytes([len(label)]) + label.encode() for label in name.split('.'))
    return struct.pack('!6H', 77, 0x0100, 1, 0, 0, 0) + labels + b'\0' + struct.pack('!2H', kind, 1)


@pytest.mark.parametrize(
    ('name', 'address'),
    [
        ('cloudformation.eu-west-1.amazonaws.com', ENDPOINTS),
        ('a.bucket.s3.us-east-1.AMAZONAWS.com', ENDPOINTS),
        ('ip-172-16-4-9.ec2.internal', '172.16.4.9'),
        ('ip-10-0-0-1.eu-west-1.compute.internal', '10.0.0.1'),
    ],
)
def test_a_name_has_its_address(name: str, address: str) -> None:
    asked = question(name)
    told = names.answer(asked, ENDPOINTS)
    assert struct.unpack_from('!6H', told) == (77, 0x8580, 1, 1, 0, 0)
    assert told[12 : len(asked)] == asked[12:]
    assert socket.inet_ntoa(told[-4:]) == address


def test_there_is_no_such_name() -> None:
    assert struct.unpack_from('!6H', names.answer(question('example.com'), ENDPOINTS)) == (77, 0x8583, 1, 0, 0, 0)


def test_a_name_without_such_a_record_is_none_the_less_there() -> None:
    told = names.answer(question('ec2.us-east-1.amazonaws.com', 28), ENDPOINTS)
    assert struct.unpack_from('!6H', told) == (77, 0x8580, 1, 0, 0, 0)


@pytest.mark.parametrize('asked', [b'', b'\0' * 12, question('ec2.us-east-1.amazonaws.com')[:-3]])
def test_what_is_no_question_is_not_answered(asked: bytes) -> None:
    with pytest.raises((ValueError, IndexError, struct.error)):
        names.answer(asked, ENDPOINTS)
