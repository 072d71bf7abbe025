"""Executions: each builds one image, on a thread of its own."""

import contextlib
import logging
import threading
import time
import uuid
from collections.abc import Callable

from ministack.core.responses import get_region
from ministack.services import ec2

from ..ec2 import call
from ..hosts import folders, kind
from ..query import Refused
from ..scope import in_scope
from . import distributing, images, instances, logs, recipes, rights
from .actions import Host
from .failures import Cancelled, Failed
from .phases import Phases
from .state import IMAGES, Record, Request, found
from .tokens import once
from .workflows import Workflow

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_running: dict[str, 'Build'] = {}
"""by the ARN of the image"""


def begin(arn: str) -> None:
    """Start to build an image that was made."""
    build = Build(found(IMAGES, arn, 'image'))
    with _lock:
        _running[arn] = build
    threading.Thread(target=in_scope(build.run), name=f'image-{arn.split(":")[-1]}', daemon=True).start()


@once
def cancel(request: Request) -> Record:
    """CancelImageCreation: the answer comes at once, the end later. What was made stays (model)."""
    arn = str(request['imageBuildVersionArn'])
    images.require_running(arn)
    with _lock:
        build = _running.get(arn)
    if build is not None:
        build.cancel()
    return {'imageBuildVersionArn': arn}


