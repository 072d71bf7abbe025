"""What must never change of a tier is refused by CloudFormation, whoever deploys (tests/app/fixed.ts)."""

from pathlib import Path

import pytest
from one_stack import deployed, needs_node, synthesize

from conftest import until

pytestmark = needs_node


def test_an_update_that_renames_the_export_is_refused_before_a_server_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deployed('Fixed', tmp_path) as cloud:
        cloudformation, s3, ec2 = cloud.client('cloudformation'), cloud.client('s3'), cloud.client('ec2')
        templates = ec2.describe_launch_templates()['LaunchTemplates']
        monkeypatch.setenv('EXPORT', 'other')
        s3.put_object(Bucket='templates', Key='changed.json', Body=synthesize('Fixed', tmp_path / 'changed'))
        url = f'{cloud.endpoint}/templates/changed.json'
        cloudformation.update_stack(StackName='Fixed', TemplateURL=url, Capabilities=['CAPABILITY_IAM'])

        def status() -> str:
            return str(cloudformation.describe_stacks(StackName='Fixed')['Stacks'][0]['StackStatus'])

        until(lambda: not status().endswith('IN_PROGRESS'), 'the update')
        events = cloudformation.describe_stack_events(StackName='Fixed')['StackEvents']
        reasons = [str(one.get('ResourceStatusReason')) for one in events]
        assert status() == 'UPDATE_ROLLBACK_COMPLETE', reasons
        assert any('This cannot change: exportName from sasdata to other' in one for one in reasons), reasons
        assert ec2.describe_launch_templates()['LaunchTemplates'] == templates
