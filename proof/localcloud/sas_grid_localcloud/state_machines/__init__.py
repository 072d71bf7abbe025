"""State machines whose definition Step Functions refuses are refused, by its API and by CloudFormation."""

import json
from typing import Any

from ministack.services import stepfunctions
from ministack.services.cloudformation import provisioners

from ..cloudformation import registry
from . import time_limits
from .judge import errors_in, stop

__all__ = ['errors_in', 'install', 'refusal_of', 'stop']

_TYPE = 'AWS::StepFunctions::StateMachine'


def refusal_of(definition: str) -> str | None:
    """The message of InvalidDefinition, or None."""
    try:
        errors = errors_in(json.loads(definition))
    except ValueError as problem:
        errors = [f'INVALID_JSON_DESCRIPTION: {problem}']
    return f"Invalid State Machine Definition: '{'; '.join(errors)}'" if errors else None


def install() -> None:
    """Look at every definition that is made or changed, and at how long executions take."""
    time_limits.install()
    own_validate, own_definition = stepfunctions._validate_definition_jsonata, provisioners._sfn_definition

    def validate(definition: Any) -> str | None:
        return own_validate(definition) or (refusal_of(definition) if isinstance(definition, str) else None)

    def from_template(properties: registry.Properties) -> Any:
        definition = own_definition(properties)
        refusal = refusal_of(definition)
        if refusal:
            raise ValueError(f'{refusal} (Service: Sfn, Status Code: 400, InvalidDefinition)')
        return definition

    stepfunctions._validate_definition_jsonata = validate
    provisioners._sfn_definition = from_template
    registry.run_on_thread(_TYPE)
