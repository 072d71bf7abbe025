"""A grid node: scratch, client and node set up by user data on an emulated host."""

from collections.abc import Callable

from sas_grid_localcloud import signals
from sas_grid_localcloud.hosts import sandbox

from .conftest import HOST_FILES, Cloud
from .test_serving import COMMON, MGS

NODE = {
    'lustre_client': {
        'FSNAME': 'sasfs',
        'MGS_NID': '172.16.4.10@tcp',
        'MOUNT_POINT': '/sas',
        'MOUNT_OPTIONS': 'flock',
        'LUSTRE_SOFTWARE': 'preinstalled',
        'TUNABLES': 'osc.*.max_rpcs_in_flight=16 osc.*.max_dirty_mb=256',
    },
    'scratch': {
        'SASWORK_DISKS': '5',
        'UTILLOC_DISKS': '3',
        'SASWORK_PATH': '/saswork',
        'UTILLOC_PATH': '/utilloc',
        'CHUNK_KIB': '256',
        'READ_AHEAD_KIB': '8192',
        'FILE_SYSTEM': 'xfs',
    },
    'grid_node': {
        'HOST_NAME': 'grid-01',
        'DOMAIN': 'sas.internal',
        'HOSTS': 'grid-01=172.16.0.11,grid-02=172.16.0.12',
        'SAS_UID': '3000',
        'SAS_GID': '3001',
        'SHARED_MOUNT': '/sas',
        'LSF_DIR': '/sas/lsf',
        'SAS_DIR': '/sas/sashome',
    },
}
MDS = '--slot mds-00 --epoch 1 --address 172.16.4.11 --volumes vol-0d --may-format'


def test_a_node_comes_up_and_gets_blank_scratch_after_a_stop(cloud: Cloud, user_data: Callable[..., str]) -> None:
    for number, (role, serve, volume) in enumerate((('mgs', MGS, 'vol-0a'), ('mds', MDS, 'vol-0d'))):
        instance = f'i-000{number}'
        settings = {**COMMON, 'SERVICE': role, 'VOLUMES_PER_SLOT': '1'}
        cloud.launch(instance, user_data(**{f'lustre_{role}': settings}))
        cloud.attach(instance, f'172.16.4.1{number}', volume)
        served = cloud.serve(instance, serve)
        assert served.code == 0, served.err

    cloud.launch('i-node', user_data(**NODE), '172.16.0.11')
    root = cloud.state / 'hosts/i-node'
    log = (root / 'var/log/user-data.log').read_text()
    assert 'exit code 0' in log, log
    mounts = {line.split()[1].removeprefix(str(root)): line.split()[2] for line in _lines(cloud, 'proc/mounts')}
    assert mounts == {'/sas': 'lustre', '/saswork': 'xfs', '/utilloc': 'xfs'}
    assert '172.16.0.12 grid-02.sas.internal grid-02' in _lines(cloud, 'etc/hosts')
    assert _lines(cloud, 'etc/hostname') == ['grid-01']
    assert _lines(cloud, 'etc/passwd') == ['sas:x:3000:3001::/:']
    order = [line.split('set_param ')[1] for line in _lines(cloud, 'var/log/tools.log') if 'set_param' in line]
    assert order == ['osc.*.max_rpcs_in_flight=16', 'osc.*.max_dirty_mb=256']

    for state in ('stopping', 'stopped', 'running'):
        signals.publish('instance-state', instance_id='i-node', state=state)
    cloud.wait(lambda: (root / 'run/units/sas-grid-grid-node.target').exists())
    created = [line for line in _lines(cloud, 'var/log/tools.log') if 'mdadm --create' in line]
    assert len(created) == 4
    assert len(_lines(cloud, 'etc/hosts')) == 5

    # Asked whether it can do its work; on this machine nobody may say whether the clock is in step.
    (root / 'proc/uptime').write_text('4000.00 1.00\n')
    assert _health() == ''
    (root / 'etc/hostname').write_text('other\n')
    assert sandbox.run('i-node', 'umount "$SAS_GRID_ROOT/utilloc"', 60).code == 0
    signals.publish('instance-state', instance_id='i-0000', state='stopped')
    assert _health() == (
        "name: the host is called 'other', not grid-01; "
        'unreachable: 172.16.4.10@tcp does not answer; scratch: /utilloc is not mounted'
    )


def _health() -> str:
    """What speaks against the node."""
    said = sandbox.run('i-node', (HOST_FILES / 'documents/node-health.sh').read_text(), 60)
    name, word, used, reasons = f'{said.out.strip()} '.split(' ', 3)
    known = [one for one in reasons.strip().split('; ') if 'lctl' not in one and 'clock' not in one]
    assert (name, used.isdigit(), said.code) == ('grid-01', True, {'healthy': 0, 'unhealthy': 20, 'unsure': 75}[word])
    return '; '.join(known)


def _lines(cloud: Cloud, path: str) -> list[str]:
    return (cloud.state / 'hosts/i-node' / path).read_text().splitlines()
