"""Workflows of an image: what of AWS's own ones ran, step by step.

The steps and their actions: EC2 Image Builder User Guide, "Manage build and test workflows" and "Supported step
actions"; those of the distribution are named after their actions. Versions of the workflows are made up.
"""

import json
import uuid
from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_region

from .. import history
from ..query import Refused
from .failures import Cancelled, Failed
from .listing import listed
from .state import IMAGES, Record, Request, found, now, shown

STEPS = {
    'build-image': (
        ('LaunchBuildInstance', 'LaunchInstance'),
        ('ApplyBuildComponents', 'ExecuteComponents'),
        ('InventoryCollection', 'CollectImageMetadata'),
        ('RunSanitizeScript', 'SanitizeInstance'),
        ('RunSysPrepScript', 'RunSysPrep'),
        ('CreateOutputAMI', 'CreateImage'),
        ('TerminateBuildInstance', 'TerminateInstance'),
    ),
    'test-image': (
        ('LaunchTestInstance', 'LaunchInstance'),
        ('CollectImageScanFindings', 'CollectImageScanFindings'),
        ('ApplyTestComponents', 'ExecuteComponents'),
        ('TerminateTestInstance', 'TerminateInstance'),
    ),
    'distribute-image': (
        ('DistributeImage', 'DistributeImage'),
        ('ApplyImageConfigurations', 'ApplyImageConfigurations'),
    ),
}
_TYPES = {'build-image': 'BUILD', 'test-image': 'TEST', 'distribute-image': 'DISTRIBUTION'}
_LONGEST = 500
"""of a message"""


class Workflow:
    """One that runs."""

    def __init__(self, image: Record, name: str) -> None:
        self.image, self.type = image, _TYPES[name]
        stem = f'arn:aws:imagebuilder:{get_region()}:aws:workflow/{self.type.lower()}/{name}'
        self.record: Record = {
            'workflowBuildVersionArn': f'{stem}/1.0.2/1',
            'workflowExecutionId': f'wf-{uuid.uuid4()}',
            'type': self.type,
            'status': 'RUNNING',
            'totalStepCount': len(STEPS[name]),
            'totalStepsSucceeded': 0,
            'totalStepsFailed': 0,
            'totalStepsSkipped': 0,
            'startTime': now(),
            '_steps': [
                {'stepExecutionId': f'step-{uuid.uuid4()}', 'name': step, 'action': action, 'status': 'PENDING'}
                for step, action in STEPS[name]
            ],
        }
        image['_workflows'].append(self.record)

    @property
    def id(self) -> str:
        return str(self.record['workflowExecutionId'])

    def step(self, name: str, act: Callable[[], Record], **inputs: Any) -> Record:
        """Run a step; its outputs."""
        step = self._step(name)
        step.update(status='RUNNING', startTime=now(), attemptNumber=1, maxAttempts=1)
        if inputs:
            step['inputs'] = json.dumps(inputs)
        try:
            outputs = act()
        except Failed as failed:
            self._end(step, 'FAILED', failed.message)
            failed.context = {**self._where(step), **failed.context}
            raise
        except Refused as refused:
            self._end(step, 'FAILED', str(refused))
            raise Failed(str(refused), self._where(step)) from refused
        except Cancelled:
            self._end(step, 'CANCELLED')
            raise
        step.update(outputs=json.dumps(outputs))
        self._end(step, 'COMPLETED')
        return outputs

    def skip(self, name: str) -> None:
        """There is nothing for this step to do."""
        step = self._step(name)
        step['startTime'] = now()
        self._end(step, 'SKIPPED')

    def end(self, status: str, message: str = '') -> None:
        """It is over. What did not begin stays pending."""
        self.record.update(status=status, endTime=now())
        if message:
            self.record['message'] = message[:_LONGEST]
        history.record('image-workflow', self.id, 'RUNNING', status, image=self.image['arn'], type=self.type)

    def rolled_back(self, how: str) -> None:
        """The instance that the first step has launched is gone again, or was left."""
        self.record['_steps'][0]['rollbackStatus'] = how

    def _step(self, name: str) -> Record:
        return next(step for step in self.record['_steps'] if step['name'] == name)

    def _where(self, step: Record) -> Record:
        return {
            'imageStatus': self.image['state']['status'],
            'workflowExecutionId': self.id,
            'workflowArn': self.record['workflowBuildVersionArn'],
            'stepExecutionId': step['stepExecutionId'],
            'failedStep': step['name'],
        }

    def _end(self, step: Record, status: str, message: str = '') -> None:
        step.update(status=status, endTime=now())
        if message:
            step['message'] = message[:_LONGEST]
        counts = {'COMPLETED': 'totalStepsSucceeded', 'FAILED': 'totalStepsFailed', 'SKIPPED': 'totalStepsSkipped'}
        if status in counts:
            self.record[counts[status]] += 1
        about = {'workflow': self.id, 'image': self.image['arn']}
        history.record(
            'image-step', step['name'], 'RUNNING', status, **about, **({'reason': message} if message else {})
        )


def list_executions(request: Request) -> Record:
    """ListWorkflowExecutions, the newest first."""
    image = found(IMAGES, str(request['imageBuildVersionArn']), 'image')
    answer = listed('workflowExecutions', list(reversed(image['_workflows'])), request)
    reason = image['state'].get('reason')
    more = {'message': reason[:_LONGEST]} if reason else {}
    return {**answer, 'imageBuildVersionArn': image['arn'], **more}


def list_steps(request: Request) -> Record:
    """ListWorkflowStepExecutions, in their order."""
    image, workflow = _find(str(request['workflowExecutionId']))
    return {**listed('steps', workflow['_steps'], request), **_of(image, workflow)}


def get_execution(request: Request) -> Record:
    """GetWorkflowExecution."""
    image, workflow = _find(str(request['workflowExecutionId']))
    return {**shown(workflow), 'imageBuildVersionArn': image['arn']}


def get_step(request: Request) -> Record:
    """GetWorkflowStepExecution."""
    identity = str(request['stepExecutionId'])
    for image in IMAGES.values():
        for workflow in image['_workflows']:
            for step in workflow['_steps']:
                if step['stepExecutionId'] == identity:
                    return {**shown(step), **_of(image, workflow), 'onFailure': 'Abort'}
    raise Refused('ResourceNotFoundException', f'The step {identity} does not exist.', 404)


def _find(identity: str) -> tuple[Record, Record]:
    for image in IMAGES.values():
        for workflow in image['_workflows']:
            if workflow['workflowExecutionId'] == identity:
                return image, workflow
    raise Refused('ResourceNotFoundException', f'The workflow execution {identity} does not exist.', 404)


def _of(image: Record, workflow: Record) -> Record:
    names = ('workflowBuildVersionArn', 'workflowExecutionId')
    return {**{name: workflow[name] for name in names}, 'imageBuildVersionArn': image['arn']}
