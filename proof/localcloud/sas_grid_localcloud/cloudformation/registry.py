"""Resource types for the emulated CloudFormation, each with the complete list of properties it implements.

A property that is on none of a type's lists fails the resource loudly: nothing is dropped silently.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ministack.services.cloudformation import provisioners, stacks

from . import replacement

Properties = Mapping[str, Any]
Made = tuple[str, dict[str, Any]]
"""Physical id and attributes."""

_on_thread: set[str] = set()
KNOWN: dict[str, frozenset[str]] = {}
"""The properties that each type implements or accepts, by its name."""


class NotImplementedHere(ValueError):
    """The emulation lacks something that a template uses."""


@dataclass(frozen=True)
class ResourceType:
    """One type: what it implements, what it accepts without effect, what replaces it, and how."""

    name: str
    create: Callable[[str, Properties, str], Made]
    """logical id, properties, stack name"""
    delete: Callable[[str, Properties], None]
    implemented: frozenset[str]
    update: Callable[[str, Properties, Properties, str], Made] | None = None
    """physical id, old and new properties, stack name; without it every change replaces or is refused"""
    accepted: frozenset[str] = field(default_factory=frozenset)
    """allowed but without effect in the emulation (documented in the README)"""
    replacing: frozenset[str] = field(default_factory=frozenset)
    """a change of these makes a new resource, besides what CloudFormation's schema says"""


def register(kind: ResourceType) -> None:
    """Make the type known to ministack. Its handlers run on a thread of their own and may wait."""

    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        require_known(kind.name, properties, kind.implemented | kind.accepted, logical_id)
        return kind.create(logical_id, properties, stack)

    def update(physical_id: str, old: Properties, new: Properties, stack: str, logical_id: str) -> Made:
        require_known(kind.name, new, kind.implemented | kind.accepted, logical_id)
        if kind.update is None:
            changed = ', '.join(sorted(key for key in {*old, *new} - {'Tags'} if old.get(key) != new.get(key)))
            if changed:
                raise NotImplementedHere(
                    f'{kind.name}: updating {changed} (logical id {logical_id}) is not implemented by the embedded AWS'
                )
            return physical_id, {}
        return kind.update(physical_id, old, new, stack)

    KNOWN[kind.name] = kind.implemented | kind.accepted
    provisioners._RESOURCE_HANDLERS[kind.name] = {
        'create': create,
        'update': update,
        'update_with_logical_id': True,
        'delete': kind.delete,
    }
    replacement.DECLARED[kind.name] = kind.replacing
    if 'Tags' in kind.implemented:
        provisioners._STACK_TAG_PROPERTY[kind.name] = ('Tags', 'list')
    run_on_thread(kind.name)


def audit(
    name: str,
    implemented: frozenset[str],
    accepted: frozenset[str] = frozenset(),
    check: Callable[[Properties], None] | None = None,
    afterwards: Callable[[str, Properties], Mapping[str, Any] | None] | None = None,
    named_by: str = '',
) -> None:
    """Guard a type that ministack implements: its known properties, and what to add after create and update.

    A type that is ``named_by`` a property gets a name as CloudFormation makes them, where ministack makes the same
    one again for what comes again.
    """
    handler = provisioners._RESOURCE_HANDLERS[name]
    known = KNOWN[name] = implemented | accepted
    own_create, own_update = handler['create'], handler.get('update')
    takes_logical_id = bool(handler.get('update_with_logical_id'))

    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        require_known(name, properties, known, logical_id)
        if check:
            check(properties)
        if named_by:
            properties = {named_by: physical_name(stack, logical_id), **properties}
        physical_id, attributes = own_create(logical_id, properties, stack)
        more = afterwards(physical_id, properties) if afterwards else None
        return physical_id, {**(attributes or {}), **(more or {})}

    def update(physical_id: str, old: Properties, new: Properties, stack: str, logical_id: str) -> Made:
        require_known(name, new, known, logical_id)
        if check:
            check(new)
        named = (logical_id,) if takes_logical_id else ()
        assert own_update is not None
        if named_by:
            old, new = {named_by: physical_id, **old}, {named_by: physical_id, **new}
        made_id, attributes = own_update(physical_id, old, new, stack, *named)
        more = afterwards(made_id, new) if afterwards else None
        return made_id, {**(attributes or {}), **(more or {})}

    guarded = dict(handler, create=create)
    if own_update is not None:
        guarded.update(update=update, update_with_logical_id=True)
    provisioners._RESOURCE_HANDLERS[name] = guarded


def require_known(name: str, properties: Properties, known: frozenset[str], logical_id: str) -> None:
    """Fail on the first property that the emulation does not know."""
    for one in sorted(set(properties) - known - {'ServiceToken'}):
        raise NotImplementedHere(
            f'{name} property {one} (logical id {logical_id}) is not implemented by the embedded AWS'
        )


def run_on_thread(name: str) -> None:
    """Handlers of this type may block: ministack runs them off its event loop."""
    _on_thread.add(name)


def install() -> None:
    """Tell ministack which types run on threads, and that an update leaves attributes as they are."""
    own = stacks._runs_on_worker_thread

    def runs_on_worker_thread(name: str) -> bool:
        return name in _on_thread or bool(own(name))

    stacks._runs_on_worker_thread = runs_on_worker_thread
    own_update = stacks._update_resource

    def update_resource(*args: Any) -> Any:
        physical_id, attributes = own_update(*args)
        before = args[6] if len(args) > 6 else None
        # The same resource still has the attributes that an update says nothing of.
        if before and physical_id == args[1]:
            attributes = {**before, **(attributes or {})}
        return physical_id, attributes

    stacks._update_resource = update_resource
    replacement.install()


def physical_name(stack: str, logical_id: str, longest: int = 255) -> str:
    """A generated name, as CloudFormation makes them."""
    return str(provisioners._physical_name(stack, logical_id, max_len=longest))
