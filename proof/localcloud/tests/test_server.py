"""Starting, telling how to connect, logging, stopping."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PACKAGE_ROOT, Cloud, start_cloud, stop_cloud, unique
from sas_grid_localcloud import server
from sas_grid_localcloud.settings import Delays, Settings


def test_it_listens_on_loopback_only_and_ends_with_all_it_started(tmp_path: Path) -> None:
    running = start_cloud(tmp_path / 'state', '--without-hosts')
    port = int(running.endpoint.rsplit(':', 1)[1])
    listening = Path('/proc/net/tcp').read_text(encoding='ascii')
    assert f'0100007F:{port:04X}' in listening
    assert f'00000000:{port:04X} 00000000:0000 0A' not in listening
    assert running.client('sts').get_caller_identity()['Account'] == '000000000000'
    assert running.environment['CDK_HOME'].startswith(str(tmp_path))
    assert stop_cloud(running) == 0
    with socket.socket() as probe:
        assert probe.connect_ex(('127.0.0.1', port)) != 0
    assert not (tmp_path / 'state-ready.json').exists()


def test_every_call_is_logged(cloud: Cloud) -> None:
    name = unique('logged')
    cloud.client('sqs').create_queue(QueueName=name)
    with pytest.raises(Exception, match='does not exist'):
        cloud.client('ec2').terminate_instances(InstanceIds=['i-0123456789abcdef0'])
    calls = cloud.calls(service='sqs', action='CreateQueue')
    assert name in [one['parameters'].get('QueueName') for one in calls]
    refused = cloud.calls(service='ec2', action='TerminateInstances', error='InvalidInstanceID.NotFound')
    assert refused
    assert refused[-1]['status'] == 400
    assert 'Boto3' in refused[-1]['userAgent']


def test_another_version_of_ministack_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.importlib.metadata, 'version', lambda name: '1.6.0')
    with pytest.raises(server.CannotStart, match=r"1\.6\.0; allowed: exactly 1\.5\.33\. Type: .*'ministack==1\.5\.33'"):
        server.check_ministack()


def test_a_missing_or_old_node_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(server.CannotStart, match='node is not on the PATH'):
        server.check_node()
    node = tmp_path / 'node'
    node.write_text('#!/bin/sh\necho v18.1.0\n', encoding='ascii')
    node.chmod(0o755)
    with pytest.raises(server.CannotStart, match=r'v18\.1\.0; allowed: 20 or newer'):
        server.check_node()


def test_delays_are_checked() -> None:
    assert Delays.from_environment({'SAS_GRID_LOCALCLOUD_BOOT_SECONDS': '2'}).boot == 2
    with pytest.raises(ValueError, match="SAS_GRID_LOCALCLOUD_BOOT_SECONDS is 'soon'; allowed: seconds"):
        Delays.from_environment({'SAS_GRID_LOCALCLOUD_BOOT_SECONDS': 'soon'})


def test_the_environment_names_no_profile(tmp_path: Path) -> None:
    told = Settings(tmp_path, 4566).client_environment()
    assert told['AWS_ENDPOINT_URL'] == 'http://127.0.0.1:4566'
    assert told['AWS_SHARED_CREDENTIALS_FILE'] == os.devnull


def test_bad_settings_end_the_command_with_an_explanation(tmp_path: Path) -> None:
    environment = {**os.environ, 'PYTHONPATH': str(PACKAGE_ROOT), 'SAS_GRID_LOCALCLOUD_STOP_SECONDS': '-1'}
    command = [sys.executable, '-m', 'sas_grid_localcloud', 'start', '--state', str(tmp_path / 's')]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 1
    assert 'SAS_GRID_LOCALCLOUD_STOP_SECONDS' in ended.stderr


def test_the_history_is_json_lines(cloud: Cloud) -> None:
    for line in (cloud.state / 'history.jsonl').read_text(encoding='utf-8').splitlines():
        assert {'time', 'kind', 'id', 'from', 'to'} <= set(json.loads(line))
