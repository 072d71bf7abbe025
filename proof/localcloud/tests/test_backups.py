"""Backups of volumes (AWS Backup and Data Lifecycle Manager), secrets, and assets that the CDK copies."""

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cloud, unique
from errors import refused
from stacks import Stack

ROLE = 'arn:aws:iam::000000000000:role/backup'


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def backups(vault: str, **rule: Any) -> dict[str, Any]:
    daily = {
        'RuleName': 'daily',
        'TargetBackupVault': {'Ref': 'Vault'},
        'ScheduleExpression': 'cron(0 5 * * ? *)',
        'StartWindowMinutes': 60,
        'CompletionWindowMinutes': 180,
        'Lifecycle': {'DeleteAfterDays': 35},
        **rule,
    }
    tag = {'ConditionType': 'STRINGEQUALS', 'ConditionKey': 'backup', 'ConditionValue': 'yes'}
    return {
        'Vault': {'Type': 'AWS::Backup::BackupVault', 'Properties': {'BackupVaultName': vault}},
        'Plan': {
            'Type': 'AWS::Backup::BackupPlan',
            'Properties': {'BackupPlan': {'BackupPlanName': 'nfs', 'BackupPlanRule': [daily]}},
        },
        'Chosen': {
            'Type': 'AWS::Backup::BackupSelection',
            'Properties': {
                'BackupPlanId': {'Ref': 'Plan'},
                'BackupSelection': {'SelectionName': 'volumes', 'IamRoleArn': ROLE, 'ListOfTags': [tag]},
            },
        },
    }


def test_a_backup_plan_with_its_selection(cloud: Cloud, stack: Stack) -> None:
    vault = unique('vault')
    assert stack.create(backups(vault), {'Selection': {'Fn::GetAtt': ['Chosen', 'SelectionId']}}) == 'CREATE_COMPLETE'
    ids, client = stack.ids(), cloud.client('backup')
    found = client.get_backup_selection(BackupPlanId=ids['Plan'], SelectionId=stack.outputs()['Selection'])
    assert found['BackupSelection']['ListOfTags'][0]['ConditionValue'] == 'yes'
    rule = client.get_backup_plan(BackupPlanId=ids['Plan'])['BackupPlan']['Rules'][0]
    assert rule['TargetBackupVaultName'] == vault
    stack.delete()
    with refused('ResourceNotFoundException'):
        client.describe_backup_vault(BackupVaultName=vault)


@pytest.mark.parametrize(
    ('rule', 'about'),
    [
        ({'TargetBackupVault': 'no-such-vault'}, 'does not exist'),
        ({'ScheduleExpression': 'daily'}, 'ScheduleExpression'),
        ({'StartWindowMinutes': 10}, 'at least 60'),
        ({'Lifecycle': {'MoveToColdStorageAfterDays': 30, 'DeleteAfterDays': 60}}, '90 more'),
    ],
)
def test_impossible_plans(stack: Stack, rule: dict[str, Any], about: str) -> None:
    assert stack.create(backups(unique('vault'), **rule)) == 'ROLLBACK_COMPLETE'
    assert about in stack.reasons()


def snapshots(**schedule: Any) -> dict[str, Any]:
    nightly = {
        'Name': 'nightly',
        'CreateRule': {'Interval': 24, 'IntervalUnit': 'HOURS', 'Times': ['03:00']},
        'RetainRule': {'Count': 7},
        'CopyTags': True,
        **schedule,
    }
    return {
        'Policy': {
            'Type': 'AWS::DLM::LifecyclePolicy',
            'Properties': {
                'Description': 'Snapshots of the NFS server',
                'State': 'ENABLED',
                'ExecutionRoleArn': ROLE,
                'PolicyDetails': {
                    'ResourceTypes': ['VOLUME'],
                    'TargetTags': [{'Key': 'backup', 'Value': 'yes'}],
                    'Schedules': [nightly],
                },
            },
        }
    }


def test_a_lifecycle_policy(cloud: Cloud, stack: Stack) -> None:
    assert stack.create(snapshots(), {'Arn': {'Fn::GetAtt': ['Policy', 'Arn']}}) == 'CREATE_COMPLETE'
    policy, client = stack.ids()['Policy'], cloud.client('dlm')
    assert stack.outputs()['Arn'].endswith(policy)
    shown = client.get_lifecycle_policy(PolicyId=policy)['Policy']
    assert shown['PolicyDetails']['Schedules'][0]['RetainRule'] == {'Count': 7}
    assert stack.update(snapshots(RetainRule={'Count': 14})) == 'UPDATE_COMPLETE'
    assert stack.ids()['Policy'] == policy
    assert policy in [one['PolicyId'] for one in client.get_lifecycle_policies()['Policies']]
    stack.delete()
    with refused('ResourceNotFoundException', policy):
        client.get_lifecycle_policy(PolicyId=policy)


