"""Pipelines under test: a recipe of components, where it is built, and how far a build is."""

import json
from dataclasses import dataclass
from typing import Any

from conftest import Cloud, unique, until

MANAGED = ('AmazonSSMManagedInstanceCore', 'EC2InstanceProfileForImageBuilder')
FINAL = ('AVAILABLE', 'FAILED', 'CANCELLED')
Statement = dict[str, Any]


def bash(name: str, *commands: str, **more: Any) -> dict[str, Any]:
    """A step that runs a script."""
    return {'name': name, 'action': 'ExecuteBash', 'inputs': {'commands': list(commands)}, **more}


def document(parameters: list[dict[str, Any]] | None = None, **phases: list[dict[str, Any]]) -> str:
    """A component's document; JSON is YAML."""
    content: dict[str, Any] = {'schemaVersion': 1.0, 'name': 'component'}
    if parameters:
        content['parameters'] = parameters
    content['phases'] = [{'name': name, 'steps': steps} for name, steps in phases.items()]
    return json.dumps(content)


def allow(action: str | list[str], resource: str = '*') -> Statement:
    """A statement."""
    return {'Effect': 'Allow', 'Action': action, 'Resource': resource}


def role(cloud: Cloud, service: str, *statements: Statement, managed: tuple[str, ...] = ()) -> str:
    """A role that this service may assume; its name."""
    iam, name = cloud.client('iam'), unique('role')
    trusted = {'Effect': 'Allow', 'Principal': {'Service': f'{service}.amazonaws.com'}, 'Action': 'sts:AssumeRole'}
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps({'Statement': [trusted]}))
    for policy in managed:
        iam.attach_role_policy(RoleName=name, PolicyArn=f'arn:aws:iam::aws:policy/{policy}')
    if statements:
        policy = json.dumps({'Version': '2012-10-17', 'Statement': list(statements)})
        iam.put_role_policy(RoleName=name, PolicyName='p', PolicyDocument=policy)
    return name


def profile(cloud: Cloud, *statements: Statement, managed: tuple[str, ...] = MANAGED) -> str:
    """An instance profile whose role has these statements, and AWS's policies for instances that build."""
    iam, name = cloud.client('iam'), role(cloud, 'ec2', *statements, managed=managed)
    iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    return name


def base(cloud: Cloud, architecture: str = 'x86_64') -> str:
    """The newest AlmaLinux 9.7."""
    named = [{'Name': 'name', 'Values': [f'AlmaLinux OS 9.7.* {architecture}']}]
    found = cloud.client('ec2').describe_images(Owners=['764336703387'], Filters=named)['Images']
    return str(max(found, key=lambda one: one['CreationDate'])['ImageId'])


@dataclass
class Pipeline:
    """A pipeline, and its builds."""

    cloud: Cloud
    name: str
    arn: str

    @property
    def client(self) -> Any:
        return self.cloud.client('imagebuilder')

    def start(self) -> str:
        """A build; its ARN."""
        started = self.client.start_image_pipeline_execution(imagePipelineArn=self.arn, clientToken=unique('token'))
        return str(started['imageBuildVersionArn'])

    def build(self) -> dict[str, Any]:
        """A build, once it has ended."""
        return self.ended(self.start())

    def image(self, arn: str) -> dict[str, Any]:
        """How far it is."""
        return dict(self.client.get_image(imageBuildVersionArn=arn)['image'])

    def ended(self, arn: str) -> dict[str, Any]:
        """Once it has ended."""
        until(lambda: self.image(arn)['state']['status'] in FINAL, f'the end of {arn}')
        return self.image(arn)

    def steps(self, arn: str) -> dict[str, str]:
        """The status of each step of each workflow."""
        found = self.client.list_workflow_executions(imageBuildVersionArn=arn)['workflowExecutions']
        ids = [one['workflowExecutionId'] for one in reversed(found)]
        listed = [self.client.list_workflow_step_executions(workflowExecutionId=one)['steps'] for one in ids]
        return {step['name']: step['status'] for steps in listed for step in steps}

    def instances(self, arn: str) -> list[dict[str, Any]]:
        """What was launched for it."""
        tagged = [{'Name': 'tag:Ec2ImageBuilderArn', 'Values': [arn]}]
        found = self.cloud.client('ec2').describe_instances(Filters=tagged)['Reservations']
        return [instance for reservation in found for instance in reservation['Instances']]

    def log(self, image: dict[str, Any]) -> list[str]:
        """What was written to CloudWatch Logs."""
        group = f'/aws/imagebuilder/{image["name"]}'
        logs = self.cloud.client('logs')
        if not logs.describe_log_groups(logGroupNamePrefix=group)['logGroups']:
            return []
        events = logs.get_log_events(logGroupName=group, logStreamName=image['version'], startFromHead=True)['events']
        return [str(event['message']) for event in events]


def pipeline(
    cloud: Cloud,
    *documents: str,
    parameters: dict[str, list[str]] | None = None,
    infrastructure: dict[str, Any] | None = None,
    distribution: dict[str, Any] | None = None,
    **more: Any,
) -> Pipeline:
    """Make a pipeline of components with these documents."""
    client, name = cloud.client('imagebuilder'), unique('pipeline')
    chosen = []
    for number, text in enumerate(documents):
        asked = {'name': f'{name}-{number}', 'semanticVersion': '1.0.0', 'platform': 'Linux', 'data': text}
        made = client.create_component(clientToken=unique('token'), **asked)['componentBuildVersionArn']
        given = [{'name': key, 'value': value} for key, value in (parameters or {}).items()]
        chosen.append({'componentArn': made, **({'parameters': given} if given else {})})
    recipe = client.create_image_recipe(
        name=name,
        semanticVersion='1.0.0',
        components=chosen,
        parentImage=base(cloud),
        clientToken=unique('token'),
        **more.pop('recipe', {}),
    )['imageRecipeArn']
    where = {'instanceProfileName': profile(cloud), **(infrastructure or {})}
    built = client.create_infrastructure_configuration(name=name, clientToken=unique('token'), **where)
    if distribution is not None:
        here = {'region': cloud.environment['AWS_REGION'], **distribution}
        made = client.create_distribution_configuration(name=name, distributions=[here], clientToken=unique('token'))
        more['distributionConfigurationArn'] = made['distributionConfigurationArn']
    made = client.create_image_pipeline(
        name=name,
        imageRecipeArn=recipe,
        infrastructureConfigurationArn=built['infrastructureConfigurationArn'],
        clientToken=unique('token'),
        **more,
    )
    return Pipeline(cloud, name, made['imagePipelineArn'])
