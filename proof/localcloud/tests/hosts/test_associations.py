"""State Manager: associations apply documents to the hosts that they mean, when they should."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from ministack.services import ec2

from sas_grid_localcloud import events, ssm_documents
from sas_grid_localcloud.hosts.documents import Refused
from sas_grid_localcloud.scope import own_scope
from sas_grid_localcloud.state_manager import associations, schedules

from .conftest import Cloud

TARGETS = [{'Key': 'tag:aws:autoscaling:groupName', 'Values': ['nfs']}]


class Clock:
    """What is to happen later, in seconds."""

    def __init__(self) -> None:
        self.planned: list[tuple[float, Callable[[], None]]] = []

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        self.planned.append((seconds, action))

    def pass_time(self) -> None:
        planned, self.planned = self.planned, []
        for _, action in planned:
            action()


@pytest.fixture(scope='module', autouse=True)
def _subscribed() -> None:
    associations.subscribe(ssm_documents._documents.get)


@pytest.fixture(autouse=True)
def told(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What EventBridge is told, while there is a document that writes and a host in the group."""
    heard: list[dict[str, Any]] = []
    monkeypatch.setattr(events, 'emit', lambda source, kind, detail: heard.append(detail))
    ssm_documents._documents.clear()
    associations._associations.clear()
    step = {
        'action': 'aws:runShellScript',
        'name': 'note',
        'inputs': {'runCommand': ['echo {{ Word }} >>"$SAS_GRID_ROOT/noted"', '[ {{ Word }} != bad ]']},
    }
    parameters = {'Word': {'type': 'String', 'default': 'ran'}}
    document(parameters, step)
    join(cloud, 'i-1')
    yield heard
    # What is still told would be heard by the next test.
    for thread in threading.enumerate():
        if thread.name.startswith('association-'):
            thread.join(timeout=600)
    ssm_documents._documents.clear()
    associations._associations.clear()


def document(parameters: dict[str, Any], *steps: dict[str, Any]) -> None:
    content = {'schemaVersion': '2.2', 'parameters': parameters, 'mainSteps': list(steps)}
    ssm_documents.create_document({'Name': 'note', 'Content': json.dumps(content), 'DocumentType': 'Command'})


def join(cloud: Cloud, instance: str, group: str = 'nfs') -> None:
    with own_scope():
        ec2._tags[instance] = [{'Key': 'aws:autoscaling:groupName', 'Value': group}]
    cloud.launch(instance)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(associations, 'clock', made)
    return made


def associate(**more: Any) -> str:
    with own_scope():
        made = associations.create({'Name': 'note', 'Targets': TARGETS, **more})
    return str(made['AssociationDescription']['AssociationId'])


def noted(cloud: Cloud, instance: str = 'i-1') -> list[str]:
    path = cloud.state / 'hosts' / instance / 'noted'
    return path.read_text().split() if path.exists() else []


def status(identity: str) -> str:
    found = associations.describe({'AssociationId': identity})['AssociationDescription']
    return str(found['Overview']['Status'])


def test_it_is_applied_at_once_and_to_those_that_come_later(cloud: Cloud, told: list[dict[str, Any]]) -> None:
    join(cloud, 'i-other', 'another-group')
    identity = associate(ScheduleExpression='rate(1 hour)')
    cloud.wait(lambda: status(identity) == 'Success')
    assert (noted(cloud), noted(cloud, 'i-other')) == (['ran'], [])
    join(cloud, 'i-2')
    cloud.wait(lambda: noted(cloud, 'i-2') == ['ran'])
    cloud.wait(lambda: len(told) == 2)
    assert noted(cloud) == ['ran']
    assert [(one['association-id'], one['status']) for one in told] == [(identity, 'Success')] * 2
    assert [line['to'] for line in cloud.history('association')] == ['Success', 'Success']


def test_a_rate_applies_it_again_until_it_is_deleted(cloud: Cloud, later: Clock) -> None:
    identity = associate(ScheduleExpression='rate(12 hours)')
    cloud.wait(lambda: noted(cloud) == ['ran'])
    assert [seconds for seconds, _ in later.planned] == [12 * 3600]
    later.pass_time()
    cloud.wait(lambda: noted(cloud) == ['ran', 'ran'])
    associations.delete({'AssociationId': identity})
    later.pass_time()
    assert later.planned == []
    assert len(associations._executions) >= 2
    assert noted(cloud) == ['ran', 'ran']


