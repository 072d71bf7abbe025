"""Leases: who gets which, where the answer goes, and that a silent server answers nobody."""

import socket
import struct

from sas_grid_lab.dhcp_server import ACK, BROADCAST, DISCOVER, OFFER, REQUEST, DhcpServer, answer, asked, sender

MAC = '02:77:0a:4d:00:32'
ROUTER, ADDRESS = '10.77.0.1', '10.77.0.50'


def message(kind: int, client: str = '0.0.0.0') -> bytes:
    """What a client sends, with a pad before the type of the message."""
    head = struct.pack('!BBBB4sHH', 1, 1, 6, 0, b'\x01\x02\x03\x04', 0, 0) + socket.inet_aton(client) + bytes(12)
    mac = bytes.fromhex(MAC.replace(':', ''))
    return head + mac + bytes(10 + 64 + 128) + b'\x63\x82\x53\x63' + bytes([0, 55, 1, 3, 53, 1, kind, 255])


def options(reply: bytes) -> dict[int, bytes]:
    found, rest = {}, reply[240:]
    while rest[0] != 255:
        found[rest[0]] = rest[2 : 2 + rest[1]]
        rest = rest[2 + rest[1] :]
    return found


def test_a_message_says_who_asks_and_what() -> None:
    assert (sender(message(DISCOVER)), asked(message(DISCOVER))) == (MAC, DISCOVER)
    assert asked(message(DISCOVER)[:240]) == 0


def test_who_has_no_address_is_offered_its_own_by_broadcast() -> None:
    reply, to = answer(message(DISCOVER), ADDRESS, ROUTER, 40)
    assert to == BROADCAST
    assert (reply[4:8], reply[16:20], sender(reply)) == (b'\x01\x02\x03\x04', socket.inet_aton(ADDRESS), MAC)
    assert options(reply) == {
        53: bytes([OFFER]),
        54: socket.inet_aton(ROUTER),
        51: struct.pack('!I', 40),
        1: b'\xff\xff\xff\x00',
        3: socket.inet_aton(ROUTER),
        26: struct.pack('!H', 9001),
    }


def test_a_renewal_is_answered_to_the_address_that_the_client_has() -> None:
    reply, to = answer(message(REQUEST, ADDRESS), ADDRESS, ROUTER, 40)
    assert (to, options(reply)[53], reply[12:16]) == (ADDRESS, bytes([ACK]), socket.inet_aton(ADDRESS))


class Sent:
    """A socket that keeps what is sent."""

    def __init__(self) -> None:
        self.to: list[str] = []

    def sendto(self, _reply: bytes, where: tuple[str, int]) -> None:
        self.to.append(where[0])


def test_only_leases_count_and_a_silent_server_gives_none() -> None:
    sent = Sent()
    server = DhcpServer(sent, {MAC: ADDRESS}.get, ROUTER, 40)  # type: ignore[arg-type]
    for one in (message(DISCOVER), message(REQUEST), message(7)):
        server._take(one)
    assert (sent.to, server.granted[MAC]) == ([BROADCAST, BROADCAST], 1)
    server.silent = True
    server._take(message(REQUEST))
    server.silent = False
    server._take(message(REQUEST).replace(bytes.fromhex('02770a4d0032'), bytes(6)))
    assert len(sent.to) == 2
