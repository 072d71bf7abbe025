"""Functions and hosts may do what their roles allow. A host has its instance id for an access key, as here."""

import json
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from conftest import Cloud, instance_state, unique, until

ACCOUNT = '000000000000'
Statement = dict[str, Any]
As = Callable[..., Any]


@pytest.fixture
def role_with(cloud: Cloud) -> Callable[..., str]:
    """Makes an instance whose role has these statements; returns its id, which is its access key."""

    def make(*statements: Statement) -> str:
        iam, name = cloud.client('iam'), unique('host')
        trusted = {'Effect': 'Allow', 'Principal': {'Service': 'ec2.amazonaws.com'}, 'Action': 'sts:AssumeRole'}
        document = json.dumps({'Version': '2012-10-17', 'Statement': [trusted]})
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=document)
        if statements:
            policy = json.dumps({'Version': '2012-10-17', 'Statement': list(statements)})
            iam.put_role_policy(RoleName=name, PolicyName='p', PolicyDocument=policy)
        iam.create_instance_profile(InstanceProfileName=name)
        iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
        return instance(cloud, IamInstanceProfile={'Name': name})

    return make


@pytest.fixture
def acting(cloud: Cloud) -> As:
    """A client of a service in the name of an instance."""

    def client(key: str, service: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=cloud.endpoint,
            region_name=cloud.environment['AWS_REGION'],
            aws_access_key_id=key,
            aws_secret_access_key='test',
            config=Config(retries={'total_max_attempts': 1}),
        )

    return client


def instance(cloud: Cloud, **more: Any) -> str:
    given = {'ImageId': 'ami-12345678', 'InstanceType': 'm6in.large', 'MinCount': 1, 'MaxCount': 1, **more}
    made = str(cloud.client('ec2').run_instances(**given)['Instances'][0]['InstanceId'])
    until(lambda: instance_state(cloud, made) == 'running', 'the instance')
    return made


def volume(cloud: Cloud, tier: str, **more: Any) -> str:
    ec2 = cloud.client('ec2')
    tags = [{'ResourceType': 'volume', 'Tags': [{'Key': 'tier', 'Value': tier}]}]
    zone = f'{cloud.environment["AWS_REGION"]}a'
    made = str(ec2.create_volume(AvailabilityZone=zone, Size=1, TagSpecifications=tags, **more)['VolumeId'])
    own = [{'Name': 'volume-id', 'Values': [made]}]
    until(lambda: [one['State'] for one in ec2.describe_volumes(Filters=own)['Volumes']] == ['available'], made)
    return made


def tag(cloud: Cloud, resource: str, tier: str) -> None:
    cloud.client('ec2').create_tags(Resources=[resource], Tags=[{'Key': 'tier', 'Value': tier}])


def allow(action: str, resource: str = '*', **conditions: Any) -> Statement:
    statement = {'Effect': 'Allow', 'Action': action, 'Resource': resource}
    return {**statement, 'Condition': conditions} if conditions else statement


def refused(call: Callable[[], Any]) -> str:
    """The code and message of a refusal for want of a permission."""
    with pytest.raises(ClientError) as caught:
        call()
    error = caught.value.response['Error']
    assert error['Code'] in ('UnauthorizedOperation', 'AccessDenied', 'AccessDeniedException', 'AuthorizationError')
    return str(error['Message'])


TIER_A = {'StringEquals': {'aws:ResourceTag/tier': 'a'}}


def test_without_a_policy_or_a_profile_nothing_is_allowed(cloud: Cloud, role_with: As, acting: As) -> None:
    for who in (role_with(), instance(cloud)):
        assert 'ec2:DescribeInstances' in refused(acting(who, 'ec2').describe_instances)
    assert cloud.client('ec2').describe_instances()['Reservations']


def test_a_volume_is_attached_only_where_both_it_and_the_instance_are_allowed(
    cloud: Cloud, role_with: As, acting: As
) -> None:
    who, own, other = role_with(allow('ec2:AttachVolume', **TIER_A)), volume(cloud, 'a'), volume(cloud, 'b')

    def attach(which: str) -> Any:
        return acting(who, 'ec2').attach_volume(VolumeId=which, InstanceId=who, Device='/dev/sdf')

    assert f'instance/{who}' in refused(lambda: attach(own))
    tag(cloud, who, 'a')
    assert f'volume/{other}' in refused(lambda: attach(other))
    assert attach(own)['State'] == 'attaching'


