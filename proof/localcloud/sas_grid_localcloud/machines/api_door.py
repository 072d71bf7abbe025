"""The embedded AWS for machines: under the names of AWS's endpoints, over TLS, in the machines' own network."""

import http.client
import http.server
import re
import socket
import urllib.parse

from sas_grid_lab.certificate import Certificate
from sas_grid_lab.tls_server import TlsServer

LONGEST_SECONDS = 120
"""for an answer"""
_BUCKET = re.compile(r'(.+)\.s3(\.[a-z0-9-]+)?\.amazonaws\.com')
_NOT_PASSED_ON = ('connection', 'content-length', 'host', 'transfer-encoding')


def names(region: str) -> list[str]:
    """The endpoints that are certified: those of services, and of S3 for buckets."""
    return [f'*.{region}.amazonaws.com', f'*.s3.{region}.amazonaws.com', 's3.amazonaws.com', '*.s3.amazonaws.com']


def path_of(host: str, path: str) -> str:
    """Where a request goes: the embedded AWS has one name for all buckets."""
    bucket = _BUCKET.match(host)
    return f'/{bucket[1]}{path}' if bucket else path


class ApiDoor:
    """Passes requests on until it is closed."""

    def __init__(self, endpoint: str, listener: socket.socket, certificate: Certificate) -> None:
        inside = urllib.parse.urlsplit(endpoint)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            timeout = 60

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
                headers = {key: value for key, value in self.headers.items() if key.lower() not in _NOT_PASSED_ON}
                # Its own name: the embedded AWS answers no other one (web/origins.py).
                headers['Host'] = inside.netloc
                connection = http.client.HTTPConnection(inside.hostname or '', inside.port, timeout=LONGEST_SECONDS)
                try:
                    path = path_of(self.headers.get('Host', ''), self.path)
                    connection.request(self.command, path, body, headers)
                    answer = connection.getresponse()
                    content = answer.read()
                except OSError:
                    # As a gateway does that lost what is behind it.
                    self.close_connection = True
                    return
                finally:
                    connection.close()
                self.send_response(answer.status)
                for key, value in answer.getheaders():
                    if key.lower() not in _NOT_PASSED_ON:
                        self.send_header(key, value)
                self.send_header('Content-Length', str(len(content)))
                self.end_headers()
                if self.command != 'HEAD':
                    self.wfile.write(content)

            do_GET = do_PUT = do_DELETE = do_HEAD = do_POST

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = TlsServer(Handler, listener, certificate)

    def close(self) -> None:
        """Stop serving."""
        self._server.close()