class Build:
    """One execution."""

    def __init__(self, image: Record) -> None:
        self._image = image
        self._cancelled = threading.Event()
        self._killing: list[Callable[[], None]] = []
        self._waiting = instances.Waiting(self._cancelled)
        self._phases = Phases(image)
        self._started = time.time()
        self._instance = ''

    def cancel(self) -> None:
        """End what runs."""
        self._cancelled.set()
        for kill in list(self._killing):
            kill()

    def run(self) -> None:
        """Build, test and distribute. Whatever happens, the image ends in one of its final states."""
        image = self._image
        try:
            ami = self._all()
            image['outputResources'] = {'amis': [images.output(ami, get_region())]}
            images.move(image, 'AVAILABLE')
        except Cancelled:
            images.move(image, 'CANCELLED', 'The creation of the image was cancelled')
        except Failed as failed:
            context = {'imageStatus': image['state']['status'], **failed.context}
            images.move(image, 'FAILED', failed.message, context)
        except Exception as problem:
            _log.exception('the build of %s failed', image['arn'])
            images.move(image, 'FAILED', f'{problem}', {'imageStatus': image['state']['status']})
        finally:
            with _lock:
                _running.pop(image['arn'], None)

    def _all(self) -> str:
        image = self._image
        images.move(image, 'CREATING')
        try:
            base = recipes.base_image(image['imageRecipe']['parentImage'])
        except Refused as refused:
            raise Failed(str(refused)) from refused
        images.move(image, 'BUILDING')
        ami = self._in_workflow('build-image', lambda workflow: self._build(workflow, base))
        if image['imageTestsConfiguration']['imageTestsEnabled']:
            images.move(image, 'TESTING')
            self._in_workflow('test-image', lambda workflow: self._test(workflow, ami))
        images.move(image, 'DISTRIBUTING')
        return self._in_workflow('distribute-image', lambda workflow: self._distribute(workflow, ami))

    def _in_workflow(self, name: str, work: Callable[[Workflow], str]) -> str:
        """What the work gives; the instance that it leaves when it fails is terminated, if it may be."""
        workflow = Workflow(self._image, name)
        self._instance = ''
        try:
            result = work(workflow)
        except Cancelled:
            instances.terminate(self._instance)
            workflow.end('CANCELLED')
            raise
        except Failed as failed:
            self._roll_back(workflow, failed)
            raise self._told(workflow, failed) from failed
        workflow.end('COMPLETED')
        return result

    def _roll_back(self, workflow: Workflow, failed: Failed) -> None:
        gone = bool(self._image['infrastructureConfiguration']['terminateInstanceOnFailure'])
        if self._instance and gone:
            instances.terminate(self._instance)
        if self._instance:
            workflow.rolled_back('COMPLETED' if gone else 'SKIPPED')
        workflow.end('ROLLBACK_COMPLETED' if self._instance and gone else 'FAILED', failed.message)

    def _told(self, workflow: Workflow, failed: Failed) -> Failed:
        """The reason in the words of Image Builder (User Guide, "failure context")."""
        if 'distributionFailure' in failed.context:
            about = f"JobId '{uuid.uuid4()}', status = 'Failed' for ARN '{self._image['arn']}'"
            return Failed(f'Integration failed with {about}. {failed.message}', failed.context)
        return Failed(f"Workflow Execution ID: '{workflow.id}' failed with reason: {failed.message}", failed.context)

    def _build(self, workflow: Workflow, base: str) -> str:
        workflow.step('LaunchBuildInstance', lambda: self._launch(base, 'Build'), waitFor='ssmAgent')
        self._apply(workflow, 'ApplyBuildComponents', ('build', 'validate'))
        if self._image['enhancedImageMetadataEnabled']:
            workflow.step('InventoryCollection', self._look, instanceId=self._instance)
        else:
            workflow.skip('InventoryCollection')
        # What belongs to one boot is in no image here (hosts/contents.py).
        workflow.step('RunSanitizeScript', dict, instanceId=self._instance)
        workflow.skip('RunSysPrepScript')
        ami = str(workflow.step('CreateOutputAMI', self._make_ami, instanceId=self._instance)['imageId'])
        workflow.step('TerminateBuildInstance', self._terminate, instanceId=self._instance)
        return ami

    def _test(self, workflow: Workflow, ami: str) -> str:
        workflow.step('LaunchTestInstance', lambda: self._launch(ami, 'Test'), waitFor='ssmAgent')
        workflow.skip('CollectImageScanFindings')
        self._apply(workflow, 'ApplyTestComponents', ('test',))
        workflow.step('TerminateTestInstance', self._terminate, instanceId=self._instance)
        return ami

    def _distribute(self, workflow: Workflow, ami: str) -> str:
        workflow.step('DistributeImage', lambda: distributing.distribute(self._image, ami))
        if distributing.here(self._image).get('ssmParameterConfigurations'):
            images.move(self._image, 'INTEGRATING')
            workflow.step('ApplyImageConfigurations', lambda: distributing.put_parameters(self._image, ami))
        else:
            workflow.skip('ApplyImageConfigurations')
        return ami

    def _launch(self, ami: str, purpose: str) -> Record:
        if not hosts_are_here():
            raise Failed('the embedded AWS was started without hosts: nothing can be built on its instances')
        self._instance = instances.start(self._image, ami, purpose)
        self._waiting.for_agent(self._instance)
        return {'instanceId': self._instance}

    def _apply(self, workflow: Workflow, step: str, wanted: tuple[str, ...]) -> None:
        if not self._phases.any(wanted):
            workflow.skip(step)
            return
        folder = str(self._image['imageRecipe'].get('workingDirectory') or '/tmp')
        host = Host(self._instance, folder, self._cancelled, self._killing)

        def act() -> Record:
            self._phases.log.clear()
            try:
                self._phases.run(host, wanted)
            except (Cancelled, Failed):
                with contextlib.suppress(Failed):
                    self._write_log(workflow, step)
                raise
            self._write_log(workflow, step)
            return {}

        workflow.step(step, act, instanceId=self._instance)

    def _write_log(self, workflow: Workflow, step: str) -> None:
        logs.write(self._image, rights.of_instance(self._instance), workflow.id, step, self._phases.log)

    def _look(self) -> Record:
        """The system that the host is."""
        text = kind.current().read_file(self._instance, '/etc/os-release').decode()
        told = dict(line.split('=', 1) for line in text.replace('"', '').splitlines() if '=' in line)
        self._image['osVersion'] = f'{told.get("NAME", "Linux")} {told.get("VERSION_ID", "")}'.strip()
        return {'osVersion': self._image['osVersion']}

    def _make_ami(self) -> Record:
        instances.stop(self._instance, self._waiting)
        tags = {**(self._image['imageRecipe'].get('amiTags') or {}), **instances.tags_of(self._image)}
        request = {
            'InstanceId': self._instance,
            'Name': distributing.ami_name(self._image, self._started),
            'Description': self._image['imageRecipe'].get('description') or '',
            'TagSpecification': [
                {'ResourceType': what, 'Tag': instances.tag_list(tags)} for what in ('image', 'snapshot')
            ],
        }
        ami = str(call('CreateImage', request)['imageId'])
        self._waiting.until(lambda: ec2._images[ami]['State'] == 'available')
        return {'imageId': ami}

    def _terminate(self) -> Record:
        instances.terminate(self._instance)
        self._waiting.for_state(self._instance, 'terminated')
        return {}


def hosts_are_here() -> bool:
    """Whether this embedded AWS has hosts."""
    try:
        return folders.state().is_dir()
    except RuntimeError:
        return False