def test_a_snapshot_is_made_of_an_allowed_volume_with_the_tags_that_are_allowed(
    cloud: Cloud, role_with: As, acting: As
) -> None:
    made = {'StringEquals': {'aws:RequestTag/tier': 'a'}}
    creating = {'StringEquals': {'aws:RequestTag/tier': 'a', 'ec2:CreateAction': 'CreateSnapshot'}}
    snapshots = 'arn:aws:ec2:*::snapshot/*'
    who = role_with(
        allow('ec2:CreateSnapshot', 'arn:aws:ec2:*:*:volume/*', **TIER_A),
        allow('ec2:CreateSnapshot', snapshots, **made),
        allow('ec2:CreateTags', snapshots, **creating),
    )
    own, other = volume(cloud, 'a'), volume(cloud, 'b')

    def make(which: str, tier: str) -> Any:
        tags = [{'ResourceType': 'snapshot', 'Tags': [{'Key': 'tier', 'Value': tier}]}]
        return acting(who, 'ec2').create_snapshot(VolumeId=which, TagSpecifications=tags)

    assert f'volume/{other}' in refused(lambda: make(other, 'a'))
    assert 'snapshot/*' in refused(lambda: make(own, 'b'))
    assert make(own, 'a')['State'] == 'pending'
    assert 'snapshot' in refused(lambda: acting(who, 'ec2').create_snapshot(VolumeId=own))


def test_a_volume_is_detached_from_an_instance_without_the_tag_only_where_that_is_allowed(
    cloud: Cloud, role_with: As, acting: As
) -> None:
    own, holder = volume(cloud, 'a'), instance(cloud)
    cloud.client('ec2').attach_volume(VolumeId=own, InstanceId=holder, Device='/dev/sdf')
    of_volume = allow('ec2:DetachVolume', 'arn:aws:ec2:*:*:volume/*', **TIER_A)
    by_tag = role_with(of_volume, allow('ec2:DetachVolume', 'arn:aws:ec2:*:*:instance/*', **TIER_A))
    unless_tagged = {'StringEqualsIfExists': TIER_A['StringEquals']}
    untagged = role_with(of_volume, allow('ec2:DetachVolume', 'arn:aws:ec2:*:*:instance/*', **unless_tagged))

    def detach(who: str) -> Any:
        return acting(who, 'ec2').detach_volume(VolumeId=own, InstanceId=holder)

    assert f'instance/{holder}' in refused(lambda: detach(by_tag))
    tag(cloud, holder, 'b')
    assert f'instance/{holder}' in refused(lambda: detach(untagged))
    cloud.client('ec2').delete_tags(Resources=[holder], Tags=[{'Key': 'tier'}])
    until(lambda: detach(untagged)['State'] == 'detaching', 'detached')


def test_describes_know_no_resources_and_no_tags(role_with: As, acting: As) -> None:
    limited = role_with(allow('ec2:DescribeInstances', **TIER_A))
    assert 'ec2:DescribeInstances' in refused(acting(limited, 'ec2').describe_instances)
    assert acting(role_with(allow('ec2:Describe*')), 'ec2').describe_instances()['Reservations']


def test_a_denial_outweighs_what_is_allowed(role_with: As, acting: As) -> None:
    who = role_with(allow('ec2:*'), {'Effect': 'Deny', 'Action': 'ec2:DescribeVolumes', 'Resource': '*'})
    assert 'ec2:DescribeVolumes' in refused(acting(who, 'ec2').describe_volumes)


def test_tags_are_given_only_with_allowed_keys(cloud: Cloud, role_with: As, acting: As) -> None:
    keys = {'ForAllValues:StringEquals': {'aws:TagKeys': ['formatted']}}
    who, one = role_with(allow('ec2:CreateTags', 'arn:aws:ec2:*:*:volume/*', **keys)), volume(cloud, 'a')
    ec2 = acting(who, 'ec2')
    ec2.create_tags(Resources=[one], Tags=[{'Key': 'formatted', 'Value': 'yes'}])
    refused(lambda: ec2.create_tags(Resources=[one], Tags=[{'Key': 'tier', 'Value': 'b'}]))
    refused(lambda: ec2.create_tags(Resources=[who], Tags=[{'Key': 'formatted', 'Value': 'yes'}]))


