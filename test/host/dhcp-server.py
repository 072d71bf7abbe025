"""dhcp-server.py INTERFACE SECONDS MAC=ADDRESS...: leases of 172.16.4.0/24, for so many seconds each (RFC 2131)."""

import socket
import struct
import sys

ROUTER = socket.inet_aton('172.16.4.1')
MESSAGE_TYPE, DISCOVER, OFFER, REQUEST, ACK = 53, 1, 2, 3, 5
BROADCAST = ('255.255.255.255', 68)

interface, seconds, *leases = sys.argv[1:]
pairs = [one.split('=') for one in leases]
addresses = {bytes.fromhex(mac.replace(':', '')): socket.inet_aton(address) for mac, address in pairs}

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
server.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
server.bind(('', 67))
print('ready', flush=True)


def option(code: int, value: bytes) -> bytes:
    return bytes([code, len(value)]) + value


def asked(options: bytes) -> int:
    """The type of the message."""
    while options and options[0] != 255:
        if options[0] == 0:
            options = options[1:]
            continue
        if options[0] == MESSAGE_TYPE:
            return options[2]
        options = options[2 + options[1] :]
    return 0


while True:
    message = server.recv(2048)
    mac = message[28:34]
    kind = asked(message[240:])
    if mac not in addresses or kind not in (DISCOVER, REQUEST):
        continue
    answer = struct.pack('!BBBB4sHH', 2, 1, 6, 0, message[4:8], 0, 0x8000)
    answer += bytes(4) + addresses[mac] + ROUTER + bytes(4) + mac + bytes(10 + 64 + 128) + b'\x63\x82\x53\x63'
    answer += option(MESSAGE_TYPE, bytes([OFFER if kind == DISCOVER else ACK])) + option(54, ROUTER)
    answer += option(51, struct.pack('!I', int(seconds))) + option(1, bytes([255, 255, 255, 0])) + option(3, ROUTER)
    server.sendto(answer + b'\xff', BROADCAST)
    print(mac.hex(), kind, flush=True)
