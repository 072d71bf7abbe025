"""What fence_aws relies on of EC2."""

import http.client
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from sas_grid_lab.certificate import Certificate
from sas_grid_lab.ec2_endpoint import NAMESPACE, ApiError, Ec2, Ec2Endpoint, Instance, Outage

NAME = 'ec2.eu-west-1.amazonaws.com'


@pytest.fixture
def power() -> list[str]:
    return []


@pytest.fixture
def ec2(power: list[str]) -> Ec2:
    cloud = Ec2(stop_seconds=0.05)
    for number in (1, 2):
        name = f'i-0{number}'
        cloud.add(Instance(name, partial(power.append, f'{name} off'), partial(power.append, f'{name} on')))
    return cloud


def states(answer: str) -> dict[str, str]:
    """Instance id and state of each instance in an answer."""
    tag = f'{{{NAMESPACE}}}'
    return {
        item.findtext(f'{tag}instanceId', ''): item.findtext(f'{tag}{state}/{tag}name', '')
        for item in Xml.fromstring(answer).iter(f'{tag}item')
        for state in ('instanceState', 'currentState')
        if item.find(f'{tag}{state}') is not None
    }


def until(ec2: Ec2, instance: str, state: str) -> None:
    deadline = time.monotonic() + 600
    while ec2.state(instance) != state:
        assert time.monotonic() < deadline, ec2.state(instance)
        time.sleep(0.01)


def describe(ec2: Ec2, instance: str) -> dict[str, str]:
    return states(
        ec2.answer({'Action': 'DescribeInstances', 'Filter.1.Name': 'instance-id', 'Filter.1.Value.1': instance})
    )


def test_an_instance_is_stopped_really_and_only_then_called_so(ec2: Ec2, power: list[str]) -> None:
    assert describe(ec2, 'i-01') == {'i-01': 'running'}
    answer = ec2.answer({'Action': 'StopInstances', 'InstanceId.1': 'i-01', 'Force': 'true'}, '10.77.0.12')
    assert states(answer) == {'i-01': 'stopping'}
    until(ec2, 'i-01', 'stopped')
    assert power == ['i-01 off']
    assert describe(ec2, 'i-02') == {'i-02': 'running'}
    stop = [call for call in ec2.calls if call.action == 'StopInstances']
    assert [(call.instances, call.source) for call in stop] == [(['i-01'], '10.77.0.12')]


def test_it_is_not_called_stopped_while_its_power_cannot_be_cut(ec2: Ec2) -> None:
    def stuck() -> None:
        raise RuntimeError('the switch is stuck')

    ec2.instances['i-01'].power_off = stuck
    ec2.answer({'Action': 'StopInstances', 'InstanceId.1': 'i-01'})
    time.sleep(0.2)
    assert ec2.state('i-01') == 'stopping'
    assert ec2.problems == ['i-01: the switch is stuck']


def test_a_stopped_instance_is_stopped_again_without_error_and_can_be_started(ec2: Ec2, power: list[str]) -> None:
    for _ in range(2):
        ec2.answer({'Action': 'StopInstances', 'InstanceId.1': 'i-01'})
        until(ec2, 'i-01', 'stopped')
    ec2.answer({'Action': 'StartInstances', 'InstanceId.1': 'i-01'})
    until(ec2, 'i-01', 'running')
    assert power == ['i-01 off', 'i-01 on']


def test_what_ec2_refuses(ec2: Ec2) -> None:
    ec2.terminate('i-01')
    until(ec2, 'i-01', 'terminated')
    for request, code in (
        ({'Action': 'StopInstances', 'InstanceId.1': 'i-01'}, 'IncorrectInstanceState'),
        ({'Action': 'StopInstances', 'InstanceId.1': 'i-0f'}, 'InvalidInstanceID.NotFound'),
        ({'Action': 'RebootInstances', 'InstanceId.1': 'i-02'}, 'InvalidAction'),
    ):
        with pytest.raises(ApiError) as refused:
            ec2.answer(request)
        assert refused.value.code == code
    assert describe(ec2, 'i-0f') == {}


@pytest.fixture
def server(ec2: Ec2, tmp_path: Path) -> Iterator[tuple[Ec2Endpoint, int, Certificate]]:
    listener = socket.create_server(('127.0.0.1', 0))
    port, certificate = listener.getsockname()[1], Certificate(tmp_path, NAME)
    server = Ec2Endpoint(ec2, listener, certificate, 'ASIALAB')
    yield server, port, certificate
    server.close()


@pytest.fixture
def endpoint(server: tuple[Ec2Endpoint, int, Certificate]) -> tuple[int, Certificate]:
    return server[1:]


def call(port: int, certificate: Certificate, key: str) -> str:
    context = ssl.create_default_context(cadata=certificate.authority)
    context.check_hostname = False
    data = urllib.parse.urlencode({'Action': 'DescribeInstances'}).encode()
    headers = {'Authorization': f'AWS4-HMAC-SHA256 Credential={key}/20260101/eu-west-1/ec2/aws4_request'}
    request = urllib.request.Request(f'https://127.0.0.1:{port}/', data, headers)
    with urllib.request.urlopen(request, timeout=10, context=context) as answer:
        text: str = answer.read().decode()
    return text


def test_over_tls_with_a_certificate_of_its_name(endpoint: tuple[int, Certificate]) -> None:
    port, certificate = endpoint
    assert states(call(port, certificate, 'ASIALAB')) == {'i-01': 'running', 'i-02': 'running'}
    context = ssl.create_default_context(cadata=certificate.authority)
    with (
        socket.create_connection(('127.0.0.1', port)) as plain,
        context.wrap_socket(plain, server_hostname=NAME) as safe,
    ):
        assert safe.getpeercert()


def test_without_the_credentials_of_the_metadata_service_nothing_is_told(endpoint: tuple[int, Certificate]) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        call(*endpoint, 'AKIAOTHER')
    assert refused.value.code == 400
    assert b'AuthFailure' in refused.value.read()


def test_a_connection_that_says_nothing_does_not_hold_up_others(endpoint: tuple[int, Certificate]) -> None:
    port, certificate = endpoint
    with socket.create_connection(('127.0.0.1', port)):
        assert states(call(port, certificate, 'ASIALAB'))


@pytest.mark.parametrize('outage', Outage)
def test_a_lost_endpoint_does_nothing_and_tells_who_asked(
    ec2: Ec2, server: tuple[Ec2Endpoint, int, Certificate], outage: Outage
) -> None:
    endpoint, *where = server
    endpoint.lose(outage)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(call, *where, 'ASIALAB')
        deadline = time.monotonic() + 600
        while not endpoint.missed and time.monotonic() < deadline:
            time.sleep(0.01)
        assert endpoint.missed == ['127.0.0.1']
        # Who got no answer still waits; who was hung up on does not.
        assert outage is Outage.REFUSES or not asked.done()
        endpoint.restore()
        assert isinstance(asked.exception(60), OSError | http.client.HTTPException)
    assert ec2.calls == []
    assert states(call(*where, 'ASIALAB')) == {'i-01': 'running', 'i-02': 'running'}
