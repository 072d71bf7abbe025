"""Image Builder: a pipeline builds on an instance, tests on another one, and distributes what it has built."""

import json
from typing import Any

import pytest

from conftest import Cloud, instance_state, unique, until
from errors import refused
from image_builds import allow, bash, document, pipeline, profile, role

ROOT = '"$SAS_GRID_ROOT"'


def test_what_is_built_is_in_the_image_and_in_what_is_launched_from_it(hosted: Cloud) -> None:
    built = document(
        parameters=[{'Word': {'type': 'string', 'default': 'nothing'}}],
        build=[
            bash('Say', 'echo " said "'),
            bash('Leave', f'mkdir -p {ROOT}/opt/built', f'echo "{{{{ build.Say.outputs.stdout }}}}, {{{{ Word }}}}" '
                 f'>{ROOT}/opt/built/file'),
            {'name': 'Again', 'action': 'Reboot'},
            {'name': 'Update', 'action': 'UpdateOS'},
        ],
        validate=[bash('Look', f'grep -q said {ROOT}/opt/built/file')],
        test=[bash('Look', f'grep -qx "said, word" {ROOT}/opt/built/file')],
    )  # fmt: skip
    named = {'name': 'server {{ imagebuilder:buildDate }}', 'description': 'told', 'amiTags': {'kind': 'server'}}
    permission = {'launchPermission': {'userIds': ['111122223333']}}
    made = pipeline(
        hosted,
        built,
        parameters={'Word': ['word']},
        distribution={'amiDistributionConfiguration': {**named, **permission}},
        infrastructure={'instanceProfileName': profile(hosted), 'resourceTags': {'owner': 'me'}},
    )
    arn = made.start()
    image = made.ended(arn)
    assert image['state'] == {'status': 'AVAILABLE'}, made.log(image)
    assert image['osVersion'] == 'AlmaLinux 9.7'
    [output] = image['outputResources']['amis']
    ami = output['image']
    [shown] = hosted.client('ec2').describe_images(Owners=['self'], ImageIds=[ami])['Images']
    assert shown['Name'] == output['name']
    assert shown['Name'].startswith('server 20')
    assert shown['Description'] == 'told'
    tags = {tag['Key']: tag['Value'] for tag in shown['Tags']}
    assert tags == {'CreatedBy': 'EC2 Image Builder', 'Ec2ImageBuilderArn': arn, 'kind': 'server'}
    allowed = hosted.client('ec2').describe_image_attribute(ImageId=ami, Attribute='launchPermission')
    assert allowed['LaunchPermissions'] == [{'UserId': '111122223333'}]
    launched = hosted.client('ec2').run_instances(ImageId=ami, InstanceType='m6i.large', MinCount=1, MaxCount=1)
    file = hosted.state / 'hosts' / launched['Instances'][0]['InstanceId'] / 'opt/built/file'
    until(file.exists, 'the file in an instance of the image')
    assert file.read_text() == 'said, word\n'


def test_a_build_shows_how_far_it_is_and_leaves_nothing_running(hosted: Cloud) -> None:
    tested = document(test=[bash('Fine', 'true')])
    made = pipeline(hosted, document(build=[bash('Fine', 'echo fine; echo odd >&2')]), tested)
    arn = made.start()
    image = made.ended(arn)
    seen = [one['to'] for one in hosted.history(kind='image-build', id=arn)]
    assert seen == ['PENDING', 'CREATING', 'BUILDING', 'TESTING', 'DISTRIBUTING', 'AVAILABLE']
    assert made.steps(arn) == {
        'LaunchBuildInstance': 'COMPLETED',
        'ApplyBuildComponents': 'COMPLETED',
        'InventoryCollection': 'COMPLETED',
        'RunSanitizeScript': 'COMPLETED',
        'RunSysPrepScript': 'SKIPPED',
        'CreateOutputAMI': 'COMPLETED',
        'TerminateBuildInstance': 'COMPLETED',
        'LaunchTestInstance': 'COMPLETED',
        'CollectImageScanFindings': 'SKIPPED',
        'ApplyTestComponents': 'COMPLETED',
        'TerminateTestInstance': 'COMPLETED',
        'DistributeImage': 'COMPLETED',
        'ApplyImageConfigurations': 'SKIPPED',
    }
    states = {instance['State']['Name'] for instance in made.instances(arn)}
    assert (len(made.instances(arn)), states) == (2, {'terminated'})
    assert {'Stdout: fine', 'Stderr: odd'} <= set(made.log(image))
    [listed] = made.client.list_image_pipeline_images(imagePipelineArn=made.arn)['imageSummaryList']
    assert (listed['arn'], listed['state']['status']) == (arn, 'AVAILABLE')
    told = made.client.get_image_pipeline(imagePipelineArn=made.arn)['imagePipeline']
    assert told['lastRunStatus'] == 'AVAILABLE'
    assert hosted.calls(service='imagebuilder', action='StartImagePipelineExecution')


