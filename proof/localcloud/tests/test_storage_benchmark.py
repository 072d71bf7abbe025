"""A benchmark on two hosts (tests/app/benchmark.ts): the real construct, workflow and programs, and what goes wrong."""

import io
import json
import os
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cdk_story import APP, PROJECT
from conftest import Cloud, instance_state, start_cloud, stop_cloud, until

TSX = PROJECT / 'node_modules/.bin/tsx'
FUNCTIONS = ('benchmark-runner', 'benchmark-gate', 'benchmark-judge', 'benchmark-widget')
pytestmark = pytest.mark.skipif(
    not TSX.exists() or not all((PROJECT / 'build/lambda' / name / 'index.js').exists() for name in FUNCTIONS),
    reason='node_modules is not installed, or the functions are not bundled (npm ci)',
)
HOSTS = ('host1', 'host2')
TEST = '1-sas-io-saswork'


@dataclass
class Run:
    """A run that has ended."""

    site: 'Site'
    execution: dict[str, Any]

    @property
    def id(self) -> str:
        """As the workflow's own output has it, or the newest."""
        runs = {key.split('/')[1] for key in self.site.keys('runs/')}
        return max(runs)

    def read(self, name: str) -> Any:
        body = self.site.cloud.client('s3').get_object(Bucket=self.site.told['Bucket'], Key=f'runs/{self.id}/{name}')
        return json.loads(body['Body'].read())

    def outcomes(self) -> dict[str, tuple[str, str]]:
        """Status and reason by the name of the host."""
        run = self.read('run.json')
        names = {one['instanceId']: one['name'] for one in run['hosts']}
        return {names[one['instanceId']]: (one['status'], one.get('reason', '')) for one in run['outcomes'][TEST]}

    def output(self, host: str) -> str:
        run = self.read('run.json')
        instance = next(one['instanceId'] for one in run['hosts'] if one['name'] == host)
        key = next(one['outputKey'] for one in run['outcomes'][TEST] if one['instanceId'] == instance)
        body = self.site.cloud.client('s3').get_object(Bucket=self.site.told['Bucket'], Key=key)
        return str(body['Body'].read().decode())


