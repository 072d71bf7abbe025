"""A server is lost and its type has no capacity in the placement group: the next type serves, and everybody says so."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from slot_tier import SlotTier, needs_functions, with_hosts
from test_faults import fault

from conftest import Cloud, until

__all__ = ['fault']

pytestmark = needs_functions

OWN, NEXT, LAST = 'm6in.large', 'm6idn.large', 'c6in.xlarge'


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts."""
    yield from with_hosts(tmp_path_factory.mktemp('fallback') / 'state')


class Tier(SlotTier):
    """Its servers may be of other types, outside of the placement group."""

    def lose(self) -> str:
        lost = str(self.row()['owner'])
        self.ec2.terminate_instances(InstanceIds=[lost])
        return lost

    def server(self) -> tuple[str, str]:
        """The type of the slot's server, and its placement group."""
        found = self.ec2.describe_instances(InstanceIds=[self.row()['owner']])['Reservations'][0]['Instances'][0]
        return str(found['InstanceType']), str(found['Placement'].get('GroupName', ''))

    def passes_until(self, what: Callable[[], Any], wanted: str) -> None:
        def look() -> Any:
            self.reconcile()
            return what()

        until(look, wanted)

    def fallback_servers(self) -> int:
        """What the reconciler measures: the metric that the alarm is about."""
        answer = self.cloud.client('lambda').invoke(
            FunctionName=f'{self.name}-volume-reconciler', LogType='Tail', Payload=json.dumps(self.event()).encode()
        )
        lines = base64.b64decode(answer['LogResult']).decode().splitlines()
        measured = [json.loads(line[line.index('{') :]) for line in lines if '"FallbackServers"' in line]
        return int(measured[-1]['FallbackServers'])


def test_a_replacement_of_the_next_type_says_so_and_the_first_type_comes_again(
    cloud: Cloud, fault: Callable[..., dict[str, Any]]
) -> None:
    tier = Tier(cloud, fallback=(OWN, NEXT, LAST))
    tier.serve()
    assert tier.server() == (OWN, tier.placement_group)
    assert (tier.row()['serverType'], tier.row().get('reason')) == (OWN, None)
    assert tier.fallback_servers() == 0

    # Its type is gone in the group, the next one everywhere.
    fault('no-capacity', group=tier.placement_group, type=OWN, seconds=900)
    fault('no-capacity', type=NEXT, zone='us-east-1a', seconds=900)
    lost = tier.lose()
    second = tier.serve()
    assert second != lost
    assert tier.server() == (LAST, '')
    assert tier.row()['serverType'] == LAST
    tier.passes_until(lambda: 'completed' in tier.row()['timeline'], 'the end of the recovery')
    assert f'{second} is {LAST}, outside of the placement group: there was no {OWN} in it' in tier.row()['reason']
    assert 'fallback' in tier.row()['timeline']
    [told] = tier.result['slots']
    assert (told['phase'], told['serverType']) == ('served', LAST)
    assert tier.fallback_servers() == 1

    # There is none of any type: the row and the pass say so, in EC2's words.
    fault('no-capacity', type=LAST, seconds=900)
    tier.lose()
    tier.passes_until(lambda: 'no server' in tier.row().get('reason', ''), 'the row to say that there is no capacity')
    row = tier.row()
    assert row['phase'] == 'vacant'
    assert f'{OWN}, then {NEXT}, then {LAST}' in row['reason']
    assert f'sufficient {LAST} capacity' in row['reason']
    assert 'serverType' not in row
    assert tier.result['slots'][0]['reason'].startswith('no server')

    # There is capacity again: the first type comes, in the group, and nothing is said any more.
    fault('calm')
    tier.passes_until(lambda: tier.result['outcome'] == 'served', 'the slot to be served')
    assert tier.server() == (OWN, tier.placement_group)
    tier.passes_until(lambda: 'reason' not in tier.row(), 'nothing to be said')
    assert (tier.row()['serverType'], 'fallback' in tier.row()['timeline']) == (OWN, False)
    assert tier.fallback_servers() == 0
    assert cloud.history(kind='violation') == []
