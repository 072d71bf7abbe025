"""CloudFormation's schemas of the resource types that the embedded AWS implements, in short and dated.

``resource-schemas.json`` is made by ``proof/localcloud/refresh_resource_schemas.py``, which says where it is from.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name('resource-schemas.json')


@lru_cache(maxsize=1)
def contents() -> dict[str, Any]:
    """The whole file: source, day it was read, regions, types."""
    return dict(json.loads(FILE.read_text(encoding='utf-8')))


def of_type(name: str) -> dict[str, Any] | None:
    """What is kept of a type; None for types of which nothing is known."""
    found = contents()['types'].get(name)
    return dict(found) if found else None


def in_region(name: str, region: str) -> bool:
    """Whether CloudFormation has the type in this region. What is not known is taken to exist."""
    return region not in (contents()['types'].get(name) or {}).get('absentIn', [])
