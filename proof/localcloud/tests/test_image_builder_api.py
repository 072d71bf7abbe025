"""Image Builder: what its API and its types of CloudFormation keep, change and refuse."""

from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cloud, unique, until
from errors import refused
from image_builds import MANAGED, base, bash, document, pipeline, profile, role
from stacks import Resources, Stack

FINE = document(build=[bash('Fine', 'true')])
NO_TESTS: dict[str, Any] = {'imageTestsConfiguration': {'imageTestsEnabled': False}}


def component(cloud: Cloud, data: str = FINE, **more: Any) -> Any:
    asked = {'name': unique('part'), 'semanticVersion': '1.0.0', 'platform': 'Linux', 'data': data, **more}
    return cloud.client('imagebuilder').create_component(**{'clientToken': unique('token'), **asked})


@pytest.mark.parametrize(
    ('data', 'told'),
    [
        ('schemaVersion: 2.0', 'schemaVersion is 2.0'),
        ('a: [', 'no YAML'),
        (document(other=[bash('A', 'true')]), 'none of the phases'),
        (document(build=[{'name': 'A', 'action': 'Levitate', 'inputs': {}}]), 'Action Levitate is not supported'),
        (document(build=[{'name': 'A', 'action': 'WebDownload', 'inputs': []}]), 'not implemented by the embedded'),
        (document(build=[{'name': 'A', 'action': 'S3Download', 'inputs': []}]), "requires an 'inputs'"),
        (document(build=[bash('A', 'true'), bash('A', 'true')]), 'a name of its own'),
        (document(build=[bash('A', 'echo {{ build.B.outputs.stdout }}')]), 'build.B.outputs.stdout'),
        (document(build=[bash('A', 'echo {{ Nothing }}')]), 'Nothing is no parameter'),
        (document(build=[bash('A', 'true', onFailure='Panic')]), 'onFailure is Panic'),
        (document(build=[bash('A', 'true', **{'if': {}})]), 'if of a step'),
    ],
)
def test_a_document_that_cannot_be_run_is_refused(hosted: Cloud, data: str, told: str) -> None:
    with refused('InvalidParameterValueException', told):
        component(hosted, data)


def test_the_same_component_is_refused_and_another_one_is_the_next_build(hosted: Cloud) -> None:
    name, client = unique('Part Of'), hosted.client('imagebuilder')
    first = component(hosted, name=name)['componentBuildVersionArn']
    assert first.endswith(f'component/{name.lower().replace(" ", "-")}/1.0.0/1')
    with refused('ResourceAlreadyExistsException', first):
        component(hosted, name=name)
    tested = component(hosted, document(test=[bash('A', 'true')]), name=name)['componentBuildVersionArn']
    assert tested == first.removesuffix('1') + '2'
    newest = client.get_component(componentBuildVersionArn=first.replace('1.0.0/1', 'x.x.x'))['component']
    assert (newest['arn'], newest['type']) == (tested, 'TEST')
    builds = client.list_component_build_versions(componentVersionArn=first.removesuffix('/1'))
    assert [one['arn'] for one in builds['componentSummaryList']] == [first, tested]


def test_a_request_that_comes_again_does_nothing_again(hosted: Cloud) -> None:
    made = pipeline(hosted, FINE, **NO_TESTS)
    asked = {'imagePipelineArn': made.arn, 'clientToken': unique('token')}
    first = made.client.start_image_pipeline_execution(**asked)
    again = made.client.start_image_pipeline_execution(**asked)
    assert again['imageBuildVersionArn'] == first['imageBuildVersionArn']
    with refused('IdempotentParameterMismatchException'):
        made.client.start_image_pipeline_execution(**asked, tags={'a': 'b'})
    builds = made.client.list_image_pipeline_images(imagePipelineArn=made.arn)['imageSummaryList']
    assert [one['arn'] for one in builds] == [first['imageBuildVersionArn']]
    running = first['imageBuildVersionArn']
    with refused('ResourceDependencyException'):
        made.client.delete_image(imageBuildVersionArn=running)
    made.ended(running)
    second = made.build()
    assert second['version'] == '1.0.0/2'
    made.client.delete_image(imageBuildVersionArn=running)
    [ami] = second['outputResources']['amis']
    assert hosted.client('ec2').describe_images(ImageIds=[ami['image']])['Images']


