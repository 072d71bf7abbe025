"""A server of HTTP over TLS on a socket that listens already, such as one in the network of machines."""

import http.server
import socket
import ssl
import threading

from .certificate import Certificate


class TlsServer:
    """Serves in threads of its own until it is closed."""

    def __init__(
        self, handler: type[http.server.BaseHTTPRequestHandler], listener: socket.socket, certificate: Certificate
    ) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.file, certificate.key)
        self._server = _Server(listener.getsockname(), handler, bind_and_activate=False)
        self._server.socket.close()
        # The handshake is made in a connection's own thread: a slow guest must not hold up the others.
        self._server.socket = context.wrap_socket(listener, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A machine that went down in the middle of a call is no news."""
