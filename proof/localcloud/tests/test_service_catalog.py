"""Service Catalog: a portfolio made by CloudFormation, and products that are launched, updated and terminated."""

import json
from collections.abc import Iterator

import pytest
from catalog import TRUST, Catalog, offered, product_template, url

from conftest import Cloud, unique, until, volume_state
from errors import refused
from stacks import Stack


@pytest.fixture(scope='module')
def catalog(cloud: Cloud) -> Iterator[Catalog]:
    yield from offered(cloud)


def test_what_a_user_finds(catalog: Catalog) -> None:
    client = catalog.client()
    found = client.search_products(Filters={'FullTextSearch': ['volumes-']})['ProductViewSummaries']
    assert catalog.product in [one['ProductId'] for one in found]
    described = client.describe_product(Id=catalog.product)
    assert [one['Name'] for one in described['ProvisioningArtifacts']] == ['v1', 'v2']
    path = client.list_launch_paths(ProductId=catalog.product)['LaunchPathSummaries'][0]
    assert path['Name'] == 'SAS'
    assert {one['Type'] for one in path['ConstraintSummaries']} == {
        'LAUNCH',
        'TEMPLATE',
        'NOTIFICATION',
        'RESOURCE_UPDATE',
    }
    told = client.describe_provisioning_parameters(
        ProductId=catalog.product, ProvisioningArtifactName='v1', PathId=path['Id']
    )
    parameters = {one['ParameterKey']: one for one in told['ProvisioningArtifactParameters']}
    assert parameters['Size']['ParameterConstraints']['MaxValue'] == '1000'
    assert parameters['Kind']['ParameterConstraints']['AllowedValues'] == ['gp3', 'io2']
    assert told['TagOptions'] == [{'Key': 'team', 'Values': ['risk', 'sales']}]
    inside = client.search_products_as_admin(PortfolioId=catalog.ids['Portfolio'])['ProductViewDetails']
    assert [one['ProductViewSummary']['ProductId'] for one in inside] == [catalog.product]


def test_launch_update_and_terminate(catalog: Catalog) -> None:
    client, name = catalog.client(), unique('mine')
    record = catalog.launch(name, Size='20')
    with refused('InvalidParametersException', 'UNDER_CHANGE'):
        client.terminate_provisioned_product(ProvisionedProductName=name)
    answer = catalog.done(record)
    assert answer['RecordDetail']['Status'] == 'SUCCEEDED', answer
    assert catalog.status(name) == 'AVAILABLE'
    identity = answer['RecordDetail']['ProvisionedProductId']
    seen = [one['to'] for one in catalog.cloud.history(kind='provisioned-product', id=identity)]
    assert seen == ['UNDER_CHANGE', 'AVAILABLE']
    outputs = {one['OutputKey']: one['OutputValue'] for one in answer['RecordOutputs']}
    assert f':stack/SC-000000000000-{identity}/' in outputs['CloudformationStackARN']
    states = [one['to'] for one in catalog.cloud.history(kind='service-catalog-record', id=record)]
    assert states == ['IN_PROGRESS', 'SUCCEEDED']
    kept = outputs['Volume']
    shown = catalog.cloud.client('ec2').describe_volumes(VolumeIds=[kept])['Volumes'][0]
    assert shown['Size'] == 20
    tags = {tag['Key']: tag['Value'] for tag in shown['Tags']}
    assert tags['team'] == 'risk'
    assert tags['aws:servicecatalog:provisionedProductArn'].endswith(identity)
    with refused('DuplicateResourceException', name):
        catalog.launch(name)

    updated = client.update_provisioned_product(
        ProvisionedProductName=name,
        ProvisioningArtifactId=catalog.version('v2'),
        ProvisioningParameters=[{'Key': 'Size', 'Value': '30'}, {'Key': 'Kind', 'UsePreviousValue': True}],
    )['RecordDetail']['RecordId']
    assert catalog.done(updated)['RecordDetail']['Status'] == 'SUCCEEDED'
    after = client.describe_provisioned_product(Name=name)['ProvisionedProductDetail']
    assert (after['Status'], after['ProvisioningArtifactId']) == ('AVAILABLE', catalog.version('v2'))
    shown = catalog.cloud.client('ec2').describe_volumes(VolumeIds=[kept])['Volumes'][0]
    assert shown['Size'] == 30
    # Else every update would replace what cannot be tagged anew, such as a placement group.
    assert {tag['Key']: tag['Value'] for tag in shown['Tags']} == tags
    stack = catalog.cloud.client('cloudformation').describe_stack_resources(StackName=f'SC-000000000000-{identity}')
    ids = {one['LogicalResourceId']: one['PhysicalResourceId'] for one in stack['StackResources']}
    assert set(ids) == {'Kept', 'Gone', 'Topic'}

    listed = client.scan_provisioned_products()['ProvisionedProducts']
    assert identity in [one['Id'] for one in listed]
    last = client.terminate_provisioned_product(ProvisionedProductName=name)['RecordDetail']['RecordId']
    ended = catalog.done(last)['RecordDetail']
    assert ended['Status'] == 'SUCCEEDED', ended
    with refused('ResourceNotFoundException'):
        catalog.status(name)
    assert volume_state(catalog.cloud, kept) == ('available', [])
    assert volume_state(catalog.cloud, ids['Gone']) is None