def test_what_is_used_is_not_deleted(hosted: Cloud) -> None:
    made = pipeline(hosted, FINE, distribution={}, **NO_TESTS)
    told = made.client.get_image_pipeline(imagePipelineArn=made.arn)['imagePipeline']
    recipe = made.client.get_image_recipe(imageRecipeArn=told['imageRecipeArn'])['imageRecipe']
    part = recipe['components'][0]['componentArn']
    where, what = told['infrastructureConfigurationArn'], told['distributionConfigurationArn']

    def delete_all() -> Iterator[Any]:
        yield lambda: made.client.delete_image_recipe(imageRecipeArn=recipe['arn'])
        yield lambda: made.client.delete_infrastructure_configuration(infrastructureConfigurationArn=where)
        yield lambda: made.client.delete_distribution_configuration(distributionConfigurationArn=what)
        yield lambda: made.client.delete_component(componentBuildVersionArn=part)

    for delete in delete_all():
        with refused('ResourceDependencyException'):
            delete()
    made.client.delete_image_pipeline(imagePipelineArn=made.arn)
    for delete in delete_all():
        delete()
    with refused('ResourceNotFoundException', part):
        made.client.get_component(componentBuildVersionArn=part)


def test_a_recipe_exists_once_and_needs_values_and_an_image(hosted: Cloud) -> None:
    part = component(hosted, document([{'Word': {'type': 'string'}}], build=[bash('A', 'echo {{ Word }}')]))
    chosen = {'componentArn': part['componentBuildVersionArn']}
    client, name = hosted.client('imagebuilder'), unique('recipe')

    def create(**more: Any) -> None:
        asked = {'name': name, 'semanticVersion': '1.0.0', 'parentImage': base(hosted), **more}
        client.create_image_recipe(clientToken=unique('token'), **asked)

    with refused('InvalidParameterValueException', 'without a value: Word'):
        create(components=[chosen])
    with refused('InvalidParameterValueException', 'ami-0123456789abcdeff'):
        create(parentImage='ami-0123456789abcdeff')
    valued = {**chosen, 'parameters': [{'name': 'Word', 'value': ['a']}]}
    create(components=[valued])
    with refused('ResourceAlreadyExistsException', name):
        create(components=[valued])


def test_configurations_are_checked(hosted: Cloud) -> None:
    client, name = hosted.client('imagebuilder'), unique('configuration')
    with refused('InvalidParameterValueException', 'The provided instance profile does not exist'):
        client.create_infrastructure_configuration(name=name, instanceProfileName='nobody', clientToken='a')
    own = profile(hosted)
    with refused('InvalidRequestException', 'securityGroupIds'):
        client.create_infrastructure_configuration(
            name=name, instanceProfileName=own, subnetId='subnet-1', clientToken='b'
        )
    for place, told in (
        ({'region': 'eu-west-1'}, 'eu-west-1'),
        ({'region': 'us-east-1', 'amiDistributionConfiguration': {'name': 'always'}}, 'buildDate'),
    ):
        with pytest.raises(Exception, match=told):
            client.create_distribution_configuration(name=name, distributions=[place], clientToken=unique('token'))
    with refused('ValidationException'):
        client.create_infrastructure_configuration(name='!', instanceProfileName=own, clientToken='c')


def test_resources_are_tagged(hosted: Cloud) -> None:
    arn, client = component(hosted, tags={'a': '1'})['componentBuildVersionArn'], hosted.client('imagebuilder')
    client.tag_resource(resourceArn=arn, tags={'b': '2'})
    client.untag_resource(resourceArn=arn, tagKeys=['a'])
    assert client.list_tags_for_resource(resourceArn=arn)['tags'] == {'b': '2'}


@pytest.fixture
def stack(hosted: Cloud) -> Iterator[Stack]:
    made = Stack(hosted)
    yield made
    made.delete()


