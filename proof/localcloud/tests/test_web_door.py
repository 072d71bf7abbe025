"""What a page in a browser can send is refused at every door, and nothing tells a browser to go ahead."""

import base64
import http.client
import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conftest import Cloud, unique
from sas_grid_localcloud import web
from sas_grid_localcloud.faults.door import PATH
from sas_grid_localcloud.web.origins import is_loopback, refusal

EVIL = 'https://evil.example'
CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
CREATE_QUEUE = 'Action=CreateQueue&Version=2012-11-05&QueueName='
SQS_CREDENTIAL = 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0'


def ask(
    cloud: Cloud, method: str, path: str, body: str = '', host: str | None = None, **headers: str
) -> http.client.HTTPResponse:
    """One request exactly as given; ``host`` in place of the endpoint's own."""
    address = cloud.endpoint.removeprefix('http://')
    connection = http.client.HTTPConnection(address, timeout=600)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader('Host', address if host is None else host)
    for name, value in headers.items():
        connection.putheader(name.replace('_', '-'), value)
    connection.putheader('Content-Length', str(len(body)))
    connection.endheaders(body.encode())
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def temporary_of_browsers() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob('org.chromium.*'))


def port(cloud: Cloud) -> str:
    return cloud.endpoint.rsplit(':', 1)[1]


SENT_BY_PAGES: dict[str, dict[str, str]] = {
    'a simple POST': {'Content_Type': 'text/plain', 'Origin': EVIL, 'Sec_Fetch_Site': 'cross-site'},
    'a form': {'Content_Type': 'application/x-www-form-urlencoded', 'Origin': EVIL, 'Sec_Fetch_Mode': 'navigate'},
    'a form with files': {'Content_Type': 'multipart/form-data; boundary=x', 'Origin': 'null'},
    'a page from a file': {'Content_Type': 'text/plain', 'Origin': 'null'},
    'another port of this machine': {'Origin': 'http://127.0.0.1:1'},
    'another site of localhost': {'Sec_Fetch_Site': 'same-site', 'Sec_Fetch_Mode': 'no-cors'},
    'an image': {'Sec_Fetch_Site': 'cross-site', 'Sec_Fetch_Dest': 'image', 'User_Agent': CHROME},
    'an image in an old browser': {'Referer': f'{EVIL}/', 'User_Agent': 'Mozilla/5.0 (Macintosh) Safari/605.1.15'},
}


@pytest.mark.parametrize('sent', SENT_BY_PAGES)
@pytest.mark.parametrize('method', ['GET', 'POST'])
def test_what_a_page_sends_is_refused_and_has_no_effect(cloud: Cloud, sent: str, method: str) -> None:
    name = unique('evil')
    headers = SENT_BY_PAGES[sent]
    call = CREATE_QUEUE + name
    refused = [
        ask(cloud, method, '/', call, Authorization=SQS_CREDENTIAL, **headers),
        ask(cloud, method, f'/?{call}', Authorization=SQS_CREDENTIAL, **headers),
        ask(cloud, method, PATH, json.dumps({'kind': 'calm'}), **headers),
        ask(cloud, method, '/2015-03-31/functions', '{}', **headers),
        ask(cloud, method, '/_ministack/health', **headers),
        ask(cloud, method, '/some-bucket/key?X-Amz-Signature=0', **headers),
    ]
    assert {one.status for one in refused} == {403}
    assert not [one for answer in refused for one in answer.headers if one.lower().startswith('access-control-')]
    assert name not in str(cloud.client('sqs').list_queues(QueueNamePrefix=name))


@pytest.mark.parametrize('path', ['/', PATH, '/some-bucket/key', '/2015-03-31/functions'])
def test_a_preflight_is_refused(cloud: Cloud, path: str) -> None:
    wanted = {'Access_Control_Request_Method': 'PUT', 'Access_Control_Request_Headers': 'x-amz-target'}
    answer = ask(cloud, 'OPTIONS', path, Origin=EVIL, **wanted)
    assert answer.status == 403
    assert not [one for one in answer.headers if one.lower().startswith('access-control-')]


@pytest.mark.parametrize(
    'host',
    ['evil.example:{}', '127.0.0.1.evil.example', '0.0.0.0:{}', '[::]:{}', 'x@127.0.0.1', 'bucket.localhost:{}', ''],
)
def test_a_name_that_somebody_else_decides_upon_is_refused(cloud: Cloud, host: str) -> None:
    """DNS rebinding: the page's own name is 127.0.0.1 for a moment, and nothing is foreign to the browser."""
    name = host.format(port(cloud))
    same = {'Origin': f'http://{name}', 'Sec_Fetch_Site': 'same-origin'}
    assert ask(cloud, 'POST', '/', CREATE_QUEUE + 'rebound', host=name, **same).status == 403
    assert ask(cloud, 'GET', PATH, host=name).status == 403


