"""The address for the answer of a custom resource has the query of a signature, with the time at which it was made.

On AWS it is a presigned address of S3 that is good for two hours (API reference, "Authenticating requests: using query
parameters"). Nothing here checks a signature: there is none.
"""

from datetime import UTC, datetime
from urllib.parse import urlencode

from ministack.services.cloudformation import custom_resource

_GOOD_FOR_SECONDS = 7200


def install() -> None:
    """Add the query to the addresses that ministack makes."""
    own = custom_resource._response_url

    def response_url(token: str) -> str:
        query = {
            'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
            'X-Amz-Date': datetime.now(UTC).strftime('%Y%m%dT%H%M%SZ'),
            'X-Amz-SignedHeaders': 'host',
            'X-Amz-Expires': _GOOD_FOR_SECONDS,
        }
        return f'{own(token)}?{urlencode(query)}'

    custom_resource._response_url = response_url
