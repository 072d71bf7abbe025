"""What security groups of both sides let through."""

from typing import Any

import pytest
from ministack.services import ec2

from sas_grid_localcloud.ec2.reach import Opening, connects, openings
from sas_grid_localcloud.scope import own_scope

ALL = {'IpProtocol': '-1', 'IpRanges': [{'CidrIp': '0.0.0.0/0'}]}


def interface(address: str, *groups: str, vpc: str = 'vpc-1') -> dict[str, Any]:
    return {'PrivateIpAddress': address, 'VpcId': vpc, 'Groups': [{'GroupId': one} for one in groups]}


def rule(protocol: str, first: int, last: int, **peer: Any) -> dict[str, Any]:
    return {'IpProtocol': protocol, 'FromPort': first, 'ToPort': last, **peer}


@pytest.fixture(autouse=True)
def groups() -> Any:
    from_nodes = {'UserIdGroupPairs': [{'GroupId': 'sg-node'}]}
    made = {
        'sg-node': {'IpPermissions': [], 'IpPermissionsEgress': [ALL]},
        'sg-server': {
            'IpPermissions': [rule('tcp', 2049, 2049, **from_nodes), rule('icmp', -1, -1, **from_nodes)],
            'IpPermissionsEgress': [rule('6', 443, 443, IpRanges=[{'CidrIp': '10.0.0.0/8'}])],
        },
        'sg-web': {'IpPermissions': [rule('tcp', 0, 65535, IpRanges=[{'CidrIp': '10.0.0.2/32'}])]},
    }
    with own_scope():
        ec2._security_groups.update(made)
        yield
        for name in made:
            ec2._security_groups.pop(name, None)


def test_what_one_side_asks_and_the_other_lets_in() -> None:
    node, server = interface('10.0.0.1', 'sg-node'), interface('10.0.0.2', 'sg-server')
    assert openings(node, server) == [Opening('icmp', 0, 65535), Opening('tcp', 2049, 2049)]
    assert openings(server, node) == []
    assert connects(node, server, [(2049, 2049)])
    assert not connects(node, server, [(2049, 2049), (22, 22)])


def test_both_have_to_agree_on_the_ports() -> None:
    server, web = interface('10.0.0.2', 'sg-server'), interface('10.0.0.3', 'sg-web')
    assert openings(server, web) == [Opening('tcp', 443, 443)]
    assert not connects(server, web, [(443, 444)])


def test_nothing_gets_into_another_vpc() -> None:
    assert openings(interface('10.0.0.1', 'sg-node'), interface('10.0.0.2', 'sg-server', vpc='vpc-2')) == []
