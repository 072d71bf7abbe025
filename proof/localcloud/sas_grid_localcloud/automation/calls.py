"""Calls that steps of runbooks, and schedules, make: with botocore, under their role, to this embedded AWS."""

import os
from typing import Any

import botocore.exceptions
import botocore.session
from botocore.config import Config
from ministack.core.responses import get_region

from ..permissions import callers

AGENT = 'ssm-automation'


class Failed(Exception):
    """A step failed."""


def call(role_arn: str, service: str, api: str, request: dict[str, Any], agent: str = AGENT) -> dict[str, Any]:
    """The answer to one call. Raises Failed with AWS's words."""
    try:
        session = botocore.session.get_session()
        client = session.create_client(
            service,
            region_name=get_region(),
            endpoint_url=os.environ['AWS_ENDPOINT_URL'],
            aws_access_key_id=callers.key_for(role_arn),
            aws_secret_access_key='test',
            config=Config(user_agent_extra=agent, retries={'total_max_attempts': 5, 'mode': 'standard'}),
        )
        answer: dict[str, Any] = client._make_api_call(api, request)
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
        raise Failed(str(error)) from None
    return answer
