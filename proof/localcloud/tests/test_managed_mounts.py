"""Hosts mount what FSx and EFS run, when it is there and the security groups agree: the real host software."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sites import Host, Site

from conftest import Cloud, instance_state, start_cloud, stop_cloud, until

LUSTRE = {'DeploymentType': 'PERSISTENT_2', 'PerUnitStorageThroughput': 125}
AMAZON_LINUX = '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64'
TUNABLES = 'mdc.*.max_rpcs_in_flight=64 mdc.*.max_mod_rpcs_in_flight=50'


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts."""
    running = start_cloud(
        tmp_path_factory.mktemp('managed') / 'state',
        environment={'SAS_GRID_LOCALCLOUD_UNANSWERED_SECONDS': '0.1', 'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0'},
    )
    yield running
    stop_cloud(running)


@pytest.fixture(scope='module')
def site(cloud: Cloud) -> Site:
    made = Site(cloud)
    made.open_lustre()
    made.open(made.storage, made.hosts, (2049, 2049))
    made.open(made.storage, made.storage, (988, 988), (1018, 1023))
    return made


@pytest.fixture(scope='module')
def lustre(site: Site) -> dict[str, Any]:
    return site.file_system('LUSTRE', StorageCapacity=1200, LustreConfiguration=LUSTRE)


def client_of(file_system: dict[str, Any], **more: str) -> dict[str, str]:
    return {
        'FSNAME': file_system['LustreConfiguration']['MountName'],
        'MGS_NID': f'{file_system["DNSName"]}@tcp',
        'MOUNT_OPTIONS': 'flock',
        'LUSTRE_SOFTWARE': 'preinstalled',
        'TUNABLES': TUNABLES,
        'LARGE_CLIENT': 'true',
        **more,
    }


def test_hosts_share_a_lustre_file_system_and_mount_it_again(site: Site, cloud: Cloud, lustre: dict[str, Any]) -> None:
    image = cloud.client('ssm').get_parameter(Name=AMAZON_LINUX)['Parameter']['Value']
    wanted = client_of(lustre, LUSTRE_SOFTWARE='distribution')
    large = site.launch('lustre-client', wanted, InstanceType='i4i.8xlarge', ImageId=image)
    small = site.launch('lustre-client', client_of(lustre))
    interface = cloud.client('ec2').describe_network_interfaces(NetworkInterfaceIds=lustre['NetworkInterfaceIds'])
    address = interface['NetworkInterfaces'][0]['PrivateIpAddress']
    source = f'{address}@tcp:/{lustre["LustreConfiguration"]["MountName"]}'
    for host in (large, small):
        line = host.wait_for_mount()
        assert (line[0], line[2], line[3]) == (source, 'lustre', 'rw,flock,lazystatfs')

    assert large.run('echo kept >"$SAS_GRID_ROOT/data/file"')['Status'] == 'Success'
    assert small.run('cat "$SAS_GRID_ROOT/data/file"')['StandardOutputContent'] == 'kept\n'
    parameters = ['mdc.*.max_mod_rpcs_in_flight', 'ldlm.namespaces.*.lru_max_age', 'ldlm.namespaces.*.lru_size']
    read = 'lctl get_param -n ' + ' '.join(f"'{one}'" for one in parameters)
    assert large.run(read)['StandardOutputContent'].split() == ['50', '600000', '3200']
    assert 'lru_size' in small.run(read)['StandardErrorContent']

    ec2 = cloud.client('ec2')
    ec2.stop_instances(InstanceIds=[small.id])
    until(lambda: small.history()[-1] == ('mounted', None), 'it is stopped')
    assert list((small.root / 'data').iterdir()) == []
    until(lambda: instance_state(cloud, small.id) == 'stopped', 'it can be started')
    ec2.start_instances(InstanceIds=[small.id])
    until(lambda: small.history()[-1] == (None, 'mounted'), 'it is mounted again')
    assert small.run('cat "$SAS_GRID_ROOT/data/file"')['StandardOutputContent'] == 'kept\n'


def mount_lustre(host: Host, file_system: dict[str, Any], name: str = '') -> tuple[int, str]:
    source = f'{file_system["DNSName"]}@tcp:/{name or file_system["LustreConfiguration"]["MountName"]}'
    point = '"$SAS_GRID_ROOT/mnt"'
    ended = host.run(f'mkdir -p {point} && mount -t lustre -o flock {source} {point} && umount {point}')
    return ended['ResponseCode'], ended['StandardErrorContent']


@pytest.fixture(scope='module')
def bare(site: Site) -> Host:
    """A host that mounts nothing by itself."""
    return site.launch('', {})


