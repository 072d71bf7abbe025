"""The API of Image Builder: REST with JSON. Each operation has a path of its own, tags have those of their resource."""

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from ministack import app
from ministack.core import router

from ..query import Answer, Refused
from ..throttling import refuses
from . import building, components, configurations, images, pipelines, policies, recipes, rights, workflows
from .configurations import DISTRIBUTIONS, INFRASTRUCTURES
from .state import Record, Request, invalid, tagged

SERVICE = 'imagebuilder'

OPERATIONS: dict[str, Callable[[Request], Record]] = {
    'CancelImageCreation': building.cancel,
    'CreateComponent': components.create,
    'CreateDistributionConfiguration': configurations.create_distribution,
    'CreateImage': pipelines.create_image,
    'CreateImagePipeline': pipelines.create,
    'CreateImageRecipe': recipes.create,
    'CreateInfrastructureConfiguration': configurations.create_infrastructure,
    'CreateLifecyclePolicy': policies.create,
    'DeleteComponent': components.delete,
    'DeleteDistributionConfiguration': DISTRIBUTIONS.delete,
    'DeleteImage': images.delete,
    'DeleteImagePipeline': pipelines.delete,
    'DeleteImageRecipe': recipes.delete,
    'DeleteInfrastructureConfiguration': INFRASTRUCTURES.delete,
    'DeleteLifecyclePolicy': policies.delete,
    'GetComponent': components.get,
    'GetDistributionConfiguration': DISTRIBUTIONS.get,
    'GetImage': images.get,
    'GetImagePipeline': pipelines.get,
    'GetImageRecipe': recipes.get,
    'GetInfrastructureConfiguration': INFRASTRUCTURES.get,
    'GetLifecyclePolicy': policies.get,
    'GetWorkflowExecution': workflows.get_execution,
    'GetWorkflowStepExecution': workflows.get_step,
    'ListComponentBuildVersions': components.list_builds,
    'ListComponents': components.list_all,
    'ListDistributionConfigurations': DISTRIBUTIONS.list_all,
    'ListImageBuildVersions': images.list_builds,
    'ListImagePipelineImages': images.list_of_pipeline,
    'ListImagePipelines': pipelines.list_all,
    'ListImageRecipes': recipes.list_all,
    'ListImages': images.list_all,
    'ListInfrastructureConfigurations': INFRASTRUCTURES.list_all,
    'ListLifecyclePolicies': policies.list_all,
    'ListWorkflowExecutions': workflows.list_executions,
    'ListWorkflowStepExecutions': workflows.list_steps,
    'StartImagePipelineExecution': pipelines.start,
    'UpdateDistributionConfiguration': configurations.update_distribution,
    'UpdateImagePipeline': pipelines.update,
    'UpdateInfrastructureConfiguration': configurations.update_infrastructure,
    'UpdateLifecyclePolicy': policies.update,
}


def install() -> None:
    """Put the service into ministack."""
    rights.install()
    router.SERVICE_PATTERNS[SERVICE] = {'host_patterns': [r'imagebuilder\.']}
    app.SERVICE_HANDLERS[SERVICE] = _handle_request


async def _handle_request(
    method: str, path: str, headers: Mapping[str, str], body: bytes, query: Mapping[str, Any]
) -> Answer:
    try:
        return _answer(200, call(method, path, body, query))
    except Refused as refused:
        told = {'__type': refused.code, 'code': refused.code, 'message': refused.message}
        return _answer(refused.status, told)


def call(method: str, path: str, body: bytes, query: Mapping[str, Any]) -> Record:
    """One request. Raises Refused."""
    flat = {name: value[0] if isinstance(value, list) and name != 'tagKeys' else value for name, value in query.items()}
    request: Record = {**flat, **(json.loads(body) if body else {})}
    if path.startswith('/tags/'):
        return _tags(method, unquote(path).removeprefix('/tags/'), request)
    name = path.strip('/')
    handle = OPERATIONS.get(name)
    if handle is None:
        raise invalid(f'{name} is not implemented by the embedded AWS')
    if refuses(name):
        raise Refused('CallRateLimitExceededException', 'Rate exceeded', 429)
    if request.get('dryRun'):
        raise invalid('dryRun is not implemented by the embedded AWS')
    return {'requestId': str(uuid.uuid4()), **handle(request)}


def _tags(method: str, arn: str, request: Request) -> Record:
    """ListTagsForResource, TagResource and UntagResource."""
    resource = tagged(arn)
    if method == 'POST':
        resource['tags'] = {**resource['tags'], **request['tags']}
    elif method == 'DELETE':
        keys = request.get('tagKeys') or []
        gone = keys if isinstance(keys, list) else [keys]
        resource['tags'] = {key: value for key, value in resource['tags'].items() if key not in gone}
    else:
        return {'tags': resource['tags']}
    return {}


def _answer(status: int, data: Mapping[str, Any]) -> Answer:
    headers = {'Content-Type': 'application/json'}
    if status >= 400:
        headers['x-amzn-ErrorType'] = str(data['code'])
    return status, headers, json.dumps(data, default=str).encode()