@pytest.mark.parametrize(
    ('schedule', 'about'),
    [
        ({'RetainRule': {'Count': 1001}}, '1 to 1000'),
        ({'RetainRule': {}}, 'one of Count and Interval'),
        ({'CreateRule': {'Interval': 5, 'IntervalUnit': 'HOURS'}}, 'Interval is 5'),
        ({'CreateRule': {'CronExpression': 'every day'}}, 'CronExpression'),
    ],
)
def test_impossible_policies(stack: Stack, schedule: dict[str, Any], about: str) -> None:
    assert stack.create(snapshots(**schedule)) == 'ROLLBACK_COMPLETE'
    assert about in stack.reasons()


def secret(**generate: Any) -> dict[str, Any]:
    return {'Secret': {'Type': 'AWS::SecretsManager::Secret', 'Properties': {'GenerateSecretString': generate}}}


def test_a_generated_secret(cloud: Cloud, stack: Stack) -> None:
    wanted = {
        'SecretStringTemplate': '{"username":"fsxadmin"}',
        'GenerateStringKey': 'password',
        'PasswordLength': 40,
        'ExcludePunctuation': True,
    }
    assert stack.create(secret(**wanted)) == 'CREATE_COMPLETE'
    arn, client = stack.ids()['Secret'], cloud.client('secretsmanager')
    assert arn.startswith('arn:aws:secretsmanager:')
    told = json.loads(client.get_secret_value(SecretId=arn)['SecretString'])
    assert told['username'] == 'fsxadmin'
    assert len(told['password']) == 40
    assert told['password'].isalnum()
    assert stack.update({'Secret': {**secret(**wanted)['Secret'], 'Metadata': {'a': 'b'}}, **snapshots()})
    assert json.loads(client.get_secret_value(SecretId=arn)['SecretString']) == told
    stack.delete()
    with refused('ResourceNotFoundException'):
        client.get_secret_value(SecretId=arn)


def test_a_secret_that_cannot_be_generated(stack: Stack) -> None:
    assert stack.create(secret(PasswordLength=5000)) == 'ROLLBACK_COMPLETE'
    assert '4096' in stack.reasons()


def test_a_secret_fills_a_property(cloud: Cloud, stack: Stack) -> None:
    value = {'Fn::Sub': '{{resolve:secretsmanager:${Secret}:SecretString:password}}'}
    resources = {
        **secret(SecretStringTemplate='{}', GenerateStringKey='password', ExcludePunctuation='true'),
        'Parameter': {'Type': 'AWS::SSM::Parameter', 'Properties': {'Type': 'String', 'Value': value}},
    }
    assert stack.create(resources) == 'CREATE_COMPLETE', stack.reasons()
    ids = stack.ids()
    told = cloud.client('ssm').get_parameter(Name=ids['Parameter'])['Parameter']['Value']
    kept = cloud.client('secretsmanager').get_secret_value(SecretId=ids['Secret'])['SecretString']
    assert told == json.loads(kept)['password']


def test_assets_are_copied_and_extracted(cloud: Cloud, stack: Stack) -> None:
    s3, source, target = cloud.client('s3'), unique('source'), unique('target')
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, 'w') as archive:
        archive.writestr('a/b.txt', 'hello MARK')
        archive.writestr('c.txt', 'kept')
    for name in (source, target):
        s3.create_bucket(Bucket=name)
    s3.put_object(Bucket=source, Key='bundle.zip', Body=packed.getvalue())
    s3.put_object(Bucket=target, Key='old.txt', Body=b'old')

    def copy(**more: Any) -> dict[str, Any]:
        properties = {
            'ServiceToken': 'arn:aws:lambda:us-east-1:000000000000:function:none',
            'SourceBucketNames': [source],
            'SourceObjectKeys': ['bundle.zip'],
            'DestinationBucketName': target,
            **more,
        }
        return {'Copy': {'Type': 'Custom::CDKBucketDeployment', 'Properties': properties}}

    def keys() -> list[str]:
        return sorted(one['Key'] for one in s3.list_objects_v2(Bucket=target).get('Contents', []))

    assert stack.create(copy(Extract='false', Prune='false')) == 'CREATE_COMPLETE', stack.reasons()
    assert keys() == ['bundle.zip', 'old.txt']
    markers = {'Extract': 'true', 'SourceMarkers': [{'MARK': 'world'}], 'Exclude': ['c.*']}
    assert stack.update(copy(**markers)) == 'UPDATE_COMPLETE', stack.reasons()
    assert keys() == ['a/b.txt']
    assert s3.get_object(Bucket=target, Key='a/b.txt')['Body'].read() == b'hello world'
