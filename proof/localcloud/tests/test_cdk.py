"""The plain cdk command against the embedded AWS: bootstrap, deploy, destroy of a small app (tests/app)."""

from concurrent.futures import Future

import pytest

from cdk_story import CDK


@pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')
def test_bootstrap_deploy_and_destroy(story: 'Future[None]') -> None:
    story.result()