@pytest.mark.parametrize('named', ['Arn', 'KeyId', 'alias'])
def test_using_a_customers_key_needs_the_key(cloud: Cloud, role_with: As, acting: As, named: str) -> None:
    kms = cloud.client('kms')
    made = kms.create_key()['KeyMetadata']
    key, made['alias'] = made['Arn'], f'alias/{unique("of-volumes")}'
    kms.create_alias(AliasName=made['alias'], TargetKeyId=made['KeyId'])
    grant = allow('kms:CreateGrant', key, Bool={'kms:GrantIsForAWSResource': 'true'})
    without, having = role_with(allow('ec2:*')), role_with(allow('ec2:*'), grant)
    one = volume(cloud, 'a', Encrypted=True, KmsKeyId=made[named])

    def attach(who: str) -> Any:
        return acting(who, 'ec2').attach_volume(VolumeId=one, InstanceId=who, Device='/dev/sdf')

    assert 'kms:CreateGrant' in refused(lambda: attach(without))
    assert attach(having)['State'] == 'attaching'


def test_everybody_may_use_the_keys_of_aws(cloud: Cloud, role_with: As, acting: As) -> None:
    one, who = volume(cloud, 'a', Encrypted=True, KmsKeyId='alias/aws/ebs'), role_with(allow('ec2:*'))
    assert acting(who, 'ec2').attach_volume(VolumeId=one, InstanceId=who, Device='/dev/sdf')['State'] == 'attaching'


def table(cloud: Cloud, **more: Any) -> str:
    name = unique('map')
    cloud.client('dynamodb').create_table(
        TableName=name,
        AttributeDefinitions=[{'AttributeName': 'tier', 'AttributeType': 'S'}],
        KeySchema=[{'AttributeName': 'tier', 'KeyType': 'HASH'}],
        BillingMode='PAY_PER_REQUEST',
        **more,
    )
    return name


def own_rows(action: str, name: str) -> Statement:
    leading = {'ForAllValues:StringEquals': {'dynamodb:LeadingKeys': ['a']}}
    return allow(action, f'arn:aws:dynamodb:*:{ACCOUNT}:table/{name}', **leading)


def test_rows_of_another_tier_are_out_of_reach(cloud: Cloud, role_with: As, acting: As) -> None:
    name = table(cloud)
    dynamodb = acting(role_with(own_rows('dynamodb:*', name)), 'dynamodb')

    def query(tier: str) -> Any:
        values = {':tier': {'S': tier}}
        return dynamodb.query(TableName=name, KeyConditionExpression='tier = :tier', ExpressionAttributeValues=values)

    dynamodb.put_item(TableName=name, Item={'tier': {'S': 'a'}})
    assert query('a')['Count'] == 1
    refused(lambda: query('b'))
    refused(lambda: dynamodb.put_item(TableName=name, Item={'tier': {'S': 'b'}}))
    refused(lambda: dynamodb.delete_item(TableName=name, Key={'tier': {'S': 'b'}}))


def test_a_transaction_is_allowed_as_its_parts_are(cloud: Cloud, role_with: As, acting: As) -> None:
    name = table(cloud)
    put = {'Put': {'TableName': name, 'Item': {'tier': {'S': 'a'}}}}
    absent = 'attribute_not_exists(tier)'
    check = {'ConditionCheck': {'TableName': name, 'Key': {'tier': {'S': 'a2'}}, 'ConditionExpression': absent}}
    puts = acting(role_with(allow('dynamodb:PutItem')), 'dynamodb')
    assert 'ConditionCheckItem' in refused(lambda: puts.transact_write_items(TransactItems=[put, check]))
    named = acting(role_with(allow('dynamodb:TransactWriteItems')), 'dynamodb')
    assert 'dynamodb:PutItem' in refused(lambda: named.transact_write_items(TransactItems=[put]))
    both = acting(role_with(allow('dynamodb:PutItem'), allow('dynamodb:ConditionCheckItem')), 'dynamodb')
    both.transact_write_items(TransactItems=[put, check])


def test_a_table_with_a_customers_key_needs_the_key(cloud: Cloud, role_with: As, acting: As) -> None:
    key = cloud.client('kms').create_key()['KeyMetadata']['Arn']
    name = table(cloud, SSESpecification={'Enabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': key})
    via = {'StringLike': {'kms:ViaService': 'dynamodb.*.amazonaws.com'}}
    get = {'TableName': name, 'Key': {'tier': {'S': 'a'}}}
    without = acting(role_with(allow('dynamodb:GetItem')), 'dynamodb')
    assert 'kms:Decrypt' in refused(lambda: without.get_item(**get))
    acting(role_with(allow('dynamodb:GetItem'), allow('kms:Decrypt', key, **via)), 'dynamodb').get_item(**get)


