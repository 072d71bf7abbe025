"""Amazon's name server for machines: the names of AWS's endpoints, and of instances."""

import logging
import re
import socket
import struct
import threading

ADDRESS = '169.254.169.253'
"""as in every VPC ("DNS attributes for your VPC", Amazon VPC User Guide)"""

_PORT = 53
_HEADER = struct.Struct('!6H')
_ANSWERED, _NO_SUCH_NAME = 0x8580, 0x8583
_ADDRESS_RECORD, _INTERNET = 1, 1
_SECONDS = 60
_INSTANCE = re.compile(r'ip-(\d+)-(\d+)-(\d+)-(\d+)\.(ec2|[a-z0-9-]+\.compute)\.internal')

_log = logging.getLogger(__name__)


def address_of(name: str, endpoints: str) -> str | None:
    """The address of a name; None when there is no such name."""
    if name.endswith('.amazonaws.com'):
        return endpoints
    found = _INSTANCE.fullmatch(name)
    return '.'.join(found.groups()[:4]) if found else None


def answer(question: bytes, endpoints: str) -> bytes:
    """The answer to a question of one name, as RFC 1035 has it.

    :raises ValueError: when it is none
    """
    number, _, count, *_ = _HEADER.unpack_from(question)
    if count != 1:
        raise ValueError(f'{count} questions; one is answered')
    labels, at = [], _HEADER.size
    while length := question[at]:
        labels.append(question[at + 1 : at + 1 + length].decode('ascii'))
        at += 1 + length
    kind, _ = struct.unpack_from('!2H', question, at + 1)
    asked = question[_HEADER.size : at + 5]
    address = address_of('.'.join(labels).lower(), endpoints)
    if address is None:
        return _HEADER.pack(number, _NO_SUCH_NAME, 1, 0, 0, 0) + asked
    if kind != _ADDRESS_RECORD:
        return _HEADER.pack(number, _ANSWERED, 1, 0, 0, 0) + asked
    # The name is that of the question, which begins behind the header.
    record = struct.pack('!3HIH', 0xC000 | _HEADER.size, kind, _INTERNET, _SECONDS, 4) + socket.inet_aton(address)
    return _HEADER.pack(number, _ANSWERED, 1, 1, 0, 0) + asked + record


def listener() -> socket.socket:
    """A socket at the name server's address, to be made where machines are."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((ADDRESS, _PORT))
    return made


def serve(listening: socket.socket, endpoints: str) -> None:
    """Answer for as long as the socket is open."""

    def work() -> None:
        while True:
            try:
                question, caller = listening.recvfrom(512)
            except OSError:
                return
            try:
                listening.sendto(answer(question, endpoints), caller)
            except (ValueError, IndexError, struct.error, UnicodeDecodeError):
                _log.info('a question of %s was no question', caller[0])

    threading.Thread(target=work, name='machines-names', daemon=True).start()