def test_notifications_tell_every_event(catalog: Catalog) -> None:
    identity = catalog.done(catalog.launch(unique('told')))['RecordDetail']['ProvisionedProductId']
    seen: list[str] = []

    def complete() -> bool:
        got = catalog.cloud.client('sqs').receive_message(QueueUrl=catalog.queue, MaxNumberOfMessages=10)
        seen.extend(json.loads(one['Body'])['Message'] for one in got.get('Messages', []))
        return any(
            f"StackName='SC-000000000000-{identity}'" in one
            and "ResourceStatus='CREATE_COMPLETE'" in one
            and "ResourceType='AWS::CloudFormation::Stack'" in one
            for one in seen
        )

    until(complete, 'the notification')


def test_rules_of_the_template_constraint_hold(catalog: Catalog) -> None:
    name = unique('large')
    answer = catalog.done(catalog.launch(name, Size='40'))['RecordDetail']
    assert answer['Status'] == 'FAILED'
    assert '10, 20 or 30 GiB' in answer['RecordErrors'][0]['Description']
    assert catalog.status(name) == 'ERROR'
    with refused('InvalidParametersException', 'ERROR'):
        catalog.client().update_provisioned_product(
            ProvisionedProductName=name, ProvisioningArtifactId=catalog.version('v1')
        )
    last = catalog.client().terminate_provisioned_product(ProvisionedProductName=name)['RecordDetail']['RecordId']
    assert catalog.done(last)['RecordDetail']['Status'] == 'SUCCEEDED'


def test_a_parameter_that_the_template_refuses(catalog: Catalog) -> None:
    answer = catalog.done(catalog.launch(unique('wrong'), Kind='st1'))['RecordDetail']
    assert (answer['Status'], answer['RecordErrors'][0]['Code']) == ('FAILED', 'ValidationError')
    assert 'Kind' in answer['RecordErrors'][0]['Description']


