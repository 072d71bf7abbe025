"""What the subnet sees of a slot's address: whether it answers, and what leaves by the wrong interface."""

import socket
import threading
import time

from ..network import Network

NULL_CALL = bytes.fromhex('80000028207361730000000000000002000186a30000000400000000') + bytes(16)
"""a null call of NFS version 4 (RFC 5531)"""
REPLY = bytes.fromhex('800000182073617300000001') + bytes(16)
ALL_FRAMES, IPV4, ARP = 3, b'\x08\x00', b'\x08\x06'
ARP_REPLY, TCP, NFS_PORT = b'\0\2', b'\6', 2049


def answers(network: Network, source: str, address: str, bound: float = 120) -> bool:
    """Whether NFS on the address answers somebody who has the source's address, within a bound."""
    deadline = time.monotonic() + bound
    while time.monotonic() < deadline:
        try:
            with network.inside(socket.socket) as connection:
                connection.settimeout(max(1.0, deadline - time.monotonic()))
                connection.bind((source, 0))
                connection.connect((address, NFS_PORT))
                connection.sendall(NULL_CALL)
                if _whole(connection, len(REPLY)) == REPLY:
                    return True
        except OSError:
            # An address that answers by another interface is reset or silent.
            time.sleep(0.5)
    return False


def _whole(connection: socket.socket, length: int) -> bytes:
    received = b''
    while len(received) < length and (part := connection.recv(length - len(received))):
        received += part
    return received


def answer_of(frame: bytes) -> str | None:
    """The IPv4 address that an Ethernet frame answers for: a reply of ARP, or TCP from NFS's port.

    What else has the address is no answer: a program of the host that is bound to an interface without address borrows
    one (amazon-ec2-net-utils asks for metadata so while networkd restarts).
    """
    kind, rest = frame[12:14], frame[14:]
    if kind == ARP and rest[6:8] == ARP_REPLY:
        return socket.inet_ntoa(rest[14:18])
    if kind == IPV4 and rest[9:10] == TCP:
        options = (rest[0] & 15) * 4
        if rest[options : options + 2] == NFS_PORT.to_bytes(2, 'big'):
            return socket.inet_ntoa(rest[12:16])
    return None


class Strays:
    """Counts answers that leave by a port of the bridge for an address that is not the port's: EC2 drops them."""

    def __init__(self, network: Network, tap: str, address: str) -> None:
        def packets() -> socket.socket:
            made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_FRAMES))
            made.bind((tap, ALL_FRAMES))
            return made

        self.count = 0
        self._address = address
        self._socket = network.inside(packets)
        self._ended = threading.Event()
        threading.Thread(target=self._look, name='strays', daemon=True).start()

    def close(self) -> None:
        """Count no more."""
        self._ended.set()

    def _look(self) -> None:
        self._socket.settimeout(0.5)
        while not self._ended.is_set():
            try:
                frame, about = self._socket.recvfrom(128)
            except TimeoutError:
                continue
            except OSError:
                # The machine is gone, and its port with it.
                break
            if about[2] != socket.PACKET_OUTGOING and answer_of(frame) == self._address:
                self.count += 1
        self._socket.close()