@dataclass
class Site:
    """The deployment."""

    cloud: Cloud
    folder: Path
    told: dict[str, str]

    def instance(self, name: str) -> str:
        wanted = [{'Name': 'tag:Name', 'Values': [name]}]
        found = self.cloud.client('ec2').describe_instances(Filters=wanted)['Reservations']
        return str(found[0]['Instances'][0]['InstanceId'])

    def root(self, name: str) -> Path:
        return self.cloud.state / 'hosts' / self.instance(name)

    def mount(self, name: str) -> None:
        """Something is mounted, and caches can be dropped: the host's own boot does neither here."""
        root = self.root(name)
        until(lambda: (root / 'alive').exists(), f'{name} up')
        (root / 'saswork').mkdir(exist_ok=True)
        (root / 'proc/mounts').write_text(f'/dev/md0 {root}/saswork xfs rw,noatime 0 0\n')
        (root / 'proc/sys/vm').mkdir(parents=True, exist_ok=True)
        (root / 'proc/sys/vm/drop_caches').touch()
        until(lambda: self.online(name), f'the agent of {name}')

    def online(self, name: str) -> bool:
        wanted = [{'Key': 'InstanceIds', 'Values': [self.instance(name)]}]
        return bool(self.cloud.client('ssm').describe_instance_information(Filters=wanted)['InstanceInformationList'])

    def start(self, **request: Any) -> str:
        started = self.cloud.client('stepfunctions').start_execution(
            stateMachineArn=self.told['StateMachine'], input=json.dumps(request)
        )
        return str(started['executionArn'])

    def ended(self, execution: str, seconds: float = 150) -> Run:
        def over() -> dict[str, Any] | None:
            found = self.cloud.client('stepfunctions').describe_execution(executionArn=execution)
            return dict(found) if found['status'] != 'RUNNING' else None

        return Run(self, until(over, 'the end of the run', seconds))

    def keys(self, prefix: str) -> list[str]:
        found = self.cloud.client('s3').list_objects_v2(Bucket=self.told['Bucket'], Prefix=prefix)
        return [one['Key'] for one in found.get('Contents', [])]

    def left(self) -> list[Path]:
        """Test files that are left on the hosts."""
        return list((self.cloud.state / 'hosts').glob('*/saswork/.sas-grid-benchmark'))

    def writes(self, name: str) -> bool:
        """Whether the test writes on the host, now."""
        return any((self.root(name) / 'saswork').glob('.sas-grid-benchmark/*/*/*'))

    def commands(self) -> list[str]:
        listed = self.cloud.client('ssm').list_commands()['Commands']
        return [one['Comment'] for one in listed]

    @contextmanager
    def tool(self, name: str, script: str) -> Iterator[None]:
        """Meanwhile a tool of all hosts does something else."""
        path = self.cloud.state / 'host-tools' / name
        kept = path.with_name(f'.{name}-kept')
        path.rename(kept)
        path.write_text(f'#!/bin/sh\n{script}\n')
        path.chmod(0o755)
        try:
            yield
        finally:
            kept.replace(path)

    def deploy(self, update: bool = False, **environment: str) -> dict[str, Any]:
        """Deploy by CloudFormation's own API; the stack when it is done."""
        out = self.folder / 'cdk.out'
        done = subprocess.run(
            [str(TSX), str(APP / 'benchmark.ts')],
            cwd=PROJECT,
            env={**os.environ, 'CDK_OUTDIR': str(out), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        self._publish(out)
        cloudformation = self.cloud.client('cloudformation')
        url = f'{self.cloud.endpoint}/assets/benchmark.json'
        act = cloudformation.update_stack if update else cloudformation.create_stack
        act(StackName='Benchmark', TemplateURL=url, Capabilities=['CAPABILITY_IAM'])

        def over() -> dict[str, Any] | None:
            stack = cloudformation.describe_stacks(StackName='Benchmark')['Stacks'][0]
            return None if stack['StackStatus'].endswith('IN_PROGRESS') else dict(stack)

        stack: dict[str, Any] = until(over, 'the stack')
        self.told = {one['OutputKey']: one['OutputValue'] for one in stack.get('Outputs', [])} or self.told
        return stack

    def reasons(self) -> str:
        events = self.cloud.client('cloudformation').describe_stack_events(StackName='Benchmark')['StackEvents']
        return '\n'.join(one.get('ResourceStatusReason', '') for one in events)

    def _publish(self, out: Path) -> None:
        s3 = self.cloud.client('s3')
        s3.create_bucket(Bucket='assets')
        s3.put_object(Bucket='assets', Key='benchmark.json', Body=(out / 'Benchmark.template.json').read_bytes())
        for file in json.loads((out / 'Benchmark.assets.json').read_text())['files'].values():
            source = out / file['source']['path']
            for place in file['destinations'].values():
                body = _zip(source) if source.is_dir() else source.read_bytes()
                s3.put_object(Bucket=place['bucketName'], Key=place['objectKey'], Body=body)


def _zip(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob('*')):
            archive.write(path, path.relative_to(folder))
    return packed.getvalue()


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp('benchmark')
    cloud = start_cloud(folder / 'state', environment={'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0'})
    try:
        made = Site(cloud, folder, {})
        assert made.deploy()['StackStatus'] == 'CREATE_COMPLETE', made.reasons()
        for name in HOSTS:
            made.mount(name)
        yield made
    finally:
        stop_cloud(cloud)


def test_a_run_measures_judges_and_leaves_nothing_behind_and_a_second_one_is_refused_meanwhile(site: Site) -> None:
    first = site.start(cause='by a test')
    until(lambda: site.writes('host1'), 'the first run to write')
    second = site.ended(site.start())
    assert (second.execution['status'], second.execution['error']) == ('FAILED', 'BenchmarkRefused')
    assert 'is under way' in second.execution['cause']

    run = site.ended(first)
    assert run.execution['status'] == 'SUCCEEDED', run.execution.get('cause')
    assert run.outcomes() == {'host1': ('done', ''), 'host2': ('done', '')}
    result = run.read('result.json')
    assert (result['verdict'], result['cause']) == ('passed', 'by a test')
    assert 'one machine' in result['notRepresentative']
    assert [len(figure['hosts']) for figure in result['figures']] == [2, 2]
    prepared = json.loads(run.execution['output'])['prepared']
    assert prepared['hosts'] == 2
    assert 'minutes' in prepared['summary']
    assert '"kind":"done"' in run.output('host1').replace(' ', '')
    assert f'runs/{run.id}/report.html' in site.keys(f'runs/{run.id}/')
    history = site.cloud.client('dynamodb').query(
        TableName=site.told['Table'],
        KeyConditionExpression='benchmark = :b',
        ExpressionAttributeValues={':b': {'S': 'two-hosts'}},
    )['Items']
    assert [(one['runId']['S'], one['verdict']['S']) for one in history] == [(run.id, 'passed')]
    assert site.left() == []


def test_what_would_take_too_long_and_what_does_not_fit_is_not_begun(site: Site) -> None:
    run = site.ended(site.start(sizes={'fileMiB': 60_000_000}))
    assert (run.execution['status'], run.execution['error']) == ('FAILED', 'BenchmarkRefused')
    assert 'hours' in run.execution['cause']
    with site.tool('df', 'echo Filesystem 1024-blocks Used Available; echo /dev/md0 1000000 995000 5000'):
        run = site.ended(site.start())
    assert run.execution['error'] == 'BenchmarkIncomplete'
    assert {status for status, _ in run.outcomes().values()} == {'refused'}
    assert all(reason.startswith('no-room: ') for _, reason in run.outcomes().values())
    assert site.left() == []


def test_a_disk_that_others_fill_meanwhile_is_said_to_be_full(site: Site) -> None:
    with site.tool('dd', 'echo "dd: error writing file: No space left on device" >&2; exit 1'):
        run = site.ended(site.start(hosts=['host1']))
    assert run.execution['error'] == 'BenchmarkIncomplete'
    ((status, reason),) = run.outcomes().values()
    assert (status, reason.split(':')[0]) == ('refused', 'disk-full')
    assert site.left() == []


def test_a_host_that_is_lost_in_the_middle_does_not_lose_the_other(site: Site) -> None:
    execution = site.start()
    until(lambda: site.writes('host2'), 'host2 to write')
    site.cloud.client('ec2').stop_instances(InstanceIds=[site.instance('host2')])
    run = site.ended(execution)
    assert run.execution['error'] == 'BenchmarkIncomplete'
    outcomes = run.outcomes()
    assert outcomes['host1'] == ('done', '')
    assert outcomes['host2'][0] == 'lost'
    assert outcomes['host2'][1].startswith('the instance is stop')
    assert '"kind":"done"' in run.output('host1').replace(' ', '')
    # Where it could not look it says so.
    assert [one['status'] for one in run.read('run.json')['cleanUp']] == ['lost']
    assert 'host2' in json.dumps(run.read('result.json')['reasons'])
    until(lambda: instance_state(site.cloud, site.instance('host2')) == 'stopped', 'host2 stopped')
    site.cloud.client('ec2').start_instances(InstanceIds=[site.instance('host2')])
    site.mount('host2')


def test_a_function_that_dies_after_it_has_sent_sends_nothing_twice(site: Site) -> None:
    before = len(site.commands())
    site.cloud.fault('kill-function', function='Runner', count=2, on='SendCommand')
    run = site.ended(site.start())
    assert run.execution['status'] == 'SUCCEEDED', run.execution.get('cause')
    sent = site.commands()[: len(site.commands()) - before]
    assert sorted(sent) == sorted([f'{run.id} clean-up 0', f'{run.id} {TEST}-0 0'])
    assert site.left() == []


def test_a_tool_that_prints_nonsense_is_no_figure(site: Site) -> None:
    with site.tool('dd', 'echo "dd: \\377 9999999999999999999999 bytes (" >&2'):
        run = site.ended(site.start())
    assert run.execution['status'] == 'FAILED'
    assert run.read('result.json')['verdict'] in ('failed', 'incomplete')
    assert site.left() == []


def test_what_does_not_end_is_ended_and_the_other_host_is_measured(site: Site) -> None:
    execution = site.start(hosts=['host1', 'host2'])
    until(lambda: site.writes('host2'), 'host2 to write')
    site.cloud.fault('freeze-host', instance=site.instance('host2'), seconds=75)
    run = site.ended(execution, 240)
    assert run.execution['error'] == 'BenchmarkIncomplete'
    outcomes = run.outcomes()
    assert outcomes['host1'] == ('done', '')
    assert outcomes['host2'][0] == 'timed-out', outcomes
    site.cloud.fault('calm')
    assert site.left() == []


def test_a_deployment_waits_for_the_verdict_and_goes_back_when_it_is_not_passed(site: Site) -> None:
    """The last test: it changes the stack."""
    stack = site.deploy(update=True, WANTED='1')
    assert stack['StackStatus'] == 'UPDATE_COMPLETE', site.reasons()
    asked = site.cloud.client('stepfunctions').list_executions(stateMachineArn=site.told['StateMachine'])
    names = [one['name'] for one in asked['executions'] if one['name'].startswith('deployment-')]
    assert len(names) == 1
    stack = site.deploy(update=True, WANTED='90000')
    assert stack['StackStatus'] == 'UPDATE_ROLLBACK_COMPLETE'
    assert 'benchmark failed.' in site.reasons()
    # Going back asks for no run.
    asked = site.cloud.client('stepfunctions').list_executions(stateMachineArn=site.told['StateMachine'])
    names = [one['name'] for one in asked['executions'] if one['name'].startswith('deployment-')]
    assert len(names) == 2