def test_a_failed_update_taints(catalog: Catalog) -> None:
    name = unique('tainted')
    assert catalog.done(catalog.launch(name, Size='20'))['RecordDetail']['Status'] == 'SUCCEEDED'
    record = catalog.client().update_provisioned_product(
        ProvisionedProductName=name, ProvisioningParameters=[{'Key': 'Size', 'Value': '10'}]
    )['RecordDetail']['RecordId']
    answer = catalog.done(record)['RecordDetail']
    assert answer['Status'] == 'FAILED'
    assert 'smaller' in answer['RecordErrors'][0]['Description']
    assert catalog.status(name) == 'TAINTED'
    again = catalog.client().update_provisioned_product(
        ProvisionedProductName=name, ProvisioningParameters=[{'Key': 'Size', 'Value': '30'}]
    )['RecordDetail']['RecordId']
    assert catalog.done(again)['RecordDetail']['Status'] == 'SUCCEEDED'
    assert catalog.status(name) == 'AVAILABLE'
    same = catalog.client().update_provisioned_product(
        ProvisionedProductName=name, ProvisioningParameters=[{'Key': 'Size', 'UsePreviousValue': True}]
    )['RecordDetail']['RecordId']
    assert catalog.done(same)['RecordDetail']['Status'] == 'SUCCEEDED'


def test_a_launch_that_cannot_be_made_is_an_error(catalog: Catalog) -> None:
    name = unique('impossible')
    answer = catalog.done(catalog.launch(name, Kind='io2'))['RecordDetail']
    assert answer['Status'] == 'FAILED'
    assert 'iops' in answer['RecordErrors'][0]['Description']
    assert catalog.status(name) == 'ERROR'


def test_retained_resources_stay_with_their_stack(catalog: Catalog) -> None:
    client, name = catalog.client(), unique('retained')
    answer = catalog.done(catalog.launch(name))
    identity = answer['RecordDetail']['ProvisionedProductId']
    last = client.terminate_provisioned_product(ProvisionedProductName=name, RetainPhysicalResources=True)
    assert catalog.done(last['RecordDetail']['RecordId'])['RecordDetail']['Status'] == 'SUCCEEDED'
    with refused('ResourceNotFoundException'):
        catalog.status(name)
    stack = catalog.cloud.client('cloudformation').describe_stacks(StackName=f'SC-000000000000-{identity}')['Stacks'][0]
    assert stack['StackStatus'] == 'CREATE_COMPLETE'


def test_tags_come_from_the_options(catalog: Catalog) -> None:
    with refused('InvalidParametersException', 'risk, sales'):
        catalog.launch(unique('untagged'), tags={'team': 'nobody'})
    name = unique('tagged')
    catalog.done(catalog.launch(name))
    with refused('InvalidParametersException', 'RESOURCE_UPDATE'):
        catalog.client().update_provisioned_product(
            ProvisionedProductName=name, Tags=[{'Key': 'team', 'Value': 'sales'}]
        )


def test_a_token_that_comes_again_launches_nothing_again(catalog: Catalog) -> None:
    request = {
        'ProductId': catalog.product,
        'ProvisioningArtifactName': 'v1',
        'ProvisionedProductName': unique('once'),
        'ProvisionToken': unique('token'),
        'Tags': [{'Key': 'team', 'Value': 'risk'}],
    }
    first = catalog.client().provision_product(**request)['RecordDetail']['RecordId']
    assert catalog.client().provision_product(**request)['RecordDetail']['RecordId'] == first
    catalog.done(first)


def test_what_is_in_use_is_not_deleted(catalog: Catalog) -> None:
    client = catalog.client()
    with refused('ResourceInUseException'):
        client.delete_portfolio(Id=catalog.ids['Portfolio'])
    with refused('ResourceInUseException'):
        client.delete_product(Id=catalog.product)
    with refused('ResourceInUseException', 'constraint'):
        client.disassociate_product_from_portfolio(ProductId=catalog.product, PortfolioId=catalog.ids['Portfolio'])
    with refused('DuplicateResourceException', 'LAUNCH'):
        client.create_constraint(
            PortfolioId=catalog.ids['Portfolio'],
            ProductId=catalog.product,
            Type='LAUNCH',
            Parameters=json.dumps({'LocalRoleName': 'x'}),
        )


