"""Definitions that Step Functions refuses are refused, by its API and in a template."""

import json
from typing import Any

import pytest

from conftest import Cloud, unique
from errors import refused
from stacks import Stack

END: dict[str, Any] = {'Type': 'Pass', 'End': True}
FUNCTION = 'arn:aws:lambda:us-east-1:000000000000:function:f'
TASK: dict[str, Any] = {'Type': 'Task', 'Resource': FUNCTION, 'End': True}
ROLE = 'arn:aws:iam::000000000000:role/states'


def machine(first: dict[str, Any], **others: dict[str, Any]) -> dict[str, Any]:
    return {'StartAt': 'First', 'States': {'First': first, **others}}


WRONG = {
    'a target that does not exist': (machine({'Type': 'Pass', 'Next': 'Gone'}), 'MISSING_TRANSITION_TARGET'),
    'a start that does not exist': ({'StartAt': 'Gone', 'States': {'First': END}}, 'Gone'),
    'a target of an error': (machine({**TASK, 'Catch': [{'ErrorEquals': ['E'], 'Next': 'Gone'}]}), 'Gone'),
    'a target of a choice': (
        machine({'Type': 'Choice', 'Choices': [{'Variable': '$.a', 'IsNull': True, 'Next': 'Gone'}]}),
        'Gone',
    ),
    'a target inside of a map': (
        machine({'Type': 'Map', 'End': True, 'ItemProcessor': machine({'Type': 'Pass', 'Next': 'Gone'})}),
        'Gone',
    ),
    'no end': (machine({'Type': 'Pass', 'Next': 'Second'}, Second={'Type': 'Pass', 'Next': 'First'}), 'TERMINAL'),
    'neither next nor end': (machine({'Type': 'Pass'}), 'TERMINAL'),
    'both next and end': (machine({**END, 'Next': 'First'}), 'TERMINAL_STATE_WITH_NEXT'),
    'a state that nothing leads to': (machine(END, Second=END), 'not reachable'),
    'a field of a state that does not exist': (machine({**TASK, 'Timeout': 5}), 'SCHEMA_VALIDATION_FAILED'),
    'a field that does not exist': ({**machine(END), 'Start': 'First'}, 'additional properties'),
    'a type that does not exist': (machine({'Type': 'Step', 'End': True}), 'SCHEMA_VALIDATION_FAILED'),
    'a path that cannot be read': (machine({**END, 'InputPath': '$.a['}), 'asl_path'),
    'a path in a template': (machine({**END, 'Parameters': {'x.$': 'no path'}}), 'asl_payload_template'),
    'a function that does not exist': (
        machine({**END, 'Parameters': {'x.$': 'States.Nothing($.a)'}}),
        'asl_payload_template',
    ),
    'an expression of JSONata': (
        {'QueryLanguage': 'JSONata', **machine({**END, 'Output': '{% $states.input. %}'})},
        '',
    ),
    'a path in a state of JSONata': ({'QueryLanguage': 'JSONata', **machine({**END, 'InputPath': '$.a'})}, 'InputPath'),
    'an output in a state of JSONPath': (machine({**END, 'Output': {'a': 1}}), 'Output'),
    'a retry of all that is not the last': (
        machine({**TASK, 'Retry': [{'ErrorEquals': ['States.ALL']}, {'ErrorEquals': ['E']}]}),
        'States.ALL',
    ),
    'a resource that is no ARN': (machine({**TASK, 'Resource': 'f'}), 'Resource'),
    'a retry with fewer than no attempts': (
        machine({**TASK, 'Retry': [{'ErrorEquals': ['E'], 'MaxAttempts': -1}]}),
        'MaxAttempts',
    ),
    'a wait for two things': (
        machine({'Type': 'Wait', 'Seconds': 1, 'SecondsPath': '$.s', 'End': True}),
        'WAIT_DURATION',
    ),
}


@pytest.mark.parametrize('what', WRONG)
def test_what_step_functions_refuses_is_refused(cloud: Cloud, what: str) -> None:
    definition, about = WRONG[what]
    states = cloud.client('stepfunctions')
    with refused('InvalidDefinition', about):
        states.create_state_machine(name=unique('wrong'), definition=json.dumps(definition), roleArn=ROLE)


def test_text_that_is_no_json_is_refused(cloud: Cloud) -> None:
    with refused('InvalidDefinition', 'INVALID_JSON'):
        cloud.client('stepfunctions').create_state_machine(name=unique('wrong'), definition='{', roleArn=ROLE)


def test_a_change_is_looked_at_too(cloud: Cloud) -> None:
    states = cloud.client('stepfunctions')
    name = unique('right')
    made = states.create_state_machine(name=name, definition=json.dumps(machine(END)), roleArn=ROLE)
    with refused('InvalidDefinition', 'Gone'):
        states.update_state_machine(
            stateMachineArn=made['stateMachineArn'], definition=json.dumps(WRONG['a target that does not exist'][0])
        )
    shown = states.describe_state_machine(stateMachineArn=made['stateMachineArn'])
    assert json.loads(shown['definition']) == machine(END)


def test_a_template_with_a_wrong_definition_fails(cloud: Cloud) -> None:
    stack = Stack(cloud)
    wrong, _ = WRONG['a target that does not exist']
    properties = {'DefinitionString': json.dumps(wrong), 'RoleArn': ROLE}
    made = stack.create({'Machine': {'Type': 'AWS::StepFunctions::StateMachine', 'Properties': properties}})
    assert made == 'ROLLBACK_COMPLETE'
    assert 'MISSING_TRANSITION_TARGET' in stack.reasons()
    assert 'InvalidDefinition' in stack.reasons()
    stack.delete()