def resources(cloud: Cloud, version: str = '1.0.0', **pipe: Any) -> Resources:
    name = 'of-a-stack'
    own = {'Ref': 'InstanceProfile'}
    versioned = {'Name': name, 'Version': version}
    named = {'Name': 'server {{ imagebuilder:buildDate }}', 'AmiTags': {'Kind': 'server'}}
    here = {'Region': {'Ref': 'AWS::Region'}, 'AmiDistributionConfiguration': named}
    rule = {
        'Action': {'Type': 'DELETE', 'IncludeResources': {'Amis': True}},
        'Filter': {'Type': 'COUNT', 'Value': '3'},
    }
    chosen = {'Recipes': [{'Name': name, 'SemanticVersion': '1.0.0'}]}
    properties: dict[str, dict[str, Any]] = {
        'Component': {**versioned, 'Platform': 'Linux', 'Data': FINE, 'Tags': {'Kind': 'part'}},
        'ImageRecipe': {
            **versioned,
            'ParentImage': base(cloud),
            'Components': [{'ComponentArn': {'Ref': 'Component'}}],
            'BlockDeviceMappings': [{'DeviceName': '/dev/sda1', 'Ebs': {'VolumeSize': '20', 'Encrypted': 'true'}}],
        },
        'InfrastructureConfiguration': {'Name': name, 'InstanceProfileName': own, 'InstanceTypes': ['m6i.large']},
        'DistributionConfiguration': {'Name': name, 'Distributions': [here]},
        'ImagePipeline': {
            'Name': name,
            'ImageRecipeArn': {'Ref': 'ImageRecipe'},
            'InfrastructureConfigurationArn': {'Fn::GetAtt': ['InfrastructureConfiguration', 'Arn']},
            'DistributionConfigurationArn': {'Ref': 'DistributionConfiguration'},
            'ImageTestsConfiguration': {'ImageTestsEnabled': 'false'},
            **pipe,
        },
        'LifecyclePolicy': {
            'Name': name,
            'ExecutionRole': role(cloud, 'imagebuilder'),
            'ResourceType': 'AMI_IMAGE',
            'PolicyDetails': [rule],
            'ResourceSelection': chosen,
        },
    }
    built_by = role(cloud, 'ec2', managed=MANAGED)
    return {
        'InstanceProfile': {'Type': 'AWS::IAM::InstanceProfile', 'Properties': {'Roles': [built_by]}},
        **{
            one: {'Type': f'AWS::ImageBuilder::{one}', 'Properties': properties[one]}
            for one in reversed(list(properties))
        },
    }


def test_a_stack_has_a_pipeline_that_builds_and_another_version_replaces(hosted: Cloud, stack: Stack) -> None:
    before = resources(hosted)
    outputs = {'Type': {'Fn::GetAtt': ['Component', 'Type']}, 'Name': {'Fn::GetAtt': ['ImagePipeline', 'Name']}}
    assert stack.create(before, outputs) == 'CREATE_COMPLETE', stack.reasons()
    assert stack.outputs() == {'Type': 'BUILD', 'Name': 'of-a-stack'}
    ids, client = stack.ids(), hosted.client('imagebuilder')
    assert ids['Component'].endswith(':component/of-a-stack/1.0.0/1')
    tags = client.list_tags_for_resource(resourceArn=ids['Component'])['tags']
    assert (tags['Kind'], tags['aws:cloudformation:stack-name']) == ('part', stack.name)
    policy = client.get_lifecycle_policy(lifecyclePolicyArn=ids['LifecyclePolicy'])['lifecyclePolicy']
    assert policy['policyDetails'][0]['filter'] == {'type': 'COUNT', 'value': 3}
    started = client.start_image_pipeline_execution(imagePipelineArn=ids['ImagePipeline'], clientToken=unique('t'))
    asked = {'imageBuildVersionArn': started['imageBuildVersionArn']}
    until(lambda: client.get_image(**asked)['image']['state']['status'] == 'AVAILABLE', 'the image')
    [ami] = client.get_image(**asked)['image']['outputResources']['amis']
    [shown] = hosted.client('ec2').describe_images(ImageIds=[ami['image']])['Images']
    [disk] = shown['BlockDeviceMappings']
    assert (disk['Ebs']['VolumeSize'], disk['Ebs']['Encrypted']) == (20, True)
    assert {'Key': 'Kind', 'Value': 'server'} in shown['Tags']
    after = resources(hosted, '1.0.1', Description='told')
    for one in ('InstanceProfile', 'LifecyclePolicy'):
        after[one] = before[one]
    assert stack.update(after) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['ImageRecipe'].endswith('/1.0.1')
    told = client.get_image_pipeline(imagePipelineArn=ids['ImagePipeline'])['imagePipeline']
    assert (told['description'], told['imageRecipeArn']) == ('told', stack.ids()['ImageRecipe'])
    with refused('ResourceNotFoundException'):
        client.get_component(componentBuildVersionArn=ids['Component'])


@pytest.mark.parametrize(
    ('kind', 'properties', 'told'),
    [
        ('Component', {'Made': 'up'}, 'property Made (logical id One) is not implemented'),
        ('Component', {'Platform': 'Windows'}, 'Windows is not implemented'),
        ('Component', {'Version': 'one'}, 'semanticVersion'),
        ('Component', {'Data': 'phases: []'}, 'Failed to parse document'),
    ],
)
def test_what_a_template_has_wrong_fails(stack: Stack, kind: str, properties: Resources, told: str) -> None:
    right = {'Name': unique('part'), 'Version': '1.0.0', 'Platform': 'Linux', 'Data': FINE}
    one = {'Type': f'AWS::ImageBuilder::{kind}', 'Properties': {**right, **properties}}
    assert stack.create({'One': one}) == 'ROLLBACK_COMPLETE'
    assert told in stack.reasons()