@pytest.mark.parametrize('host', ['127.0.0.1:{}', 'localhost:{}', '127.9.9.9', '[::1]:{}', 'LOCALHOST.'])
def test_programs_of_this_machine_are_answered(cloud: Cloud, host: str) -> None:
    answer = ask(cloud, 'GET', '/_ministack/health', host=host.format(port(cloud)))
    assert answer.status == 200
    assert not [one for one in answer.headers if one.lower().startswith('access-control-')]


def test_a_person_may_look_at_it_in_a_browser(cloud: Cloud) -> None:
    typed = {'User_Agent': CHROME, 'Sec_Fetch_Site': 'none', 'Sec_Fetch_Mode': 'navigate'}
    assert ask(cloud, 'GET', PATH, **typed).status == 200


def test_node_s_fetch_is_no_browser(cloud: Cloud) -> None:
    assert ask(cloud, 'GET', PATH, User_Agent='node', Sec_Fetch_Mode='cors').status == 200


@pytest.mark.parametrize('headers', [{'Origin': EVIL}, {'host': 'evil.example'}, {'Sec_Fetch_Site': 'cross-site'}])
def test_a_websocket_of_a_page_is_refused(cloud: Cloud, headers: dict[str, str]) -> None:
    upgrade = {
        'Upgrade': 'websocket',
        'Connection': 'Upgrade',
        'Sec_WebSocket_Version': '13',
        'Sec_WebSocket_Key': base64.b64encode(b'0123456789abcdef').decode(),
    }
    assert ask(cloud, 'GET', '/_aws/execute-api/abcdef01/prod', **upgrade, **headers).status == 403


def test_two_hosts_are_none() -> None:
    assert refusal([('host', 'localhost'), ('host', 'evil.example')])
    assert refusal([])
    assert not is_loopback('localhost:1/../evil.example')
    assert not is_loopback('[')


@pytest.fixture
def runtime_api() -> Iterator[str]:
    """A server as the runtime API of functions with their own runtime is one."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    own = BaseHTTPRequestHandler.parse_request
    web.install()
    server = HTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True).start()
    yield f'http://127.0.0.1:{server.server_address[1]}'
    server.shutdown()
    server.server_close()
    BaseHTTPRequestHandler.parse_request = own  # type: ignore[method-assign]


def test_the_runtime_api_of_functions_refuses_pages(runtime_api: str) -> None:
    here = Cloud(Path(), runtime_api, {}, None)  # type: ignore[arg-type]
    assert ask(here, 'GET', '/2018-06-01/runtime/invocation/next').status == 200
    assert ask(here, 'GET', '/2018-06-01/runtime/invocation/next', Origin=EVIL).status == 403
    assert ask(here, 'GET', '/2018-06-01/runtime/invocation/next', host='evil.example').status == 403


PAGE = """<!doctype html><title>evil</title>
<script>
const aws = '%(endpoint)s', call = '%(call)s';
(async () => {
  const form = { method: 'POST', mode: 'no-cors' };
  const post = (type) => fetch(aws + '/', { ...form, headers: { 'content-type': type }, body: call });
  await post('text/plain'); await post('application/x-www-form-urlencoded');
  await fetch(aws + '%(faults)s', { ...form, body: '{"kind": "calm"}' });
  await new Promise((resolve) => { const i = new Image(); i.onload = i.onerror = resolve; i.src = aws + '/?' + call; });
  const read = await fetch(aws + '/_ministack/health').then((one) => one.text(), () => 'nothing');
  await fetch('/done?' + read, { method: 'POST' });
})();
</script>"""


@pytest.mark.skipif(shutil.which('chromium') is None, reason='chromium is not installed')
def test_a_page_in_a_real_browser_gets_nowhere(cloud: Cloud, tmp_path: Path) -> None:
    name, done, read = unique('browser'), threading.Event(), []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            values = {'endpoint': cloud.endpoint, 'call': CREATE_QUEUE + name, 'faults': PATH}
            self.wfile.write((PAGE % values).encode())

        def do_POST(self) -> None:
            read.append(self.path)
            self.send_response(204)
            self.end_headers()
            done.set()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(('127.0.0.1', 0), Page)
    threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True).start()
    options = ['--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={tmp_path}', '--no-first-run']
    address = f'http://page.localhost:{server.server_address[1]}/'
    of_others = temporary_of_browsers()
    browser = subprocess.Popen(['chromium', *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        last = time.monotonic() + 600
        while not done.wait(0.1):
            assert browser.poll() is None, 'the browser ended before the page did'
            assert time.monotonic() < last, 'the page did not get to its end'
    finally:
        browser.kill()
        browser.wait(600)
        # Killed, it leaves what it had there.
        for folder in temporary_of_browsers() - of_others:
            shutil.rmtree(folder)
        server.shutdown()
        server.server_close()
    assert read == ['/done?nothing']
    assert not cloud.client('sqs').list_queues(QueueNamePrefix=name).get('QueueUrls')
