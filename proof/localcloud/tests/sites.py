"""A network with hosts that run a part of the real host software, and file systems beside them."""

import base64
import io
import tarfile
from pathlib import Path
from typing import Any

from conftest import Cloud, until

HOST_FILES = Path(__file__).parents[3] / 'constructs/host'
PARTS = {
    'lustre-client': ('bin/sas-grid-mount-lustre', 'lib/lustre.sh', 'lib/lustre-packages.sh'),
    'nfs-client': ('bin/sas-grid-mount-nfs',),
}
COMMON = (
    'bin/sas-grid-bootstrap',
    'systemd/sas-grid-bootstrap.service',
    *(f'lib/{name}.sh' for name in ('log', 'wait', 'settings', 'distro', 'mounts', 'mount-units')),
)


class Site:
    """A network with a group for the hosts and one for file systems."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud, self.ec2 = cloud, cloud.client('ec2')
        self.vpc = self.ec2.create_vpc(CidrBlock='10.7.0.0/16')['Vpc']['VpcId']
        self.ec2.modify_vpc_attribute(VpcId=self.vpc, EnableDnsHostnames={'Value': True})
        self.subnet = self.network('10.7.0.0/22', 'us-east-1a')
        self.hosts, self.storage = self.group('hosts'), self.group('storage')

    def network(self, cidr: str, zone: str) -> str:
        made = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=cidr, AvailabilityZone=zone)
        return str(made['Subnet']['SubnetId'])

    def group(self, name: str) -> str:
        return str(self.ec2.create_security_group(VpcId=self.vpc, GroupName=name, Description=name)['GroupId'])

    def open(self, group: str, source: str, *ports: tuple[int, int]) -> None:
        pairs = [{'GroupId': source}]
        rules = [
            {'IpProtocol': 'tcp', 'FromPort': least, 'ToPort': most, 'UserIdGroupPairs': pairs} for least, most in ports
        ]
        self.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=rules)

    def open_lustre(self) -> None:
        for group, source in ((self.storage, self.hosts), (self.hosts, self.storage)):
            self.open(group, source, (988, 988), (1018, 1023))

    def file_system(self, kind: str, **more: Any) -> dict[str, Any]:
        fsx = self.cloud.client('fsx')
        wanted = {'SubnetIds': [self.subnet], 'SecurityGroupIds': [self.storage], **more}
        made = fsx.create_file_system(FileSystemType=kind, **wanted)['FileSystem']['FileSystemId']

        def ready() -> dict[str, Any] | None:
            found = fsx.describe_file_systems(FileSystemIds=[made])['FileSystems'][0]
            return dict(found) if found['Lifecycle'] == 'AVAILABLE' else None

        return dict(until(ready, f'{made} available'))

    def launch(self, role: str, settings: dict[str, str], **more: Any) -> 'Host':
        wanted = {
            'ImageId': 'ami-12345678',
            'InstanceType': 'm6i.large',
            'SubnetId': self.subnet,
            'SecurityGroupIds': [self.hosts],
            'UserData': user_data(role, settings),
            **more,
        }
        made = self.ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]['InstanceId']
        return Host(self.cloud, str(made))


class Host:
    """A host's root."""

    def __init__(self, cloud: Cloud, instance: str) -> None:
        self.cloud, self.id, self.root = cloud, instance, cloud.state / 'hosts' / instance

    def mounts(self) -> dict[str, list[str]]:
        path = self.root / 'proc/mounts'
        lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        return {line[1].removeprefix(str(self.root)): line for line in lines}

    def wait_for_mount(self) -> list[str]:
        return list(until(lambda: self.mounts().get('/data'), f'/data on {self.id}'))

    def asked(self) -> bool:
        log = self.root / 'var/log/tools.log'
        return log.exists() and 'lctl ping' in log.read_text()

    def run(self, script: str) -> dict[str, Any]:
        ssm = self.cloud.client('ssm')
        sent = until(lambda: self._sent(ssm, script), f'the agent of {self.id}')

        def ended() -> dict[str, Any] | None:
            try:
                found = ssm.get_command_invocation(CommandId=sent, InstanceId=self.id)
            except ssm.exceptions.InvocationDoesNotExist:
                return None
            return dict(found) if found['Status'] not in ('Pending', 'InProgress') else None

        return dict(until(ended, script))

    def _sent(self, ssm: Any, script: str) -> str | None:
        try:
            wanted = {'DocumentName': 'AWS-RunShellScript', 'InstanceIds': [self.id]}
            return str(ssm.send_command(**wanted, Parameters={'commands': [script]})['Command']['CommandId'])
        except ssm.exceptions.InvalidInstanceId:
            return None

    def history(self) -> list[tuple[str | None, str | None]]:
        lines = self.cloud.history(kind='managed-mount', instance=self.id)
        return [(line['from'], line['to']) for line in lines]


def user_data(role: str, settings: dict[str, str]) -> str:
    """User data of one role with no more of the host software than it needs."""
    marked = ['#!/bin/bash', '# cdk-sas-grid: host software']
    if not role:
        return '\n'.join([*marked, 'true'])
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w:gz', compresslevel=9) as archive:
        units = [f'systemd/{one.name}' for one in (HOST_FILES / 'systemd').iterdir() if role in one.name]
        service = f'systemd/sas-grid-mount-{role.removesuffix("-client")}.service'
        for name in sorted({*COMMON, *PARTS[role], *units, service}):
            archive.add(HOST_FILES / name, name)
    lines = [
        *marked,
        'set -euo pipefail',
        'root=${SAS_GRID_ROOT:-}',
        'mkdir -p "$root/opt/cdk-sas-grid" "$root/etc/sas-grid"',
        'base64 -d <<\'BUNDLE\' | tar -xzf - -C "$root/opt/cdk-sas-grid"',
        base64.b64encode(packed.getvalue()).decode(),
        'BUNDLE',
        f'cat >"$root/etc/sas-grid/{role}.env" <<\'SETTINGS\'',
        *(f'{key}={value}' for key, value in {'MOUNT_POINT': '/data', **settings}.items()),
        'SETTINGS',
        f'exec "$root/opt/cdk-sas-grid/bin/sas-grid-bootstrap" {role}',
    ]
    return '\n'.join(lines)
