"""Flat parameters to nested requests and data to XML; signals and history."""

import json
from pathlib import Path
from typing import Any

import pytest

from sas_grid_localcloud import history, signals
from sas_grid_localcloud.query import AUTO_SCALING, EC2, Refused, parse, xml


def test_flat_parameters_become_nested() -> None:
    flat = {'Tag.2.Key': ['b'], 'Tag.1.Key': ['a'], 'Filter.1.Value.1': 'x', 'Names.member.1': 'n', 'Action': 'Do'}
    assert parse(flat) == {
        'Tag': [{'Key': 'a'}, {'Key': 'b'}],
        'Filter': [{'Value': ['x']}],
        'Names': ['n'],
        'Action': 'Do',
    }


def test_answers_escape_and_leave_out_nothing_but_none() -> None:
    assert (
        xml({'a': None, 'b': True, 'c': ['<', {'d': 1}]}) == '<b>true</b><c><item>&lt;</item><item><d>1</d></item></c>'
    )


def test_errors_have_the_shape_of_their_service() -> None:
    refused = Refused('VolumeInUse', 'vol-1 is <used>')
    assert b'<Errors><Error><Code>VolumeInUse</Code><Message>vol-1 is &lt;used&gt;' in EC2.refusal(refused)[2]
    assert b'<ErrorResponse' in AUTO_SCALING.refusal(refused)[2]


def test_subscribers_hear_in_order_and_do_not_disturb_each_other() -> None:
    heard: list[Any] = []

    def broken(**data: Any) -> None:
        raise ValueError('not my day')

    def listener(**data: Any) -> None:
        heard.append(data)

    signals.subscribe('volume-attached', broken)
    signals.subscribe('volume-attached', listener)
    try:
        signals.publish('volume-attached', volume_id='vol-1', instance_id='i-1', device='/dev/sdf')
    finally:
        signals.unsubscribe('volume-attached', broken)
        signals.unsubscribe('volume-attached', listener)
    assert heard == [{'volume_id': 'vol-1', 'instance_id': 'i-1', 'device': '/dev/sdf'}]
    with pytest.raises(ValueError, match="unknown signal 'volume-exploded'"):
        signals.publish('volume-exploded')


def test_history_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, '_path', tmp_path / 'h.jsonl')
    history.record('volume', 'vol-1', None, 'available', size=3)
    line = json.loads((tmp_path / 'h.jsonl').read_text(encoding='utf-8'))
    assert (line['kind'], line['id'], line['from'], line['to'], line['size']) == (
        'volume',
        'vol-1',
        None,
        'available',
        3,
    )