def test_only_at_its_interval_it_waits_for_the_clock(cloud: Cloud, later: Clock) -> None:
    identity = associate(ScheduleExpression='cron(0 2 ? * SUN *)', ApplyOnlyAtCronInterval=True)
    join(cloud, 'i-2')
    assert (noted(cloud), noted(cloud, 'i-2'), status(identity)) == ([], [], 'Pending')
    later.pass_time()
    cloud.wait(lambda: noted(cloud) == noted(cloud, 'i-2') == ['ran'])


def test_a_change_applies_it_at_once_and_ends_the_old_schedule(cloud: Cloud, later: Clock) -> None:
    identity = associate(ScheduleExpression='rate(1 day)')
    cloud.wait(lambda: noted(cloud) == ['ran'])
    with own_scope():
        associations.update({'AssociationId': identity, 'Parameters': {'Word': ['changed']}})
    cloud.wait(lambda: noted(cloud) == ['ran', 'changed'])
    later.pass_time()
    assert later.planned == []
    shown = associations.describe({'AssociationId': identity})['AssociationDescription']
    assert (shown['AssociationVersion'], 'ScheduleExpression' in shown) == ('2', False)


def test_it_follows_its_document(cloud: Cloud) -> None:
    associate(DocumentVersion='$LATEST')
    cloud.wait(lambda: noted(cloud) == ['ran'])
    step = {
        'action': 'aws:runShellScript',
        'name': 'n',
        'inputs': {'runCommand': ['echo new >>"$SAS_GRID_ROOT/noted"']},
    }
    content = {'schemaVersion': '2.2', 'mainSteps': [step]}
    with own_scope():
        ssm_documents.update_document({'Name': 'note', 'Content': json.dumps(content), 'DocumentVersion': '$LATEST'})
    cloud.wait(lambda: noted(cloud) == ['ran', 'new'])
    with pytest.raises(Refused) as error:
        ssm_documents.delete_document({'Name': 'note'})
    assert error.value.code == 'AssociatedInstances'


def test_what_fails_is_told(cloud: Cloud, told: list[dict[str, Any]]) -> None:
    identity = associate(Parameters={'Word': ['bad']})
    cloud.wait(lambda: status(identity) == 'Failed' and len(told) == 1)
    assert [one['status'] for one in told] == ['Failed']
    found = associations.executions({'AssociationId': identity})['AssociationExecutions']
    assert [one['ResourceCountByStatus'] for one in found] == ['{Failed=1}']


@pytest.mark.parametrize(
    ('code', 'more'),
    [
        ('InvalidDocument', {'Name': 'unknown'}),
        ('InvalidParameters', {'Parameters': {'Other': ['x']}}),
        ('InvalidTarget', {'Targets': []}),
        ('InvalidTarget', {'Targets': [{'Key': 'resource-groups:Name', 'Values': ['x']}]}),
        ('InvalidSchedule', {'ScheduleExpression': 'rate(5 minutes)'}),
        ('InvalidSchedule', {'ScheduleExpression': 'every day'}),
        ('InvalidSchedule', {'ScheduleExpression': 'rate(1 hour)', 'ApplyOnlyAtCronInterval': True}),
        ('InvalidSchedule', {'ApplyOnlyAtCronInterval': True}),
        ('ValidationException', {'AssociationName': 'a b'}),
        ('ValidationException', {'ComplianceSeverity': 'SEVERE'}),
    ],
)
def test_what_is_refused(code: str, more: dict[str, Any]) -> None:
    with pytest.raises(Refused) as error:
        associate(**more)
    assert error.value.code == code
    with pytest.raises(Refused):
        associations.describe({'AssociationId': 'none'})


def test_when_a_cron_expression_is_due() -> None:
    friday = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    assert schedules.seconds_until_next('cron(30 13 ? * * *)', friday) == 90 * 60
    assert schedules.next_after('cron(0 2 ? * SUN *)', friday) == datetime(2026, 11, 22, 2, 0, tzinfo=UTC)
