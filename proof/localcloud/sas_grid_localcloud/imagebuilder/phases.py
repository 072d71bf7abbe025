"""The phases of components, one component after the other, on one host."""

from dataclasses import dataclass, field
from typing import Any

from ..faults import image_builds
from ..permissions import Denied
from ..permissions.check import Check
from . import actions, components, rights
from .actions import Host, Outcome
from .document import Document, Step
from .failures import Cancelled, Failed, of_component
from .references import Unknown, resolved
from .state import COMPONENTS, Record, found

Steps = dict[tuple[str, str], dict[str, Any]]


@dataclass
class Phases:
    """The components of one image, and what is logged of them."""

    image: Record
    log: list[str] = field(default_factory=list)

    def any(self, wanted: tuple[str, ...]) -> bool:
        """Whether a component has one of these phases."""
        return any(set(components.document_of(self._component(one)).phases) & set(wanted) for one in self._chosen)

    def run(self, host: Host, wanted: tuple[str, ...]) -> None:
        """Run these phases of each component, in the order of the documents.

        :raises Failed: with the first step that failed
        """
        role = rights.of_instance(host.instance_id)
        for one in self._chosen:
            component = self._component(one)
            try:
                # AWSTOE gets the document itself, with the role of the instance.
                rights.require(role, [Check('imagebuilder:GetComponent', component['arn'])])
            except Denied as denied:
                raise Failed(f'AccessDeniedException: {denied}') from denied
            document = components.document_of(component)
            given = {str(each['name']): each['value'] for each in one.get('parameters') or []}
            self._document(host, component['arn'], document, _names(document, given), wanted)

    @property
    def _chosen(self) -> list[Record]:
        return list(self.image['_components'])

    def _component(self, one: Record) -> Record:
        return found(COMPONENTS, one['componentArn'], 'component')

    def _document(self, host: Host, arn: str, document: Document, names: Record, wanted: tuple[str, ...]) -> None:
        self.log.append(f'Document {arn}')
        steps: Steps = {}
        failed: Failed | None = None
        for phase, listed in document.phases.items():
            if phase not in wanted:
                continue
            self.log.append(f'Phase {phase}')
            for step in listed:
                problem = self._step(host, arn, phase, step, names, steps)
                if problem is None or step.on_failure == 'Ignore':
                    continue
                failed = failed or problem
                if step.on_failure == 'Abort':
                    raise failed
        if failed is not None:
            raise failed

    def _step(self, host: Host, arn: str, phase: str, step: Step, names: Record, steps: Steps) -> Failed | None:
        """Run a step, as often as it may. What it failed with, if it did."""
        self.log.append(f'Step {step.name}')
        outcome = Outcome('it was not run')
        for attempt in range(1, step.attempts + 1):
            try:
                inputs = resolved(step.inputs, names, steps)
                outcome = self._once(host, step, inputs)
            except Unknown as unknown:
                inputs, outcome = step.inputs, Outcome(f'{unknown} has no value')
            steps[phase, step.name] = {'inputs': inputs, 'outputs': outcome.outputs}
            self.log += [f'Stdout: {line}' for line in outcome.out.splitlines()]
            self.log += [f'Stderr: {line}' for line in outcome.err.splitlines()]
            if not outcome.error:
                return None
            self.log.append(f'{step.name} attempt {attempt} of {step.attempts}: {outcome.error}')
        self.log += [f'ComponentArn: {arn}', f'Phase: {phase}', f'Step: {step.name}', f'Action: {step.action}']
        self.log.append(f'ErrorMessage: {outcome.error}')
        return of_component(arn, phase, step.name, step.action, outcome.error)

    def _once(self, host: Host, step: Step, inputs: Any) -> Outcome:
        if image_builds.fails(step.name):
            return Outcome('exit status 1', err='a fault was asked for')
        if image_builds.hangs(step.name):
            host.waiting.until(lambda: not image_builds.hangs(step.name))
        if host.cancelled.is_set():
            raise Cancelled
        return actions.run(host, step, inputs)


def _names(document: Document, given: Record) -> Record:
    """The values of parameters and constants."""
    values = {**document.constants}
    for name, about in document.parameters.items():
        value = given.get(name, about.get('default'))
        values[name] = value[0] if isinstance(value, list) and len(value) == 1 else value
    return values