def test_a_mount_needs_its_name_the_ports_and_the_file_system(site: Site, bare: Host, lustre: dict[str, Any]) -> None:
    assert mount_lustre(bare, lustre) == (0, '')
    assert bare.history() == [(None, 'mounted'), ('mounted', None)]
    code, words = mount_lustre(bare, lustre, 'wrong')
    assert (code, 'No such file or directory' in words, 'Is the filesystem name correct?' in words) == (2, True, True)
    code, words = mount_lustre(bare, {**lustre, 'DNSName': 'fs-0.fsx.us-east-1.amazonaws.com'})
    assert (code, "Can't parse NID" in words) == (22, True)


@pytest.mark.parametrize('closed', ['storage', 'hosts'])
@pytest.mark.parametrize('ports', [(988, 988), (1018, 1023)])
def test_both_groups_have_to_open_all_ports(
    site: Site, bare: Host, lustre: dict[str, Any], closed: str, ports: tuple[int, int]
) -> None:
    group, source = (site.storage, site.hosts) if closed == 'storage' else (site.hosts, site.storage)
    pairs = [{'GroupId': source}]
    rule = {'IpProtocol': 'tcp', 'FromPort': ports[0], 'ToPort': ports[1], 'UserIdGroupPairs': pairs}
    site.ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=[rule])
    code, words = mount_lustre(bare, lustre)
    assert (code, 'failed: Connection timed out' in words) == (110, True)
    assert bare.run(f'lctl ping {lustre["DNSName"]}@tcp')['ResponseCode'] == 5
    site.open(group, source, ports)
    assert mount_lustre(bare, lustre)[0] == 0


def test_a_host_whose_way_out_is_closed_waits(site: Site, cloud: Cloud, lustre: dict[str, Any]) -> None:
    closed = site.group('closed')
    site.open(closed, site.storage, (988, 988), (1018, 1023))
    site.open(site.storage, closed, (988, 988), (1018, 1023))
    everywhere = {'IpProtocol': '-1', 'IpRanges': [{'CidrIp': '0.0.0.0/0'}]}
    site.ec2.revoke_security_group_egress(GroupId=closed, IpPermissions=[everywhere])
    host = site.launch('lustre-client', client_of(lustre), SecurityGroupIds=[closed])
    until(host.asked, 'it asks')
    assert host.mounts() == {}
    site.ec2.authorize_security_group_egress(GroupId=closed, IpPermissions=[everywhere])
    host.wait_for_mount()


def test_what_is_deleted_leaves_stale_mounts(site: Site, cloud: Cloud) -> None:
    made = site.file_system('LUSTRE', StorageCapacity=1200, LustreConfiguration=LUSTRE)
    host = site.launch('lustre-client', client_of(made))
    host.wait_for_mount()
    cloud.client('fsx').delete_file_system(FileSystemId=made['FileSystemId'])
    until(lambda: host.history() == [(None, 'mounted'), ('mounted', 'stale')], 'it is stale')
    assert '/data' in host.mounts()
    assert host.run('ls "$SAS_GRID_ROOT/data/"')['Status'] == 'Failed'
    assert mount_lustre(host, made)[0] == 22


def nfs(host: Host, source: str, options: str) -> tuple[int, str]:
    point = '"$SAS_GRID_ROOT/mnt"'
    ended = host.run(f'mkdir -p {point} && mount -t nfs -o {options} {source} {point} && umount {point}')
    return ended['ResponseCode'], ended['StandardErrorContent']


def test_openzfs_exports_its_volumes_to_the_ranges_of_each(site: Site, cloud: Cloud, bare: Host) -> None:
    configuration = {'DeploymentType': 'SINGLE_AZ_1', 'ThroughputCapacity': 64}
    made = site.file_system('OPENZFS', StorageCapacity=64, OpenZFSConfiguration=configuration)
    fsx, root = cloud.client('fsx'), made['OpenZFSConfiguration']['RootVolumeId']
    for name, clients in (('ours', '10.7.0.0/16'), ('theirs', '192.168.0.0/16')):
        exports = [{'ClientConfigurations': [{'Clients': clients, 'Options': ['rw', 'crossmnt']}]}]
        wanted = {'ParentVolumeId': root, 'NfsExports': exports}
        volume = fsx.create_volume(VolumeType='OPENZFS', Name=name, OpenZFSConfiguration=wanted)['Volume']['VolumeId']
        until(lambda volume=volume: _available(fsx, volume), f'{name} available')
    settings = {'SERVER': made['DNSName'], 'EXPORT': '/fsx/ours', 'NFS_VERSION': '4.2', 'NCONNECT': '16'}
    host = site.launch('nfs-client', settings)
    line = host.wait_for_mount()
    assert (line[0], line[2]) == (f'{made["DNSName"]}:/fsx/ours', 'nfs4')
    assert {'vers=4.2', 'hard', 'nconnect=16'} <= set(line[3].split(','))
    denied = nfs(bare, f'{made["DNSName"]}:/fsx/theirs', 'nfsvers=4.2')
    assert (denied[0], 'access denied by server' in denied[1]) == (32, True)
    missing = nfs(bare, f'{made["DNSName"]}:/fsx/nothing', 'nfsvers=4.2')
    assert 'No such file or directory' in missing[1]