def test_a_step_that_fails_fails_the_image_and_is_named(hosted: Cloud) -> None:
    topic, queue = topic_and_queue(hosted)
    told = {'instanceProfileName': profile(hosted), 'snsTopicArn': topic}
    made = pipeline(hosted, document(build=[bash('Break', 'echo the reason >&2; exit 3')]), infrastructure=told)
    arn = made.start()
    image = made.ended(arn)
    state = image['state']
    component = f'{arn.split(":image/")[0]}:component/{made.name}-0/1.0.0/1'
    assert state['status'] == 'FAILED'
    assert state['reason'].endswith(f'failed with reason: Document {component} failed!')
    assert state['failureContext']['failedStep'] == 'ApplyBuildComponents'
    assert state['failureContext']['componentFailure'] == {
        'componentArn': component,
        'phaseName': 'build',
        'stepName': 'Break',
        'action': 'ExecuteBash',
        'errorMessage': 'exit status 3',
    }
    assert 'Stderr: the reason' in made.log(image)
    until(lambda: {one['State']['Name'] for one in made.instances(arn)} == {'terminated'}, 'the end of the instance')
    assert made.steps(arn)['CreateOutputAMI'] == 'PENDING'
    [message] = hosted.client('sqs').receive_message(QueueUrl=queue, WaitTimeSeconds=5)['Messages']
    assert json.loads(json.loads(message['Body'])['Message'])['state'] == state


def topic_and_queue(cloud: Cloud) -> tuple[str, str]:
    """A topic, and the queue that gets what is published."""
    sqs, name = cloud.client('sqs'), unique('builds')
    topic = cloud.client('sns').create_topic(Name=name)['TopicArn']
    queue = sqs.create_queue(QueueName=name)['QueueUrl']
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=['QueueArn'])['Attributes']['QueueArn']
    cloud.client('sns').subscribe(TopicArn=topic, Protocol='sqs', Endpoint=arn)
    return topic, queue


def test_an_instance_is_kept_for_a_look_when_that_is_asked_for(hosted: Cloud) -> None:
    kept = {'instanceProfileName': profile(hosted), 'terminateInstanceOnFailure': False}
    made = pipeline(hosted, document(build=[bash('Break', 'false')]), infrastructure=kept)
    arn = made.start()
    assert made.ended(arn)['state']['status'] == 'FAILED'
    [instance] = made.instances(arn)
    assert instance_state(hosted, instance['InstanceId']) == 'running'
    hosted.client('ec2').terminate_instances(InstanceIds=[instance['InstanceId']])


@pytest.mark.parametrize(
    ('on_failure', 'status', 'ran'),
    [('Abort', 'FAILED', False), ('Continue', 'FAILED', True), ('Ignore', 'AVAILABLE', True)],
)
def test_what_comes_after_a_failure_is_up_to_the_step(hosted: Cloud, on_failure: str, status: str, ran: bool) -> None:
    steps = [bash('Break', 'false', onFailure=on_failure), bash('After', 'echo it ran')]
    made = pipeline(hosted, document(build=steps), imageTestsConfiguration={'imageTestsEnabled': False})
    image = made.build()
    assert image['state']['status'] == status
    assert ('Stdout: it ran' in made.log(image)) == ran


def test_a_step_is_tried_as_often_as_it_may_and_ends_in_time(hosted: Cloud) -> None:
    hosted.fault('fail-build-step', step='Twice', count=2)
    steps = [bash('Twice', 'true', maxAttempts=3), bash('Slow', 'sleep 600', timeoutSeconds=1)]
    image = pipeline(hosted, document(build=steps)).build()
    failure = image['state']['failureContext']['componentFailure']
    assert (failure['stepName'], failure['errorMessage']) == ('Slow', 'timed out after 1 seconds')


def test_a_failed_test_is_a_failed_image(hosted: Cloud) -> None:
    made = pipeline(hosted, document(build=[bash('Fine', 'true')], test=[bash('Look', 'exit 7')]))
    image = made.build()
    assert image['state']['failureContext']['imageStatus'] == 'TESTING'
    assert image['state']['failureContext']['componentFailure']['phaseName'] == 'test'
    assert image['outputResources'] == {'amis': []}


