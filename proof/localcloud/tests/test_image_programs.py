"""The programs that build images, as the constructs have them called: on hosts, with their mirror and its record."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Cloud, start_cloud, stop_cloud
from image_builds import Pipeline, base
from one_stack import deploy, needs_node, publish, synthesize

pytestmark = needs_node
STACK = 'LustreImage'


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    folder = tmp_path_factory.mktemp('image')
    running = start_cloud(folder / 'state')
    try:
        template = synthesize(STACK, folder / 'cdk.out')
        publish(running, STACK, folder / 'cdk.out')
        deploy(running, STACK, template, BaseImageOfImage=base(running))
        yield running
    finally:
        stop_cloud(running)


@pytest.fixture(scope='module')
def made(cloud: Cloud) -> Pipeline:
    [found] = cloud.client('imagebuilder').list_image_pipelines()['imagePipelineList']
    return Pipeline(cloud, str(found['name']), str(found['arn']))


def test_x(made: Pipeline) -> None:
    import shutil
    image = made.build()
    print(image['state'])
    print('\n'.join(made.log(image)))
    for one in made.instances(image['arn']) if made.log(image) else []:
        log = made.cloud.state / 'hosts' / one['InstanceId'] / 'var/log/tools.log'
        shutil.copy(log, '/work/tmp/standins/'+one['InstanceId'])
    assert image['state'] == {'status': 'AVAILABLE'}
