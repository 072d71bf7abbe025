"""Whether a request is a web page's doing, or goes to a name that somebody else decides upon.

A page of anybody can send requests to this machine, and those that need no preflight arrive (a form, an image,
``text/plain``). So can one whose own name its owner points at 127.0.0.1 for a moment (DNS rebinding). The first tell
by ``Origin`` and ``Sec-Fetch-Site`` (W3C, "Fetch Metadata Request Headers"), the second by ``Host``.
"""

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

Headers = Sequence[tuple[str, str]]
"""names in lower case, in the order in which they came"""

_OWN_SITES = ('same-origin', 'none')
"""``none`` is what a person typed"""


def refusal(headers: Headers) -> str | None:
    """Why this request is refused, or None."""
    hosts = _all(headers, 'host')
    if len(hosts) != 1 or not is_loopback(hosts[0]):
        return f'Host is {", ".join(hosts) or "missing"}; allowed: 127.0.0.0/8, [::1], localhost'
    for origin in _all(headers, 'origin'):
        if not _same(origin, hosts[0]):
            return f'Origin is {origin}; allowed: none'
    sites = _all(headers, 'sec-fetch-site')
    for site in sites:
        if site.strip().lower() not in _OWN_SITES:
            return f'Sec-Fetch-Site is {site}; allowed: {", ".join(_OWN_SITES)}'
    if not sites and any('mozilla/' in agent.lower() for agent in _all(headers, 'user-agent')):
        return 'a browser that does not say which site a request comes from (Sec-Fetch-Site) is refused'
    return None


def is_loopback(host: str) -> bool:
    """Whether a ``Host`` can be nothing but this machine.

    Names below localhost cannot be anybody else's either (RFC 6761). They are refused because ministack answers some
    (a bucket, a function) past permissions and validation; SDKs use none with the endpoint that they are given.
    """
    try:
        name = (urlsplit(f'//{host}').hostname or '').removesuffix('.')
    except ValueError:
        return False
    if '@' in host or '/' in host or not name:
        return False
    if name == 'localhost':
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _same(origin: str, host: str) -> bool:
    return origin.strip().lower() in (f'http://{host.lower()}', f'ws://{host.lower()}')


def _all(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key == name]