def _available(fsx: Any, volume: str) -> bool:
    return str(fsx.describe_volumes(VolumeIds=[volume])['Volumes'][0]['Lifecycle']) in ('AVAILABLE', 'CREATED')


def test_a_virtual_machine_of_ontap_serves_its_junctions(site: Site, cloud: Cloud, bare: Host) -> None:
    configuration = {'DeploymentType': 'SINGLE_AZ_1', 'ThroughputCapacity': 128}
    made = site.file_system('ONTAP', StorageCapacity=1024, OntapConfiguration=configuration)
    fsx = cloud.client('fsx')
    machine = fsx.create_storage_virtual_machine(FileSystemId=made['FileSystemId'], Name='svm')['StorageVirtualMachine']
    identity = machine['StorageVirtualMachineId']

    def ready() -> Any:
        found = fsx.describe_storage_virtual_machines(StorageVirtualMachineIds=[identity])['StorageVirtualMachines'][0]
        return found if found['Lifecycle'] == 'CREATED' else None

    name = until(ready, 'the machine')['Endpoints']['Nfs']['DNSName']
    wanted = {'StorageVirtualMachineId': identity, 'JunctionPath': '/data', 'SizeInMegabytes': 1024}
    volume = fsx.create_volume(VolumeType='ONTAP', Name='data', OntapConfiguration=wanted)['Volume']['VolumeId']
    until(lambda: _available(fsx, volume), 'the volume')
    assert nfs(bare, f'{name}:/data', 'nfsvers=4.1,nconnect=16') == (0, '')


def test_efs_is_found_through_the_mount_target_of_the_zone(site: Site, cloud: Cloud, bare: Host) -> None:
    efs = cloud.client('efs')
    made = efs.create_file_system(CreationToken='t', Encrypted=True)['FileSystemId']
    name = f'{made}.efs.us-east-1.amazonaws.com'
    until(lambda: efs.describe_file_systems(FileSystemId=made)['FileSystems'][0]['LifeCycleState'] == 'available', made)
    other = site.network('10.7.8.0/24', 'us-east-1b')
    for subnet in (other, site.subnet):
        code, words = nfs(bare, f'{name}:/', 'nfsvers=4.1')
        assert (code, 'Name or service not known' in words) == (32, True)
        efs.create_mount_target(FileSystemId=made, SubnetId=subnet, SecurityGroups=[site.storage])
        targets = efs.describe_mount_targets(FileSystemId=made)['MountTargets']
        assert targets
        until(lambda: _targets_ready(efs, made), 'the mount targets')
    assert nfs(bare, f'{name}:/', 'nfsvers=4.1,noresvport') == (0, '')
    assert 'Protocol not supported' in nfs(bare, f'{name}:/', 'nfsvers=4.2')[1]
    assert nfs(bare, f'{name}:/', 'nfsvers=4.1,nconnect=16')[0] == 32
    deny = (
        '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": '
        '"elasticfilesystem:ClientMount"}, {"Effect": "Deny", "Principal": {"AWS": "*"}, "Action": "*", '
        '"Condition": {"Bool": {"aws:SecureTransport": "false"}}}]}'
    )
    efs.put_file_system_policy(FileSystemId=made, Policy=deny, BypassPolicyLockoutSafetyCheck=True)
    assert 'access denied by server' in nfs(bare, f'{name}:/', 'nfsvers=4.1')[1]


def _targets_ready(efs: Any, file_system: str) -> bool:
    targets = efs.describe_mount_targets(FileSystemId=file_system)['MountTargets']
    return all(one['LifeCycleState'] == 'available' for one in targets)


def test_nfs_behind_a_closed_port_hangs(site: Site, bare: Host, cloud: Cloud, opened: Callable[[], None]) -> None:
    made = site.file_system(
        'OPENZFS',
        StorageCapacity=64,
        OpenZFSConfiguration={'DeploymentType': 'SINGLE_AZ_1', 'ThroughputCapacity': 64},
    )
    code, words = nfs(bare, f'{made["DNSName"]}:/fsx', 'nfsvers=4.2')
    assert (code, 'Connection timed out' in words) == (32, True)
    assert bare.run(f"timeout 10 bash -c '</dev/tcp/$0/2049' {made['DNSName']}")['ResponseCode'] == 124
    opened()
    assert nfs(bare, f'{made["DNSName"]}:/fsx', 'nfsvers=4.2') == (0, '')


@pytest.fixture
def opened(site: Site) -> Callable[[], None]:
    """Closes NFS, and opens it again when it is called."""
    pairs = [{'GroupId': site.hosts}]
    rule = {'IpProtocol': 'tcp', 'FromPort': 2049, 'ToPort': 2049, 'UserIdGroupPairs': pairs}
    site.ec2.revoke_security_group_ingress(GroupId=site.storage, IpPermissions=[rule])
    return lambda: site.open(site.storage, site.hosts, (2049, 2049))
