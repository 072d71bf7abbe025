"""The programs that build images, as the constructs have them called: on hosts, with their mirror and its record."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from one_stack import deploy, needs_node, publish, synthesize

from conftest import Cloud, start_cloud, stop_cloud, unique
from image_builds import Pipeline, base

pytestmark = needs_node
STACK = 'LustreImage'
RECORD = 'recorded.tsv'


@dataclass
class Built:
    """A pipeline, and the image that it has built first."""

    cloud: Cloud
    pipeline: Pipeline
    image: dict[str, Any]

    @property
    def ami(self) -> str:
        return str(self.image['outputResources']['amis'][0]['image'])

    @property
    def contents(self) -> Path:
        """What is in the image."""
        return self.cloud.state / 'images' / self.ami

    @property
    def software(self) -> str:
        """The SHA-256 of the host software, as the image is tagged."""
        [shown] = self.cloud.client('ec2').describe_images(ImageIds=[self.ami])['Images']
        return str({tag['Key']: tag['Value'] for tag in shown['Tags']}['cdk-sas-grid:host-software'])

    @property
    def mirror(self) -> str:
        names = [bucket['Name'] for bucket in self.cloud.client('s3').list_buckets()['Buckets']]
        return str(next(name for name in names if 'mirrorbucket' in name))

    def objects(self) -> dict[str, bytes]:
        """The mirror, by key."""
        s3 = self.cloud.client('s3')
        keys = [one['Key'] for one in s3.list_objects_v2(Bucket=self.mirror)['Contents']]
        return {key: s3.get_object(Bucket=self.mirror, Key=key)['Body'].read() for key in keys}

    def key(self) -> str:
        """The value of the secret."""
        client = self.cloud.client('secretsmanager')
        [secret] = client.list_secrets()['SecretList']
        return str(client.get_secret_value(SecretId=secret['ARN'])['SecretString'])

    def amis(self) -> list[str]:
        """All images of this account."""
        return [one['ImageId'] for one in self.cloud.client('ec2').describe_images(Owners=['self'])['Images']]


@pytest.fixture(scope='module')
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp('image')
    running = start_cloud(folder / 'state')
    try:
        template = synthesize(STACK, folder / 'cdk.out')
        publish(running, STACK, folder / 'cdk.out')
        deploy(running, STACK, template, BaseImageOfImage=base(running))
        [found] = running.client('imagebuilder').list_image_pipelines()['imagePipelineList']
        pipeline = Pipeline(running, str(found['name']), str(found['arn']))
        image = pipeline.build()
        assert image['state'] == {'status': 'AVAILABLE'}, pipeline.log(image)
        # What the builds after it are about comes before the tests of an image.
        pipeline.client.update_image_pipeline(
            imagePipelineArn=pipeline.arn,
            imageRecipeArn=found['imageRecipeArn'],
            infrastructureConfigurationArn=found['infrastructureConfigurationArn'],
            imageTestsConfiguration={'imageTestsEnabled': False},
            clientToken=unique('token'),
        )
        yield Built(running, pipeline, image)
    finally:
        stop_cloud(running)


def lines(mirror: dict[str, bytes]) -> dict[str, list[str]]:
    """The lines of the record by file."""
    [record] = [content for key, content in mirror.items() if key.endswith(f'/{RECORD}')]
    return {line.split('\t')[0]: line.split('\t') for line in record.decode().splitlines()}


def test_a_host_from_the_image_finds_its_software_and_its_kernel_and_nothing_of_the_build(built: Built) -> None:
    software = built.contents / 'usr/share/cdk-sas-grid' / built.software
    assert {'bin/sas-grid-serve', 'lib/lustre.sh'} <= {str(one.relative_to(software)) for one in software.rglob('*')}
    kernels = [one.name.removeprefix('vmlinuz-') for one in (built.contents / 'boot').glob('vmlinuz-*')]
    assert [f'saved_entry={kernel}\n' for kernel in kernels] == [
        (built.contents / 'boot/grub2/grubenv').read_text(encoding='utf-8')
    ]
    assert 'kernel*' in (built.contents / 'etc/dnf/dnf.conf').read_text(encoding='utf-8')
    installed = (built.contents / 'var/lib/packages').read_text(encoding='utf-8').split()
    assert {'amazon-ssm-agent', 'kmod-lustre', 'lustre', 'mdadm'} <= set(installed)
    assert not {'rpm-sign', 'createrepo_c'} & set(installed)
    assert (built.contents / 'etc/machine-id').read_text(encoding='utf-8') == ''
    for gone in ('var/lib/sas-grid-image', 'etc/yum.repos.d/sas-grid-mirror.repo'):
        assert not (built.contents / gone).exists()


def test_the_image_is_tried_before_it_counts(built: Built) -> None:
    log = built.pipeline.log(built.image)
    assert 'Stderr: image-test: good: Lustre serves, and a client reads what it wrote' in log
    assert 'Stderr: image-test: good: the kernel is the one of the image' in log


def test_the_mirror_has_each_package_that_its_record_names_and_the_key_that_signed_is_a_secret(built: Built) -> None:
    mirror = built.objects()
    record = lines(mirror)
    for file, _, _, stored in record.values():
        assert f'lustre-server/9.7/packages/{stored}/{file}' in mirror
    signed = {line[0].split('-')[0] for line in record.values() if line[1] != line[3]}
    assert signed == {'amazon', 'e2fsprogs', 'kernel', 'kmod', 'lustre'}
    assert built.key().startswith('-----BEGIN PGP PRIVATE KEY BLOCK-----\n')


def test_a_second_build_fetches_nothing_and_changes_nothing_in_the_mirror(built: Built) -> None:
    mirror, key = built.objects(), built.key()
    image = built.pipeline.build()
    log = built.pipeline.log(image)
    assert image['state'] == {'status': 'AVAILABLE'}, log
    nothing = 'Stderr: image-packages: the mirror has all that is wanted; nothing is fetched from elsewhere'
    assert nothing in log
    assert (built.objects(), built.key()) == (mirror, key)


def test_a_package_of_the_mirror_that_was_changed_fails_the_build_and_nothing_else_changes(built: Built) -> None:
    before, amis = built.objects(), built.amis()
    key = next(one for one in before if '/lustre-2' in one)
    harmed = {**before, key: before[key].replace(b'VERSION', b'VERSI0N')}
    built.cloud.client('s3').put_object(Bucket=built.mirror, Key=key, Body=harmed[key])
    image = built.pipeline.build()
    failure = image['state']['failureContext']['componentFailure']
    assert (failure['phaseName'], failure['stepName']) == ('build', 'Packages')
    # AWSTOE tells how a script ended, and what it said is in the log.
    [why] = [line for line in built.pipeline.log(image) if "the mirror's record has" in line][:1]
    assert f's3://{built.mirror}/{key}' in why
    assert (built.objects(), built.amis()) == (harmed, amis)