def test_a_command_needs_its_document_and_its_hosts(cloud: Cloud, role_with: As, acting: As) -> None:
    document = allow('ssm:SendCommand', 'arn:aws:ssm:*::document/AWS-RunShellScript')
    tagged = allow('ssm:SendCommand', 'arn:aws:ec2:*:*:instance/*', StringEquals={'ssm:resourceTag/tier': 'a'})
    host = instance(cloud)

    def send(who: str) -> Any:
        given = {'DocumentName': 'AWS-RunShellScript', 'Parameters': {'commands': ['true']}}
        return acting(who, 'ssm').send_command(InstanceIds=[host], **given)

    assert 'document/AWS-RunShellScript' in refused(lambda: send(role_with(tagged)))
    assert f'instance/{host}' in refused(lambda: send(role_with(document, tagged)))
    tag(cloud, host, 'a')
    with pytest.raises(ClientError, match='InvalidInstanceId'):
        send(role_with(document, tagged))  # allowed, but its agent is not there


def test_a_call_that_is_not_known_is_refused_with_the_place_to_add_it(role_with: As, acting: As) -> None:
    who = role_with(allow('*'))
    assert 'needs.py lacks it' in refused(acting(who, 'ec2').describe_regions)


def test_what_a_stack_gives_or_changes_counts_a_little_later(cloud: Cloud, role_with: As, acting: As) -> None:
    who, one = role_with(), volume(cloud, 'a')
    cloudformation, iam, ec2 = cloud.client('cloudformation'), cloud.client('iam'), acting(who, 'ec2')
    profile = cloud.client('ec2').describe_instances(InstanceIds=[who])['Reservations'][0]['Instances'][0]
    role = profile['IamInstanceProfile']['Arn'].rsplit('/', 1)[-1]

    def template(*actions: str) -> dict[str, Any]:
        document = {'Version': '2012-10-17', 'Statement': [allow(action) for action in actions]}
        given = {'PolicyName': 'given', 'Roles': [role], 'PolicyDocument': document}
        resources = {'Given': {'Type': 'AWS::IAM::Policy', 'Properties': given}}
        text = json.dumps({'Resources': resources})
        return {'StackName': name, 'Capabilities': ['CAPABILITY_IAM'], 'TemplateBody': text}

    def there(action: str) -> bool:
        try:
            return action in str(iam.get_role_policy(RoleName=role, PolicyName='given')['PolicyDocument'])
        except ClientError:
            return False

    def describes() -> bool:
        try:
            return bool(ec2.describe_volumes())
        except ClientError:
            return False

    def tags() -> bool:
        try:
            return bool(ec2.create_tags(Resources=[one], Tags=[{'Key': 'a', 'Value': 'b'}]))
        except ClientError:
            return False

    name = unique('late')
    cloudformation.create_stack(**template('ec2:DescribeVolumes'))
    until(lambda: there('DescribeVolumes'), 'the policy')
    assert not describes()
    until(describes, 'that it counts')
    cloudformation.get_waiter('stack_create_complete').wait(StackName=name, WaiterConfig={'Delay': 1})
    cloudformation.update_stack(**template('ec2:DescribeVolumes', 'ec2:CreateTags'))
    until(lambda: there('CreateTags'), 'the change')
    assert describes(), 'what was allowed before still is'
    assert not tags()
    until(tags, 'that it counts')
    early = cloud.calls(role=role)
    assert {call['action'] for call in early if call.get('early')} == {'DescribeVolumes', 'CreateTags'}
    cloudformation.get_waiter('stack_update_complete').wait(StackName=name, WaiterConfig={'Delay': 1})
    cloudformation.delete_stack(StackName=name)
    until(lambda: not tags(), 'the end of the permission')
    with pytest.raises(ClientError):
        ec2.delete_volume(VolumeId=one)
    late = {call['action']: call.get('late') for call in cloud.calls(role=role) if call['error']}
    assert late == {'DescribeVolumes': None, 'CreateTags': True, 'DeleteVolume': None}
