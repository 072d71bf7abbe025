"""Image Builder: components have the rights of the instance profile, on the host and in programs that they start."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from conftest import Cloud, unique, until
from errors import refused
from image_builds import allow, bash, document, pipeline, profile
from stacks import Stack

NO_TESTS: dict[str, Any] = {'imageTestsConfiguration': {'imageTestsEnabled': False}}
FINE = document(build=[bash('Fine', 'echo fine')])


@pytest.fixture
def bucket(hosted: Cloud) -> str:
    """A versioned bucket with an object."""
    s3, name = hosted.client('s3'), unique('bucket')
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={'Status': 'Enabled'})
    s3.put_object(Bucket=name, Key='in/one', Body=b'content\n')
    return name


def transfer(action: str, source: str, destination: str) -> dict[str, Any]:
    return {'name': action, 'action': action, 'inputs': [{'source': source, 'destination': destination}]}


def test_objects_come_and_go_with_the_rights_of_the_instance_profile(hosted: Cloud, bucket: str) -> None:
    steps = [
        transfer('S3Download', f's3://{bucket}/in/*', '/opt/in'),
        bash('Change', 'cat "$SAS_GRID_ROOT/opt/in/one" >"$SAS_GRID_ROOT/opt/out"'),
        transfer('S3Upload', '/opt/out', f's3://{bucket}/out/one'),
    ]
    objects, listing = f'arn:aws:s3:::{bucket}/*', f'arn:aws:s3:::{bucket}'
    may = profile(
        hosted, allow('s3:ListBucket', listing), allow('s3:GetObject', objects), allow('s3:PutObject', objects)
    )
    image = pipeline(hosted, document(build=steps), infrastructure={'instanceProfileName': may}, **NO_TESTS).build()
    assert image['state']['status'] == 'AVAILABLE', image['state']
    assert hosted.client('s3').get_object(Bucket=bucket, Key='out/one')['Body'].read() == b'content\n'
    reads = profile(hosted, allow('s3:ListBucket', listing), allow('s3:GetObject', objects))
    image = pipeline(hosted, document(build=steps), infrastructure={'instanceProfileName': reads}, **NO_TESTS).build()
    failure = image['state']['failureContext']['componentFailure']
    assert failure['stepName'] == 'S3Upload'
    assert 's3:PutObject' in failure['errorMessage']


def test_a_download_that_the_role_may_not_do_fails(hosted: Cloud, bucket: str) -> None:
    step = transfer('S3Download', f's3://{bucket}/in/one', '/opt/one')
    failure = pipeline(hosted, document(build=[step])).build()['state']['failureContext']['componentFailure']
    assert (failure['action'], 's3:GetObject' in failure['errorMessage']) == ('S3Download', True)


@pytest.mark.parametrize(
    ('managed', 'told'),
    [
        (('EC2InstanceProfileForImageBuilder',), 'SSM Agent verification failed'),
        (('AmazonSSMManagedInstanceCore',), 'imagebuilder:GetComponent'),
    ],
)
def test_without_aws_own_policies_nothing_is_built(hosted: Cloud, managed: tuple[str, ...], told: str) -> None:
    poor = {'instanceProfileName': profile(hosted, managed=managed)}
    assert told in pipeline(hosted, FINE, infrastructure=poor).build()['state']['reason']


def test_logs_go_to_the_bucket_if_the_role_may_write_there(hosted: Cloud, bucket: str) -> None:
    logging = {'logging': {'s3Logs': {'s3BucketName': bucket, 's3KeyPrefix': 'logs'}}}
    may = profile(hosted, allow('s3:PutObject', f'arn:aws:s3:::{bucket}/logs/*'))
    made = pipeline(hosted, FINE, infrastructure={'instanceProfileName': may, **logging}, **NO_TESTS)
    assert made.build()['state']['status'] == 'AVAILABLE'
    [key] = [one['Key'] for one in hosted.client('s3').list_objects_v2(Bucket=bucket, Prefix='logs/')['Contents']]
    assert b'Stdout: fine' in hosted.client('s3').get_object(Bucket=bucket, Key=key)['Body'].read()
    may_not = {'instanceProfileName': profile(hosted), **logging}
    state = pipeline(hosted, FINE, infrastructure=may_not, **NO_TESTS).build()['state']
    assert 'status code: 403' in state['reason']


def test_without_the_permission_there_is_no_log_and_an_image_all_the_same(hosted: Cloud) -> None:
    core = ('AmazonSSMManagedInstanceCore',)
    silent = profile(hosted, allow('imagebuilder:GetComponent'), managed=core)
    made = pipeline(hosted, FINE, infrastructure={'instanceProfileName': silent}, **NO_TESTS)
    image = made.build()
    assert (image['state']['status'], made.log(image)) == ('AVAILABLE', [])


ASKING = """import json, os, sys, urllib.error, urllib.request
base = os.environ['AWS_EC2_METADATA_SERVICE_ENDPOINT'] + '/latest/'
def metadata(path):
    return urllib.request.urlopen(base + 'meta-data/' + path).read().decode()