def test_a_build_that_hangs_is_cancelled(hosted: Cloud) -> None:
    hosted.fault('hang-build-step', step='Endless')
    made = pipeline(hosted, document(build=[bash('Endless', 'true')]))
    arn = made.start()
    until(lambda: made.steps(arn).get('ApplyBuildComponents') == 'RUNNING', 'the step')
    made.client.cancel_image_creation(imageBuildVersionArn=arn, clientToken=unique('token'))
    state = made.ended(arn)['state']
    hosted.fault('calm')
    assert state['status'] == 'CANCELLED'
    assert 'failureContext' not in state
    until(lambda: {one['State']['Name'] for one in made.instances(arn)} == {'terminated'}, 'the end of the instance')
    with refused('InvalidRequestException', 'CANCELLED'):
        made.client.cancel_image_creation(imageBuildVersionArn=arn, clientToken=unique('token'))


def test_a_script_that_runs_is_ended_by_cancelling(hosted: Cloud) -> None:
    made = pipeline(hosted, document(build=[bash('Sleep', f'touch {ROOT}/asleep; sleep 600')]))
    arn = made.start()
    until(lambda: made.instances(arn) and marked(hosted, made.instances(arn)[0], 'asleep'), 'the script')
    made.client.cancel_image_creation(imageBuildVersionArn=arn, clientToken=unique('token'))
    assert made.ended(arn)['state']['status'] == 'CANCELLED'


def marked(cloud: Cloud, instance: dict[str, Any], name: str) -> bool:
    return (cloud.state / 'hosts' / instance['InstanceId'] / name).exists()


def test_without_room_for_the_instance_the_image_fails(hosted: Cloud) -> None:
    made = pipeline(hosted, document(build=[bash('Fine', 'true')]))
    hosted.fault('no-capacity', group=made.name, seconds=600)
    state = made.build()['state']
    hosted.fault('calm')
    assert state['failureContext']['failedStep'] == 'LaunchBuildInstance'
    assert 'InsufficientInstanceCapacity' in state['reason']


def test_wrong_security_groups_and_a_wrong_architecture_fail_the_launch(hosted: Cloud) -> None:
    own = {'instanceProfileName': profile(hosted)}
    fine = document(build=[bash('Fine', 'true')])
    groups = pipeline(hosted, fine, infrastructure={**own, 'securityGroupIds': ['sg-0123456789abcdef0']}).build()
    assert 'sg-0123456789abcdef0' in groups['state']['reason']
    arm = pipeline(hosted, fine, infrastructure={**own, 'instanceTypes': ['m6g.large']}).build()
    assert 'm6g.large' in arm['state']['reason']


def test_parameters_name_the_image_with_the_execution_role(hosted: Cloud) -> None:
    fine, name = document(build=[bash('Fine', 'true')]), f'/images/{unique("server")}'
    parameter = {'ssmParameterConfigurations': [{'parameterName': name, 'dataType': 'aws:ec2:image'}]}
    tests = {'imageTestsConfiguration': {'imageTestsEnabled': False}}
    may = role(hosted, 'imagebuilder', allow('ssm:PutParameter', f'arn:aws:ssm:*:*:parameter{name}'), allow('ec2:*'))
    image = pipeline(hosted, fine, distribution=parameter, executionRole=may, **tests).build()
    assert image['state']['status'] == 'AVAILABLE', image['state']
    stored = hosted.client('ssm').get_parameter(Name=name)['Parameter']
    assert stored['Value'] == image['outputResources']['amis'][0]['image']
    for wrong in ({}, {'executionRole': role(hosted, 'imagebuilder', allow('ssm:GetParameter'))}):
        failed = pipeline(hosted, fine, distribution=parameter, **tests, **wrong).build()['state']['failureContext']
        assert failed['imageStatus'] == 'INTEGRATING'
        [region] = failed['distributionFailure']['regionFailures']
        assert region['imageConfigurationStep'] == 'PUT_SSM_PARAMETERS'


def test_starting_a_pipeline_can_be_denied_to_everybody(hosted: Cloud) -> None:
    made = pipeline(hosted, document(build=[bash('Fine', 'true')]))
    hosted.fault('deny', action='StartImagePipelineExecution', seconds=600)
    with refused('AccessDeniedException', 'imagebuilder:StartImagePipelineExecution'):
        made.start()
    hosted.fault('calm')
    assert made.client.list_image_pipeline_images(imagePipelineArn=made.arn)['imageSummaryList'] == []
