"""Expecting AWS errors by their code."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from botocore.exceptions import ClientError


@contextmanager
def refused(code: str, about: str = '') -> Iterator[None]:
    """The block must fail with this error code, its message naming ``about``."""
    with pytest.raises(ClientError) as raised:
        yield
    error = raised.value.response['Error']
    assert error['Code'] == code, error
    assert about in error['Message'], error
