"""dhcp_server.py INTERFACE SECONDS ROUTER MAC=ADDRESS...: a DHCP server (RFC 2131), which gives each its own address.

On EC2 an address belongs to an interface, so there is nothing to choose. Leases may be short (dnsmasq gives none below
two minutes), and a server that falls silent lets them end. Prints "ready", then the MAC address and the type of each
message that it takes. It runs alone, too: tests in namespaces call it.
"""

import socket
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable

DISCOVER, OFFER, REQUEST, ACK = 1, 2, 3, 5
PAD, MASK, ROUTER, MTU, LEASE, MESSAGE_TYPE, SERVER, END = 0, 1, 3, 26, 51, 53, 54, 255
COOKIE = b'\x63\x82\x53\x63'
BROADCAST = '255.255.255.255'
JUMBO = 9001
"""EC2 tells it in the same way"""

AddressOf = Callable[[str], str | None]
Tell = Callable[[str, int], None]


def listener(interface: str) -> socket.socket:
    """A socket that hears who has no address yet."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
    made.bind(('', 67))
    return made


def option(code: int, value: bytes) -> bytes:
    return bytes([code, len(value)]) + value


def asked(message: bytes) -> int:
    """The type of a message; 0 when it has none."""
    options = message[240:]
    while options and options[0] != END:
        if options[0] == PAD:
            options = options[1:]
            continue
        if options[0] == MESSAGE_TYPE:
            return options[2]
        options = options[2 + options[1] :]
    return 0


def sender(message: bytes) -> str:
    """The MAC address of who sent a message."""
    return message[28:34].hex(':')


def answer(message: bytes, address: str, router: str, seconds: int) -> tuple[bytes, str]:
    """An offer or a lease, and where it goes: to its client, as soon as that has its address."""
    ours, theirs = socket.inet_aton(router), message[12:16]
    reply = struct.pack('!BBBB4sHH', 2, 1, 6, 0, message[4:8], 0, 0 if any(theirs) else 0x8000)
    reply += theirs + socket.inet_aton(address) + ours + bytes(4) + message[28:44] + bytes(64 + 128) + COOKIE
    reply += option(MESSAGE_TYPE, bytes([OFFER if asked(message) == DISCOVER else ACK])) + option(SERVER, ours)
    reply += option(LEASE, struct.pack('!I', seconds)) + option(MASK, bytes([255, 255, 255, 0])) + option(ROUTER, ours)
    reply += option(MTU, struct.pack('!H', JUMBO)) + bytes([END])
    return reply, socket.inet_ntoa(theirs) if any(theirs) else BROADCAST


class DhcpServer:
    """Answers on a socket until it is closed."""

    def __init__(
        self, connection: socket.socket, address_of: AddressOf, router: str, seconds: int, tell: Tell | None = None
    ) -> None:
        self.silent = False
        self.granted = Counter[str]()
        """leases that were given, by MAC address"""
        self._socket, self._address_of, self._tell = connection, address_of, tell
        self._router, self._seconds = router, seconds
        self._ended = threading.Event()

    def start(self) -> 'DhcpServer':
        """Answer in a thread."""
        threading.Thread(target=self.serve, name='dhcp', daemon=True).start()
        return self

    def serve(self) -> None:
        """Answer until `close`."""
        self._socket.settimeout(0.5)
        while not self._ended.is_set():
            try:
                self._take(self._socket.recv(2048))
            except OSError:
                # Nothing came, or whoever asked is gone.
                continue
        self._socket.close()

    def close(self) -> None:
        """Answer no more."""
        self._ended.set()

    def _take(self, message: bytes) -> None:
        mac, kind = sender(message), asked(message)
        address = self._address_of(mac)
        if self.silent or not address or kind not in (DISCOVER, REQUEST):
            return
        reply, to = answer(message, address, self._router, self._seconds)
        self._socket.sendto(reply, (to, 68))
        if kind == REQUEST:
            self.granted[mac] += 1
        if self._tell:
            self._tell(mac, kind)


def main(interface: str, seconds: str, router: str, *leases: str) -> None:
    known = dict(lease.split('=') for lease in leases)
    server = DhcpServer(
        listener(interface), known.get, router, int(seconds), lambda mac, kind: print(mac, kind, flush=True)
    )
    print('ready', flush=True)
    server.serve()


if __name__ == '__main__':
    main(*sys.argv[1:])
