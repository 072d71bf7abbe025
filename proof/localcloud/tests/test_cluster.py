"""Nodes of a cluster that ask this AWS themselves: for software, volumes, addresses, their key, and for each other."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cloud, instance_state, start_cloud, stop_cloud, until, volume_state

HOST_FILES = Path(__file__).parents[3] / 'constructs/host'
NODES = ('n1', 'n2', 'n3')
TAG = 'formatted'
BOOTSTRAP = 'exec "$base/bin/sas-grid-bootstrap" '
SHARED = {'VolumeType': 'io2', 'Size': 10, 'Iops': 1000, 'MultiAttachEnabled': True, 'AvailabilityZone': 'us-east-1a'}


class Cluster:
    """Three nodes, with what stays of them when their instances go."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        ec2 = self.ec2 = cloud.client('ec2')
        vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
        zone = SHARED['AvailabilityZone']
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/24', AvailabilityZone=zone)['Subnet']
        self._subnet = subnet['SubnetId']
        self.volume = ec2.create_volume(**SHARED)['VolumeId']
        made = [ec2.create_network_interface(SubnetId=self._subnet)['NetworkInterface'] for _ in NODES]
        self.interfaces = dict(zip(NODES, made, strict=True))
        key = cloud.client('secretsmanager').create_secret(Name='key', SecretString='k' * 256)['ARN']
        nodes = ','.join(f'{name}={one["PrivateIpAddress"]}' for name, one in self.interfaces.items())
        self._software = software(cloud)
        self._settings = {
            'CLUSTER': 'sasfs',
            'NODES': nodes,
            'VOLUMES': self.volume,
            'MOUNT_POINT': '/sas',
            'MAY_FORMAT': 'yes',
            'FORMATTED_TAG': TAG,
            'FENCE': 'ec2',
            'REGION': 'us-east-1',
            'AUTHKEY_SECRET': key,
        }

    def start(self, name: str) -> str:
        """An instance that is to be this node."""
        own = {'REGION': 'us-east-1', 'INTERFACE': self.interfaces[name]['NetworkInterfaceId'], 'NODE': name}
        roles = {'shared-volumes': {**own, 'VOLUMES': self.volume}, 'gfs2-node': self._settings}
        text = '\n'.join([*self._software, *(settings(*role) for role in roles.items()), BOOTSTRAP + ' '.join(roles)])
        made = self.ec2.run_instances(
            ImageId='ami-0123456789abcdef0',
            InstanceType='r5b.large',
            MinCount=1,
            MaxCount=1,
            SubnetId=self._subnet,
            UserData=text,
            IamInstanceProfile={'Name': self.cloud.unlimited_profile()},
        )
        return str(made['Instances'][0]['InstanceId'])

    def end(self, instance: str) -> None:
        self.ec2.terminate_instances(InstanceIds=[instance])
        until(lambda: instance_state(self.cloud, instance) == 'terminated', 'terminated')

    def mounted(self, instance: str) -> bool:
        return bool(self.cloud.history(kind='shared-mount', to=instance))

    def log(self, instance: str) -> str:
        path = self.root(instance) / 'var/log/user-data.log'
        return path.read_text() if path.exists() else ''

    def root(self, instance: str) -> Path:
        return self.cloud.state / 'hosts' / instance


def software(cloud: Cloud) -> list[str]:
    """Lines of user data that fetch the hosts' software from a bucket, as those of HostBundle do."""
    packed = subprocess.run(
        ['tar', '-czf', '-', 'bin', 'lib', 'systemd'], cwd=HOST_FILES, check=True, capture_output=True
    ).stdout
    s3 = cloud.client('s3')
    s3.create_bucket(Bucket='software')
    s3.put_object(Bucket='software', Key='host.gz', Body=packed)
    url, digest = 'https://s3.us-east-1.amazonaws.com/software/host.gz', hashlib.sha256(packed).hexdigest()
    return [
        '#!/bin/bash',
        '# cdk-sas-grid: host software',
        'set -euo pipefail',
        'base=$SAS_GRID_ROOT/opt/cdk-sas-grid && mkdir -p "$base" "$SAS_GRID_ROOT/etc/sas-grid"',
        f'python3 - {url} us-east-1 {digest} "$base/software.gz" <<"FETCH"',
        *((HOST_FILES / part).read_text().rstrip() for part in ('lib/signed.py', 'carrier/fetch.py')),
        'FETCH',
        'tar -xzf "$base/software.gz" -C "$base"',
    ]


def settings(role: str, values: dict[str, str]) -> str:
    lines = ''.join(f'{key}={value}\n' for key, value in values.items())
    return f'cat >"$SAS_GRID_ROOT/etc/sas-grid/{role}.env" <<"SETTINGS"\n{lines}SETTINGS'


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    running = start_cloud(tmp_path / 'state')
    yield Cluster(running)
    stop_cloud(running)


def test_nodes_attach_what_they_share_and_a_lost_one_is_fenced_and_comes_back(cluster: Cluster) -> None:
    hosts = {name: cluster.start(name) for name in NODES}
    for instance in hosts.values():
        until(lambda instance=instance: cluster.mounted(instance), f'{instance} mounts')
    first = cluster.cloud
    assert {one for one, _ in (volume_state(first, cluster.volume) or ('', []))[1]} == set(hosts.values())
    assert (cluster.root(hosts['n1']) / 'etc/corosync/authkey').read_text() == 'k' * 256
    # Told before the first mount.
    tagged = next(call['time'] for call in first.calls(action='CreateTags') if 'host' in call['userAgent'])
    assert tagged < first.history(kind='shared-mount')[0]['time']

    again = cluster.start('n2')
    assert not cluster.mounted(again)
    cluster.end(hosts['n2'])
    until(lambda: cluster.mounted(again), 'the other instance is the node')
    fence = first.history(kind='fence')
    assert [(one['id'], one['from']) for one in fence] == [(hosts['n2'], 'n2')]
    assert fence[0]['instance'] in (hosts['n1'], hosts['n3'])
    assert fence[0]['time'] < first.history(kind='shared-mount', to=again)[0]['time']
    assert len(first.history(kind='format')) == 1
    assert first.history(kind='violation') == []


def test_a_cluster_that_starts_anew_formats_nothing_though_the_volume_looks_blank(cluster: Cluster) -> None:
    volume = cluster.cloud.state / 'volumes' / cluster.volume
    everything_starts(cluster)
    made = json.loads((volume / 'superblock.json').read_text())['uuid']
    everything_is_lost(cluster)
    everything_starts(cluster)
    assert json.loads((volume / 'superblock.json').read_text())['uuid'] == made

    everything_is_lost(cluster)
    # The beginning of the volume was overwritten with zeros: nothing tells that there is more.
    (volume / 'disk').write_bytes(bytes(1 << 20))
    (volume / 'superblock.json').unlink()
    anew = [cluster.start(name) for name in NODES]
    until(lambda: any('look blank, but' in cluster.log(one) for one in anew), 'it is refused')
    assert len(cluster.cloud.history(kind='format')) == 1
    assert not (volume / 'superblock.json').exists()
    assert not any((volume / 'disk').read_bytes())


def everything_starts(cluster: Cluster) -> None:
    for instance in [cluster.start(name) for name in NODES]:
        until(lambda instance=instance: cluster.mounted(instance), f'{instance} mounts')


def everything_is_lost(cluster: Cluster) -> None:
    """All instances, and with them what the members had agreed on."""
    for instance in [one['id'] for one in cluster.cloud.history(kind='instance', to='running')]:
        cluster.end(instance)