folder = 'iam/security-credentials/'
key = json.loads(metadata(folder + metadata(folder)))['AccessKeyId']
def ask(service, method, path, body=b'', **headers):
    scope = f'{key}/20260101/us-east-1/{service}/aws4_request'
    signed = {'authorization': f'AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0'}
    named = {name.replace('_', '-'): value for name, value in headers.items()}
    url = os.environ['AWS_ENDPOINT_URL'] + path
    request = urllib.request.Request(url, body or None, {**signed, **named}, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), {}
def secret(operation, **fields):
    body = json.dumps(dict(fields, SecretId=sys.argv[2])).encode()
    kind = {'content_type': 'application/x-amz-json-1.1', 'x_amz_target': 'secretsmanager.' + operation}
    return ask('secretsmanager', 'POST', '/', body, **kind)
bucket = '/' + sys.argv[1]
print('put', ask('s3', 'PUT', bucket + '/in/two', b'2', if_none_match='*')[0])
print('again', ask('s3', 'PUT', bucket + '/in/two', b'3', if_none_match='*')[0])
status, body, headers = ask('s3', 'GET', bucket + '/in/two')
print('get', status, body, 'x-amz-version-id' in {name.lower() for name in headers})
print('list', ask('s3', 'GET', bucket + '?list-type=2&prefix=in/')[1].count('<Key>'))
print('elsewhere', ask('s3', 'GET', bucket + '/other')[0])
print('empty', secret('GetSecretValue')[1].count('ResourceNotFoundException'))
print('set', [secret('PutSecretValue', SecretString=one, ClientRequestToken='t' * 64)[0] for one in 'kkb'])
print('secret', json.loads(secret('GetSecretValue')[1])['SecretString'])
"""


def test_programs_of_a_component_ask_s3_and_secrets_manager_as_the_instance(hosted: Cloud, bucket: str) -> None:
    secrets = hosted.client('secretsmanager')
    secret = secrets.create_secret(Name=unique('key'))['ARN']
    place = '"$SAS_GRID_ROOT/var/lib/sas-grid-image/lib/ask.py"'
    hosted.client('s3').put_object(Bucket=bucket, Key='ask.py', Body=ASKING.encode())
    steps = [
        transfer('S3Download', f's3://{bucket}/ask.py', '/var/lib/sas-grid-image/lib/ask.py'),
        bash('Ask', f'python3 {place} {bucket} {secret}'),
    ]
    may = profile(
        hosted,
        allow(['s3:GetObject', 's3:PutObject'], f'arn:aws:s3:::{bucket}/in/*'),
        allow('s3:GetObject', f'arn:aws:s3:::{bucket}/ask.py'),
        allow('s3:ListBucket', f'arn:aws:s3:::{bucket}'),
        allow(['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'], secret),
    )
    made = pipeline(hosted, document(build=steps), infrastructure={'instanceProfileName': may}, **NO_TESTS)
    said = [line.removeprefix('Stdout: ') for line in made.log(made.build()) if line.startswith(('Stdout', 'Stderr'))]
    assert said[1:] == [
        'put 200',
        'again 412',
        'get 200 2 True',
        'list 2',
        'elsewhere 403',
        'empty 1',
        'set [200, 200, 400]',
        'secret k',
    ]
    assert secrets.get_secret_value(SecretId=secret)['SecretString'] == 'k'


@pytest.fixture
def caller(hosted: Cloud) -> Iterator[Any]:
    """A client in the name of an instance whose role has these statements."""
    made: list[str] = []

    def client(*statements: dict[str, Any]) -> Any:
        own = profile(hosted, *statements, managed=())
        asked = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'IamInstanceProfile': {'Name': own}}
        found = hosted.client('ec2').run_instances(MinCount=1, MaxCount=1, **asked)['Instances'][0]['InstanceId']
        made.append(found)
        return boto3.client(
            'imagebuilder',
            endpoint_url=hosted.endpoint,
            region_name=hosted.environment['AWS_REGION'],
            aws_access_key_id=found,
            aws_secret_access_key='test',
            config=Config(retries={'total_max_attempts': 1}),
        )

    yield client
    hosted.client('ec2').terminate_instances(InstanceIds=made)


def denied(call: Any, **request: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(clientToken=unique('token'), **request)
    assert caught.value.response['Error']['Code'] == 'AccessDeniedException'
    return str(caught.value.response['Error']['Message'])


def test_who_starts_a_pipeline_needs_it_and_a_look_at_it(hosted: Cloud, caller: Any) -> None:
    made = pipeline(hosted, FINE, **NO_TESTS)
    asked = {'imagePipelineArn': made.arn}
    start, look = (
        allow(f'imagebuilder:{one}ImagePipeline{more}') for one, more in (('Start', 'Execution'), ('Get', ''))
    )
    assert f'imagebuilder:StartImagePipelineExecution on resource: {made.arn}' in denied(
        caller(look).start_image_pipeline_execution, **asked
    )
    assert 'imagebuilder:GetImagePipeline' in denied(caller(start).start_image_pipeline_execution, **asked)
    may = caller(start, look, allow('imagebuilder:GetImage'))
    arn = may.start_image_pipeline_execution(clientToken=unique('token'), **asked)['imageBuildVersionArn']
    assert may.get_image(imageBuildVersionArn=arn)['image']['arn'] == arn
    until(lambda: made.image(arn)['state']['status'] == 'AVAILABLE', 'the image')


def test_an_instance_profile_is_passed_only_by_who_may(hosted: Cloud, caller: Any) -> None:
    own, name = profile(hosted), unique('infrastructure')
    asked = {'name': name, 'instanceProfileName': own}
    create = allow('imagebuilder:CreateInfrastructureConfiguration')
    assert f'iam:PassRole on resource: arn:aws:iam::000000000000:role/{own}' in denied(
        caller(create).create_infrastructure_configuration, **asked
    )
    passed = {**allow('iam:PassRole'), 'Condition': {'StringEquals': {'iam:PassedToService': 'ec2.amazonaws.com'}}}
    caller(create, passed).create_infrastructure_configuration(clientToken=unique('token'), **asked)
    with refused('ResourceAlreadyExistsException', name):
        hosted.client('imagebuilder').create_infrastructure_configuration(clientToken=unique('token'), **asked)


def test_a_secret_without_a_value_has_none(hosted: Cloud) -> None:
    stack, secrets = Stack(hosted), hosted.client('secretsmanager')
    assert stack.create({'Key': {'Type': 'AWS::SecretsManager::Secret', 'Properties': {}}}) == 'CREATE_COMPLETE'
    with refused('ResourceNotFoundException', 'AWSCURRENT'):
        secrets.get_secret_value(SecretId=stack.ids()['Key'])
    secrets.put_secret_value(SecretId=stack.ids()['Key'], SecretString='key')
    assert secrets.get_secret_value(SecretId=stack.ids()['Key'])['SecretString'] == 'key'
    stack.delete()
