"""Network interfaces: fixed addresses that move between instances, and EC2's refusals."""

from collections.abc import Callable
from typing import Any

from conftest import Cloud, Network, until
from errors import refused

Make = Callable[..., str]


def interface(cloud: Cloud, network: Network, **more: Any) -> dict[str, Any]:
    made = cloud.client('ec2').create_network_interface(SubnetId=network.subnet, **more)['NetworkInterface']
    until(lambda: shown(cloud, made['NetworkInterfaceId']), 'shown')
    return dict(made)


def shown(cloud: Cloud, interface_id: str) -> dict[str, Any] | None:
    wanted = [{'Name': 'network-interface-id', 'Values': [interface_id]}]
    found = cloud.client('ec2').describe_network_interfaces(Filters=wanted)['NetworkInterfaces']
    return dict(found[0]) if found else None


def status(cloud: Cloud, interface_id: str) -> tuple[str, str | None]:
    one = shown(cloud, interface_id)
    assert one is not None
    return one['Status'], one.get('Attachment', {}).get('Status')


def test_the_address_moves_with_the_interface(cloud: Cloud, network: Network, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    old, new = instance(), instance()
    eni = interface(cloud, network, PrivateIpAddress='10.9.3.21')['NetworkInterfaceId']
    with cloud.still():
        ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=old, DeviceIndex=1)
        assert status(cloud, eni) == ('in-use', 'attaching')
    until(lambda: status(cloud, eni) == ('in-use', 'attached'), 'attached')
    with refused('InvalidNetworkInterface.InUse', eni):
        ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=new, DeviceIndex=1)
    with refused('InvalidNetworkInterface.InUse', eni):
        ec2.delete_network_interface(NetworkInterfaceId=eni)
    ec2.terminate_instances(InstanceIds=[old])
    until(lambda: status(cloud, eni) == ('available', None), 'free after the instance was terminated')
    ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=new, DeviceIndex=1)
    until(lambda: status(cloud, eni) == ('in-use', 'attached'), 'attached again')
    host = ec2.describe_instances(InstanceIds=[new])['Reservations'][0]['Instances'][0]
    addresses = {one['PrivateIpAddress'] for one in host['NetworkInterfaces']}
    assert '10.9.3.21' in addresses
    assert len(addresses) == 2


def test_refusals(cloud: Cloud, network: Network, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    host = instance()
    eni = interface(cloud, network)['NetworkInterfaceId']
    other = interface(cloud, network)['NetworkInterfaceId']
    ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=host, DeviceIndex=1)
    with refused('InvalidParameterValue', "index '1'"):
        ec2.attach_network_interface(NetworkInterfaceId=other, InstanceId=host, DeviceIndex=1)
    with refused('InvalidAttachmentID.NotFound', 'eni-attach-0'):
        ec2.detach_network_interface(AttachmentId='eni-attach-0')
    with refused('InvalidNetworkInterfaceID.NotFound'):
        ec2.attach_network_interface(NetworkInterfaceId='eni-0123456789abcdef0', InstanceId=host, DeviceIndex=2)
    taken = shown(cloud, other)
    assert taken is not None
    with refused('InvalidIPAddress.InUse', taken['PrivateIpAddress']):
        ec2.create_network_interface(SubnetId=network.subnet, PrivateIpAddress=taken['PrivateIpAddress'])
    with refused('InvalidParameterValue', '192.0.2.1'):
        ec2.create_network_interface(SubnetId=network.subnet, PrivateIpAddress='192.0.2.1')
    with refused('InvalidGroup.NotFound'):
        ec2.create_network_interface(SubnetId=network.subnet, Groups=['sg-0123456789abcdef0'])


def test_the_primary_interface_belongs_to_its_instance(cloud: Cloud, network: Network, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    host = instance()
    primary = ec2.describe_instances(InstanceIds=[host])['Reservations'][0]['Instances'][0]['NetworkInterfaces'][0]
    assert primary['PrivateIpAddress'].startswith('10.9.')
    with refused('OperationNotPermitted'):
        ec2.detach_network_interface(AttachmentId=primary['Attachment']['AttachmentId'])
    ec2.terminate_instances(InstanceIds=[host])
    until(lambda: shown(cloud, primary['NetworkInterfaceId']) is None, 'gone with its instance')


def test_reserved_addresses_are_never_handed_out(cloud: Cloud) -> None:
    ec2 = cloud.client('ec2')
    vpc = ec2.create_vpc(CidrBlock='10.44.0.0/24')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.44.0.0/28')['Subnet']['SubnetId']
    ec2.create_subnet_cidr_reservation(SubnetId=subnet, Cidr='10.44.0.4/30', ReservationType='explicit')
    reserved = ec2.get_subnet_cidr_reservations(SubnetId=subnet)['SubnetIpv4CidrReservations']
    assert [one['Cidr'] for one in reserved] == ['10.44.0.4/30']
    with refused('InvalidSubnet.Range'):
        ec2.create_subnet_cidr_reservation(SubnetId=subnet, Cidr='10.45.0.0/30', ReservationType='explicit')
    chosen = ec2.create_network_interface(SubnetId=subnet)['NetworkInterface']['PrivateIpAddress']
    assert chosen == '10.44.0.8'
    fixed = ec2.create_network_interface(SubnetId=subnet, PrivateIpAddress='10.44.0.5')['NetworkInterface']
    assert fixed['PrivateIpAddress'] == '10.44.0.5'
    for _ in range(6):
        ec2.create_network_interface(SubnetId=subnet)
    with refused('InsufficientFreeAddressesInSubnet', subnet):
        ec2.create_network_interface(SubnetId=subnet)


def test_a_filter_finds_what_goes_with_its_instance(cloud: Cloud, network: Network, instance: Make) -> None:
    ec2, host = cloud.client('ec2'), instance()
    eni = interface(cloud, network)['NetworkInterfaceId']
    ec2.attach_network_interface(NetworkInterfaceId=eni, InstanceId=host, DeviceIndex=1)

    def found(goes: str) -> list[str]:
        filters = [
            {'Name': 'attachment.instance-id', 'Values': [host]},
            {'Name': 'attachment.delete-on-termination', 'Values': [goes]},
        ]
        shown_now = ec2.describe_network_interfaces(Filters=filters)['NetworkInterfaces']
        return [one['NetworkInterfaceId'] for one in shown_now]

    until(lambda: found('false') == [eni], 'attached, to stay')
    assert len(found('true')) == 1