def test_products_are_found_only_through_a_portfolio_with_users(catalog: Catalog) -> None:
    client = catalog.client()
    with refused('InvalidParametersException', 'does not exist'):
        client.create_product(
            Name='x',
            Owner='x',
            ProductType='CLOUD_FORMATION_TEMPLATE',
            ProvisioningArtifactParameters={'Info': {'LoadTemplateFromURL': url(catalog.bucket, 'none.json')}},
        )
    made = client.create_product(
        Name=unique('hidden'),
        Owner='x',
        ProductType='CLOUD_FORMATION_TEMPLATE',
        ProvisioningArtifactParameters={
            'Name': 'v1',
            'Info': {'LoadTemplateFromURL': f'https://{catalog.bucket}.s3.us-east-1.amazonaws.com/v1.json'},
        },
    )
    product = made['ProductViewDetail']['ProductViewSummary']['ProductId']
    with refused('ResourceNotFoundException', product):
        client.describe_product(Id=product)
    with refused('ResourceNotFoundException', product):
        client.provision_product(
            ProductId=product,
            ProvisioningArtifactId=made['ProvisioningArtifactDetail']['Id'],
            ProvisionedProductName=unique('hidden'),
        )


def test_a_role_that_does_not_trust_service_catalog(cloud: Cloud, catalog: Catalog) -> None:
    stack = Stack(cloud)
    trust = json.loads(json.dumps(TRUST).replace('servicecatalog', 'ec2'))
    both = {'PortfolioId': {'Ref': 'Portfolio'}, 'ProductId': catalog.product}
    resources = {
        **{name: catalog.resources[name] for name in ('Portfolio', 'Users')},
        'Role': {'Type': 'AWS::IAM::Role', 'Properties': {'AssumeRolePolicyDocument': trust}},
        'Offer': {'Type': 'AWS::ServiceCatalog::PortfolioProductAssociation', 'Properties': both},
        'AsRole': {
            'Type': 'AWS::ServiceCatalog::LaunchRoleConstraint',
            'Properties': {**both, 'RoleArn': {'Fn::GetAtt': ['Role', 'Arn']}},
            'DependsOn': 'Offer',
        },
    }
    assert stack.create(resources) == 'CREATE_COMPLETE', stack.reasons()
    try:
        with refused('InvalidParametersException', 'PathId is required'):
            catalog.launch(unique('ambiguous'))
        path = f'lpv3-{stack.ids()["Portfolio"].removeprefix("port-")}'
        record = catalog.client().provision_product(
            ProductId=catalog.product,
            ProvisioningArtifactName='v1',
            PathId=path,
            ProvisionedProductName=unique('untrusted'),
        )['RecordDetail']['RecordId']
        answer = catalog.done(record)['RecordDetail']
        assert answer['Status'] == 'FAILED'
        assert 'does not trust' in answer['RecordErrors'][0]['Description']
    finally:
        stack.delete()


def test_versions_keep_their_ids(catalog: Catalog) -> None:
    first = catalog.version('v1')
    resources = json.loads(json.dumps(catalog.resources))
    product = resources['Product']['Properties']
    s3 = catalog.cloud.client('s3')
    s3.put_object(Bucket=catalog.bucket, Key='v3.json', Body=json.dumps(product_template()))
    versions = product['ProvisioningArtifactParameters']
    versions[0]['Description'] = 'the first'
    versions[1] = {'Name': 'v3', 'Info': {'LoadTemplateFromURL': url(catalog.bucket, 'v3.json')}}
    assert catalog.stack.update(resources) == 'UPDATE_COMPLETE', catalog.stack.reasons()
    assert catalog.version('v1') == first
    names = [one['Name'] for one in catalog.client().describe_product(Id=catalog.product)['ProvisioningArtifacts']]
    assert names == ['v1', 'v3']
    product['ReplaceProvisioningArtifacts'] = True
    assert catalog.stack.update(resources) == 'UPDATE_COMPLETE', catalog.stack.reasons()
    assert catalog.version('v1') != first
