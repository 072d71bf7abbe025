"""EC2's Query API for the few actions that fencing calls, over TLS, with the power switches of the lab's machines."""

import http.server
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

from .certificate import Certificate
from .tls_server import TlsServer

NAMESPACE = 'http://ec2.amazonaws.com/doc/2016-11-15/'
CODES = {'pending': 0, 'running': 16, 'shutting-down': 32, 'terminated': 48, 'stopping': 64, 'stopped': 80}


class ApiError(Exception):
    """What EC2 answers instead of a result."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Instance:
    """An instance as EC2 knows it, with its power switch."""

    id: str
    power_off: Callable[[], object]
    power_on: Callable[[], object]
    state: str = 'running'
    """EC2 calls an instance running although its host failed, until it is stopped"""


@dataclass(frozen=True)
class Call:
    """A call that somebody made."""

    time: float
    action: str
    instances: list[str]
    source: str


@dataclass
class Ec2:
    """The state of the instances, and the actions on it."""

    instances: dict[str, Instance] = field(default_factory=dict)
    stop_seconds: float = 2.0
    """how long an instance is stopping at least"""
    calls: list[Call] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, instance: Instance) -> None:
        self.instances[instance.id] = instance

    def state(self, instance: str) -> str:
        """What EC2 says of an instance."""
        with self._lock:
            return self.instances[instance].state

    def terminate(self, instance: str) -> None:
        """As an Auto Scaling group does; fencing never does."""
        self._change(self.instances[instance], 'shutting-down', 'terminated', self.instances[instance].power_off)

    def answer(self, request: dict[str, str], source: str = '') -> str:
        """The XML of an answer, or ApiError."""
        action = request.get('Action', '')
        ids = _values(request, 'InstanceId.')
        self.calls.append(Call(time.monotonic(), action, ids, source))
        actions: dict[str, Callable[[list[str], dict[str, str]], str]] = {
            'DescribeInstances': self._describe,
            'StopInstances': self._stop,
            'StartInstances': self._start,
        }
        if action not in actions:
            raise ApiError('InvalidAction', f'The action {action} is not valid for this web service.')
        body = actions[action](ids, request)
        return f'<{action}Response xmlns="{NAMESPACE}"><requestId>lab</requestId>{body}</{action}Response>'

    def _describe(self, ids: list[str], request: dict[str, str]) -> str:
        found = self._named(ids) if ids else list(self.instances.values())
        for number in range(1, 201):
            name = request.get(f'Filter.{number}.Name')
            if name is None:
                break
            if name != 'instance-id':
                raise ApiError('InvalidParameterValue', f"The filter '{name}' is invalid")
            wanted = _values(request, f'Filter.{number}.Value.')
            found = [instance for instance in found if instance.id in wanted]
        with self._lock:
            items = ''.join(
                f'<item><reservationId>r-0</reservationId><instancesSet><item><instanceId>{escape(each.id)}</instanceId>'
                f'<instanceState>{_state(each.state)}</instanceState></item></instancesSet></item>'
                for each in found
            )
        return f'<reservationSet>{items}</reservationSet>'

    def _stop(self, ids: list[str], request: dict[str, str]) -> str:
        return self._transition(ids, ('running', 'pending'), ('stopping', 'stopped'), 'stopped')

    def _start(self, ids: list[str], request: dict[str, str]) -> str:
        return self._transition(ids, ('stopped',), ('pending', 'running'), 'started')

    def _transition(self, ids: list[str], sources: tuple[str, ...], way: tuple[str, str], word: str) -> str:
        instances = self._named(ids)
        for each in instances:
            # What is on the way or there already is no error.
            if each.state not in sources + way:
                raise ApiError(
                    'IncorrectInstanceState', f"The instance '{each.id}' is not in a state from which it can be {word}."
                )
        changes = ''
        for each in instances:
            before = each.state
            if before in sources:
                self._change(each, *way, each.power_off if word == 'stopped' else each.power_on)
            changes += (
                f'<item><instanceId>{escape(each.id)}</instanceId><currentState>{_state(self.state(each.id))}</currentState>'
                f'<previousState>{_state(before)}</previousState></item>'
            )
        return f'<instancesSet>{changes}</instancesSet>'

    def _named(self, ids: Iterable[str]) -> list[Instance]:
        try:
            return [self.instances[each] for each in ids]
        except KeyError as unknown:
            raise ApiError('InvalidInstanceID.NotFound', f'The instance ID {unknown} does not exist') from unknown

    def _change(self, instance: Instance, during: str, after: str, switch: Callable[[], object]) -> None:
        with self._lock:
            instance.state = during

        def work() -> None:
            try:
                switch()
                time.sleep(self.stop_seconds)
            except Exception as problem:  # a thread's own: it is told by the scenario
                self.problems.append(f'{instance.id}: {problem}')
                return
            with self._lock:
                instance.state = after

        threading.Thread(target=work, daemon=True).start()


def _values(request: dict[str, str], prefix: str) -> list[str]:
    found = {int(key[len(prefix) :]): value for key, value in request.items() if key.startswith(prefix)}
    return [value for _, value in sorted(found.items())]


def _state(name: str) -> str:
    return f'<code>{CODES[name]}</code><name>{name}</name>'


class Outage(Enum):
    """How EC2's endpoint can be lost."""

    REFUSES = 'refuses'
    SILENT = 'silent'


class Ec2Endpoint:
    """Serves an Ec2 on a listening socket until it is closed."""

    def __init__(self, ec2: Ec2, listener: socket.socket, certificate: Certificate, access_key: str) -> None:
        self.missed: list[str] = []
        """who called while it was lost"""
        self._outage: Outage | None = None
        self._back = threading.Event()
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = 60

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get('Content-Length') or 0)).decode()
                status, answer = 200, ''
                if endpoint._is_lost_for(self.client_address[0]):
                    self.close_connection = True
                    return
                try:
                    # Signatures are not checked; that credentials were found at all is.
                    if f'Credential={access_key}/' not in self.headers.get('Authorization', ''):
                        raise ApiError('AuthFailure', 'AWS was not able to validate the provided access credentials')
                    answer = ec2.answer(dict(parse_qsl(body, keep_blank_values=True)), self.client_address[0])
                except ApiError as error:
                    status = 400
                    answer = (
                        f'<Response><Errors><Error><Code>{error.code}</Code><Message>{escape(str(error))}</Message>'
                        '</Error></Errors><RequestID>lab</RequestID></Response>'
                    )
                content = f'<?xml version="1.0" encoding="UTF-8"?>\n{answer}'.encode()
                self.send_response(status)
                self.send_header('Content-Type', 'text/xml;charset=UTF-8')
                self.send_header('Content-Length', str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = TlsServer(Handler, listener, certificate)

    def lose(self, outage: Outage) -> None:
        """From now on nobody gets an answer."""
        self.missed.clear()
        self._back.clear()
        self._outage = outage

    def restore(self) -> None:
        """It answers again; who still waits is hung up on, as by a gateway."""
        self._outage = None
        self._back.set()

    def _is_lost_for(self, caller: str) -> bool:
        outage = self._outage
        if outage is None:
            return False
        self.missed.append(caller)
        if outage is Outage.SILENT:
            self._back.wait()
        return True

    def close(self) -> None:
        """Stop serving."""
        self.restore()
        self._server.close()
