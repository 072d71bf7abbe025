"""Spot capacity: what a launch may ask for, and what EC2 does not do with such an instance."""

import re
from collections.abc import Mapping
from typing import Any

from ..query import Refused
from .state import Record, new_id


def market(data: Mapping[str, Any]) -> Record:
    """What an instance has of its market; nothing when it is on demand. (RunInstances, InstanceMarketOptions)"""
    asked: Mapping[str, Any] = data.get('InstanceMarketOptions') or {}
    if not asked:
        return {}
    kind = asked.get('MarketType') or 'spot'
    if kind != 'spot':
        raise Refused('UnsupportedOperation', f'MarketType {kind} is not implemented by the embedded AWS')
    options: Mapping[str, Any] = asked.get('SpotOptions') or {}
    unknown = sorted(set(options) - {'SpotInstanceType', 'MaxPrice', 'InstanceInterruptionBehavior'})
    if unknown:
        what = f'SpotOptions {", ".join(unknown)}'
        raise Refused('UnsupportedOperation', f'{what} is not implemented by the embedded AWS')
    if not re.fullmatch(r'\d+(\.\d+)?', str(options.get('MaxPrice', '1'))):
        raise Refused('InvalidParameterValue', f'MaxPrice is {options["MaxPrice"]}; it is a price in US dollars')
    request = str(options.get('SpotInstanceType') or 'one-time')
    behaviour = str(options.get('InstanceInterruptionBehavior') or 'terminate')
    if behaviour != 'terminate' and request != 'persistent':
        raise Refused('InvalidParameterCombination', f'{behaviour} at an interruption needs a persistent request')
    return {'_spot': {'SpotInstanceRequestId': new_id('sir'), 'Type': request}}


def refuse_stop(instance: Record) -> None:
    """EC2 user guide, "Stop a Spot Instance": only those of a persistent request."""
    if (instance.get('_spot') or {}).get('Type') == 'one-time':
        raise Refused(
            'UnsupportedOperation',
            f"You can't stop the Spot Instance '{instance['InstanceId']}': it is of a one-time Spot Instance request.",
        )


def shown(instance: Record) -> dict[str, Any]:
    """Its market, as answers carry it."""
    spot = instance.get('_spot')
    return {'instanceLifecycle': 'spot', 'spotInstanceRequestId': spot['SpotInstanceRequestId']} if spot else {}
