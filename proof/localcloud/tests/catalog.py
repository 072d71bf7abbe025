"""A portfolio with one product of two versions, made by CloudFormation."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conftest import Cloud, unique, until
from stacks import Stack

RULE = {
    'OnlySmall': {
        'RuleCondition': {'Fn::Equals': [{'Ref': 'Kind'}, 'gp3']},
        'Assertions': [
            {
                'Assert': {'Fn::Contains': [['10', '20', '30'], {'Ref': 'Size'}]},
                'AssertDescription': 'gp3 volumes have 10, 20 or 30 GiB',
            }
        ],
    }
}


def product_template(**more: Any) -> dict[str, Any]:
    disk = {'AvailabilityZone': 'us-east-1a', 'Size': {'Ref': 'Size'}, 'VolumeType': {'Ref': 'Kind'}}
    return {
        'AWSTemplateFormatVersion': '2010-09-09',
        'Parameters': {
            'Size': {
                'Type': 'Number',
                'Default': 10,
                'MinValue': 1,
                'MaxValue': 1000,
                'Description': 'GiB',
            },
            'Kind': {'Type': 'String', 'Default': 'gp3', 'AllowedValues': ['gp3', 'io2']},
        },
        'Resources': {
            'Kept': {
                'Type': 'AWS::EC2::Volume',
                'Properties': disk,
                'DeletionPolicy': 'Retain',
                'UpdateReplacePolicy': 'Retain',
            },
            'Gone': {'Type': 'AWS::EC2::Volume', 'Properties': disk},
            **more,
        },
        'Outputs': {'Volume': {'Value': {'Ref': 'Kept'}, 'Description': 'the volume that stays'}},
    }


TRUST = {
    'Version': '2012-10-17',
    'Statement': [
        {
            'Effect': 'Allow',
            'Principal': {'Service': 'servicecatalog.amazonaws.com'},
            'Action': 'sts:AssumeRole',
        }
    ],
}


@dataclass
class Catalog:
    """One portfolio with one product of two versions."""

    cloud: Cloud
    stack: Stack
    ids: dict[str, str]
    resources: dict[str, Any]
    queue: str
    bucket: str

    @property
    def product(self) -> str:
        return self.ids['Product']

    def client(self) -> Any:
        return self.cloud.client('servicecatalog')

    def version(self, name: str) -> str:
        found = self.client().describe_product(Id=self.product)['ProvisioningArtifacts']
        return str(next(one['Id'] for one in found if one['Name'] == name))

    def launch(self, name: str, version: str = 'v1', tags: dict[str, str] | None = None, **given: str) -> str:
        """The id of the record."""
        asked = self.client().provision_product(
            ProductId=self.product,
            ProvisioningArtifactId=self.version(version),
            ProvisionedProductName=name,
            ProvisioningParameters=[{'Key': key, 'Value': value} for key, value in given.items()],
            Tags=[{'Key': key, 'Value': value} for key, value in {'team': 'risk', **(tags or {})}.items()],
        )['RecordDetail']
        assert asked['Status'] == 'CREATED'
        return str(asked['RecordId'])

    def done(self, record: str) -> dict[str, Any]:
        """The record once it has ended."""

        def ended() -> dict[str, Any] | None:
            answer: dict[str, Any] = self.client().describe_record(Id=record)
            return answer if answer['RecordDetail']['Status'] in ('SUCCEEDED', 'FAILED') else None

        found: dict[str, Any] = until(ended, f'{record} done')
        return found

    def status(self, name: str) -> str:
        found = self.client().describe_provisioned_product(Name=name)['ProvisionedProductDetail']
        return str(found['Status'])


def url(bucket: str, key: str) -> str:
    return f'https://s3.us-east-1.amazonaws.com/{bucket}/{key}'


def _resources(bucket: str, events: str) -> dict[str, Any]:
    both = {'PortfolioId': {'Ref': 'Portfolio'}, 'ProductId': {'Ref': 'Product'}}

    def constraint(kind: str, **own: Any) -> dict[str, Any]:
        return {'Type': f'AWS::ServiceCatalog::{kind}Constraint', 'Properties': {**both, **own}, 'DependsOn': 'Offer'}

    def option(value: str) -> dict[str, Any]:
        return {'Type': 'AWS::ServiceCatalog::TagOption', 'Properties': {'Key': 'team', 'Value': value}}

    def has_option(name: str) -> dict[str, Any]:
        properties = {'ResourceId': {'Ref': 'Portfolio'}, 'TagOptionId': {'Ref': name}}
        return {'Type': 'AWS::ServiceCatalog::TagOptionAssociation', 'Properties': properties}

    return {
        'Role': {'Type': 'AWS::IAM::Role', 'Properties': {'AssumeRolePolicyDocument': TRUST}},
        'Portfolio': {
            'Type': 'AWS::ServiceCatalog::Portfolio',
            'Properties': {'DisplayName': 'SAS', 'ProviderName': 'Platform team', 'Description': 'storage'},
        },
        'Product': {
            'Type': 'AWS::ServiceCatalog::CloudFormationProduct',
            'Properties': {
                'Name': unique('volumes'),
                'Owner': 'Platform team',
                'ProvisioningArtifactParameters': [
                    {'Name': name, 'Info': {'LoadTemplateFromURL': url(bucket, f'{name}.json')}}
                    for name in ('v1', 'v2')
                ],
            },
        },
        'Offer': {'Type': 'AWS::ServiceCatalog::PortfolioProductAssociation', 'Properties': both},
        'Users': {
            'Type': 'AWS::ServiceCatalog::PortfolioPrincipalAssociation',
            'Properties': {
                'PortfolioId': {'Ref': 'Portfolio'},
                'PrincipalARN': 'arn:aws:iam:::role/users-*',
                'PrincipalType': 'IAM_PATTERN',
            },
        },
        'AsRole': constraint('LaunchRole', RoleArn={'Fn::GetAtt': ['Role', 'Arn']}),
        'Small': constraint('LaunchTemplate', Rules=json.dumps(RULE), Description='small volumes'),
        'Told': constraint('LaunchNotification', NotificationArns=[events]),
        'Tagged': constraint('ResourceUpdate', TagUpdateOnProvisionedProduct='NOT_ALLOWED'),
        'Risk': option('risk'),
        'Sales': option('sales'),
        'HasRisk': has_option('Risk'),
        'HasSales': has_option('Sales'),
    }


def offered(cloud: Cloud) -> Iterator[Catalog]:
    """The catalog while it is offered."""
    bucket = unique('assets')
    s3 = cloud.client('s3')
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key='v1.json', Body=json.dumps(product_template()))
    topic = {'Topic': {'Type': 'AWS::SNS::Topic'}}
    s3.put_object(Bucket=bucket, Key='v2.json', Body=json.dumps(product_template(**topic)))
    events = cloud.client('sns').create_topic(Name=unique('events'))['TopicArn']
    queue = cloud.client('sqs').create_queue(QueueName=unique('events'))['QueueUrl']
    target = cloud.client('sqs').get_queue_attributes(QueueUrl=queue, AttributeNames=['QueueArn'])['Attributes']
    cloud.client('sns').subscribe(TopicArn=events, Protocol='sqs', Endpoint=target['QueueArn'])
    resources = _resources(bucket, events)
    stack = Stack(cloud)
    outputs = {'Versions': {'Fn::GetAtt': ['Product', 'ProvisioningArtifactNames']}}
    assert stack.create(resources, outputs) == 'CREATE_COMPLETE', stack.reasons()
    assert stack.outputs()['Versions'] == 'v1,v2'
    yield Catalog(cloud, stack, stack.ids(), resources, queue, bucket)
    stack.delete()
