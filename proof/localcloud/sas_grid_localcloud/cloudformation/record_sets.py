"""Records of Route 53: their names are in their zone, and one that moves to another zone leaves the old one.

Route 53's guide, "Values specific for simple records": the name of a record ends with that of its hosted zone. The
physical id of a record is its name, which stays when it moves.
"""

from typing import Any

from ministack.services import route53
from ministack.services.cloudformation import provisioners, stacks

KIND = 'AWS::Route53::RecordSet'


def install() -> None:
    handlers = provisioners._RESOURCE_HANDLERS[KIND]
    own_create, own_update = handlers['create'], stacks._update_resource

    def create(logical_id: str, properties: dict[str, Any], stack: str) -> Any:
        _require_in_zone(properties)
        return own_create(logical_id, properties, stack)

    def update(kind: str, physical_id: str, old: Any, new: Any, *more: Any) -> Any:
        if kind != KIND:
            return own_update(kind, physical_id, old, new, *more)
        _require_in_zone(new)
        made = own_update(kind, physical_id, old, new, *more)
        if made[0] == physical_id and _zone(old) != _zone(new):
            # What has the id of its predecessor is not cleaned up by the engine.
            handlers['delete'](physical_id, old)
        return made

    provisioners._RESOURCE_HANDLERS[KIND] = {**handlers, 'create': create}
    stacks._update_resource = update


def _require_in_zone(properties: dict[str, Any]) -> None:
    name = str(route53._normalise_name(str(properties.get('Name', ''))))
    domain = str((route53._zones.get(_zone(properties)) or {}).get('name', ''))
    if domain and name != domain and not name.endswith(f'.{domain}'):
        raise ValueError(f'RRSet with DNS name {name} is not permitted in zone {domain} (InvalidChangeBatch)')


def _zone(properties: dict[str, Any]) -> str:
    return str(provisioners._r53_resolve_hosted_zone_id(properties))
