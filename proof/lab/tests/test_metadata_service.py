"""The metadata service's answers."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sas_grid_lab.disks import Volume
from sas_grid_lab.instance_facts import LAB_FACTS, InstanceFacts
from sas_grid_lab.metadata_service import MetadataService
from sas_grid_lab.network import LAB_SUBNET, Subnet
from sas_grid_lab.plugs import Interface

TOKEN_PATH = '/latest/api/token'


@dataclass
class Fake:
    name: str = 'n1'
    instance_id: str = 'i-0123456789abcdef0'
    address: str = '10.77.0.11'
    mac: str = '02:77:0a:4d:00:0b'
    volumes: list[Volume] = field(default_factory=list)
    interfaces: list[Interface] = field(default_factory=list)
    subnet: Subnet = LAB_SUBNET
    facts: InstanceFacts = LAB_FACTS


@pytest.fixture
def machine() -> Fake:
    return Fake()


@pytest.fixture
def service(machine: Fake) -> MetadataService:
    return MetadataService(lambda address: machine if address == machine.address else None)


def ask(service: MetadataService, path: str, caller: str = '10.77.0.11') -> str:
    status, token = service.token(TOKEN_PATH, caller, '60')
    assert status == 200
    status, text = service.answer(f'/latest/meta-data/{path}', caller, token)
    assert status == 200, path
    return text


def test_what_the_host_software_asks(service: MetadataService) -> None:
    assert ask(service, 'instance-id') == 'i-0123456789abcdef0'
    assert ask(service, 'local-ipv4') == '10.77.0.11'
    assert ask(service, 'placement/region') == 'us-east-1'
    assert ask(service, 'services/domain') == 'amazonaws.com'
    assert ask(service, 'network/interfaces/macs/02:77:0a:4d:00:0b/subnet-ipv4-cidr-block') == '10.77.0.0/24'


def test_an_interface_is_known_while_it_is_attached(service: MetadataService, machine: Fake) -> None:
    slot = Interface('10.77.0.50')
    path = f'/latest/meta-data/network/interfaces/macs/{slot.mac}/local-ipv4s'
    token = service.token(TOKEN_PATH, machine.address, '60')[1]
    assert service.answer(path, machine.address, token)[0] == 404
    machine.interfaces.append(slot)
    assert service.answer(path, machine.address, token) == (200, '10.77.0.50')
    assert ask(service, 'network/interfaces/macs/') == f'02:77:0a:4d:00:0b/\n{slot.mac}/'
    machine.interfaces.clear()
    assert service.answer(path, machine.address, token)[0] == 404


def test_volumes_are_in_the_block_device_mapping(service: MetadataService, machine: Fake) -> None:
    assert ask(service, 'block-device-mapping/') == 'ami\nroot'
    machine.volumes.append(Volume('vol-0', Path('/none'), 1))
    assert ask(service, 'block-device-mapping/') == 'ami\nebs1\nroot'
    assert ask(service, 'block-device-mapping/ebs1') == 'sdf'


def test_credentials_are_found_as_by_the_sdks(service: MetadataService) -> None:
    role = ask(service, 'iam/security-credentials/')
    assert json.loads(ask(service, f'iam/security-credentials/{role}'))['Code'] == 'Success'


@pytest.mark.parametrize('seconds', [None, '', '0', '21601', 'x'])
def test_a_token_needs_a_time_to_live(service: MetadataService, seconds: str | None) -> None:
    assert service.token(TOKEN_PATH, '10.77.0.11', seconds)[0] == 400


def test_without_the_callers_own_token_nothing_is_told(service: MetadataService) -> None:
    token = service.token(TOKEN_PATH, '10.77.0.12', '60')[1]
    for wrong in (None, '', 'guess', token):
        assert service.answer('/latest/meta-data/instance-id', '10.77.0.11', wrong)[0] == 401


def test_who_is_no_machine_is_told_nothing(service: MetadataService) -> None:
    token = service.token(TOKEN_PATH, '10.77.0.99', '60')[1]
    assert service.answer('/latest/meta-data/instance-id', '10.77.0.99', token)[0] == 404
