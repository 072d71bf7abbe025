"""Machines reach the embedded AWS under AWS's names, over TLS."""

import http.server
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from sas_grid_lab.certificate import Certificate

from sas_grid_localcloud.machines.api_door import ApiDoor, names, path_of

NAME = 'cloudformation.eu-west-1.amazonaws.com'


class Inside(http.server.BaseHTTPRequestHandler):
    """The embedded AWS, which tells what it was asked."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers['Content-Length']))
        told = f'{self.headers["Host"]} {self.headers["Authorization"]} {body.decode()}'.encode()
        self.send_response(403)
        self.send_header('Content-Length', str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def door(tmp_path: Path) -> Iterator[tuple[int, int, str]]:
    inside = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Inside)
    threading.Thread(target=inside.serve_forever, daemon=True).start()
    listener = socket.create_server(('127.0.0.1', 0))
    certificate = Certificate(tmp_path, *names('eu-west-1'))
    port = listener.getsockname()[1]
    made = ApiDoor(f'http://127.0.0.1:{inside.server_port}', listener, certificate)
    yield port, inside.server_port, certificate.authority
    made.close()
    inside.shutdown()
    inside.server_close()


def test_a_request_gets_through_with_who_asks(door: tuple[int, int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    port, inside, authority = door
    find = socket.getaddrinfo
    monkeypatch.setattr(socket, 'getaddrinfo', lambda host, at, *more: find('127.0.0.1', at, *more))
    request = urllib.request.Request(f'https://{NAME}:{port}/', b'Action=SignalResource')
    request.add_header(
        'Authorization', 'AWS4-HMAC-SHA256 Credential=i-1/20261127/eu-west-1/cloudformation/aws4_request'
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30, context=ssl.create_default_context(cadata=authority))
    told = refused.value.read().decode()
    assert refused.value.code == 403
    assert told.startswith(f'127.0.0.1:{inside} AWS4-HMAC-SHA256 Credential=i-1/')
    assert told.endswith(' Action=SignalResource')


def test_a_bucket_is_a_part_of_the_path() -> None:
    assert path_of('my.bucket.s3.eu-west-1.amazonaws.com', '/key?x') == '/my.bucket/key?x'
    assert path_of('s3.eu-west-1.amazonaws.com', '/bucket/key') == '/bucket/key'
    assert path_of(NAME, '/') == '/'
