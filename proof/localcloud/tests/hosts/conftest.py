"""Hosts without a server: the state folder, and signals as EC2 would send them."""

import base64
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ministack.core.responses import get_account_id
from ministack.services import ec2, iam

from sas_grid_localcloud import history, hosts, signals
from sas_grid_localcloud.hosts import boot, kind, sandbox
from sas_grid_localcloud.patience import QUIET_SECONDS, Moves, Patience
from sas_grid_localcloud.scope import own_scope

HOST_FILES = Path(__file__).parents[4] / 'constructs/host'


class Cloud:
    """Sends the signals that EC2 sends, and reads what hosts left behind."""

    def __init__(self, state: Path) -> None:
        self.state = state

    def launch(self, instance_id: str, user_data: str = '', address: str = '172.16.4.200') -> None:
        self.begin(instance_id, user_data, address)
        self.wait(lambda: boot.online(instance_id))

    def begin(self, instance_id: str, user_data: str, address: str) -> None:
        """Launch, without waiting for the end of the first boot."""
        facts = {'PrivateIpAddress': address, 'UserData': base64.b64encode(user_data.encode()).decode()}
        with own_scope():
            ec2._instances[instance_id] = {'InstanceId': instance_id, 'State': {'Name': 'running'}, **facts}
        signals.publish('instance-state', instance_id=instance_id, state='running')

    def allow(self, instance_id: str, action: str, resource: str) -> None:
        """The role of the instance has this policy."""
        statement = {'Effect': 'Allow', 'Action': action, 'Resource': resource}
        with own_scope():
            account = get_account_id()
            iam._roles[instance_id] = {
                'Arn': f'arn:aws:iam::{account}:role/{instance_id}',
                'InlinePolicies': {'p': json.dumps({'Version': '2012-10-17', 'Statement': [statement]})},
            }
            iam._instance_profiles[instance_id] = {'Roles': [instance_id]}
            profile = f'arn:aws:iam::{account}:instance-profile/{instance_id}'
            ec2._instances[instance_id]['IamInstanceProfile'] = {'Arn': profile}

    def attach(self, instance_id: str, address: str, *volumes: str) -> None:
        for number, volume in enumerate(volumes):
            device = f'/dev/sd{"fghijk"[number]}'
            signals.publish('volume-attached', volume_id=volume, instance_id=instance_id, device=device)
        signals.publish(
            'interface-attached',
            interface_id=f'eni-{address}',
            instance_id=instance_id,
            address=address,
            device_index=1,
        )

    def detach(self, instance_id: str, address: str, *volumes: str) -> None:
        for volume in volumes:
            signals.publish('volume-detached', volume_id=volume, instance_id=instance_id, device='/dev/sdf')
        signals.publish(
            'interface-detached',
            interface_id=f'eni-{address}',
            instance_id=instance_id,
            address=address,
            device_index=1,
        )

    def terminate(self, instance_id: str) -> None:
        for state in ('shutting-down', 'terminated'):
            signals.publish('instance-state', instance_id=instance_id, state=state)

    def serve(self, instance_id: str, arguments: str) -> kind.Result:
        return sandbox.run(instance_id, f'exec "$SAS_GRID_ROOT/opt/cdk-sas-grid/bin/sas-grid-serve" {arguments}', 180)

    def superblock(self, volume: str) -> dict[str, Any]:
        path = self.state / 'volumes' / volume / 'superblock.json'
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() and path.read_text() else {}
        return found

    def history(self, kind: str) -> list[dict[str, Any]]:
        path = self.state / 'history.jsonl'
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [line for line in lines if line['kind'] == kind]

    def wait(self, condition: Callable[[], bool], quiet: float = QUIET_SECONDS) -> None:
        patience = Patience(Moves(self.state), quiet)
        while not condition():
            assert not patience.lost(), 'it did not happen'
            time.sleep(0.05)


@pytest.fixture(scope='session')
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    state = tmp_path_factory.mktemp('state')
    hosts.install(state)
    yield state
    hosts.stop()


@pytest.fixture
def cloud(_installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    monkeypatch.setenv('SAS_GRID_LOCALCLOUD_AGENT_SECONDS', '0')
    boot.forget()
    history.open_in(tmp_path)
    sandbox.open_in(tmp_path)
    yield Cloud(tmp_path)
    # A boot that still goes on would act on a host of the next test that has the same name.
    boot.forget()
    sandbox.kill_all()
    for thread in threading.enumerate():
        if thread.name.startswith(('boot-', 'cluster-')) or isinstance(thread, threading.Timer):
            thread.join(600)


@pytest.fixture(scope='session')
def archive() -> str:
    """The host software, packed as HostBundle packs it."""
    packed = subprocess.run(
        ['tar', '-czf', '-', 'bin', 'lib', 'systemd', 'sysctl'],
        cwd=HOST_FILES,
        check=True,
        capture_output=True,
    )
    return base64.b64encode(packed.stdout).decode()


@pytest.fixture(scope='session')
def user_data(archive: str) -> Callable[..., str]:
    """User data with the given roles and settings."""

    def make(**roles: dict[str, str]) -> str:
        names = [name.replace('_', '-') for name in roles]
        lines = [
            '#!/bin/bash',
            boot.OURS,
            'set -euo pipefail',
            'root=${SAS_GRID_ROOT:-}',
            'mkdir -p "$root/opt/cdk-sas-grid" "$root/etc/sas-grid"',
            'base64 -d <<\'BUNDLE\' | tar -xzf - -C "$root/opt/cdk-sas-grid"',
            archive,
            'BUNDLE',
        ]
        for name, settings in zip(names, roles.values(), strict=True):
            lines.append(f'cat >"$root/etc/sas-grid/{name}.env" <<\'SETTINGS\'')
            lines.extend(f'{key}={value}' for key, value in settings.items())
            lines.append('SETTINGS')
        lines.append(f'exec "$root/opt/cdk-sas-grid/bin/sas-grid-bootstrap" {" ".join(names)}')
        return '\n'.join(lines)

    return make
