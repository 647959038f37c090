"""Refuse every connection that would leave this machine.

Python imports a module of this name at start. The tests put this folder on PYTHONPATH, so
that the kernels of the notebooks, and every other Python that a test starts, are offline.
An audit hook cannot be taken away again, and it also sees what C code does through the
socket module.
"""

import ipaddress
import sys

SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
NAMES_OF_HERE = ("", "localhost", "127.0.0.1", "::1")


class OfflineError(OSError):
    """Say which address a test tried to reach."""


def is_here(host: object) -> bool:
    """Tell whether a host is this machine; a name other than localhost is not."""
    text = host.decode() if isinstance(host, bytes) else host
    if text is None or text in NAMES_OF_HERE:
        return True
    try:
        address = ipaddress.ip_address(str(text).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def refuse(event: str, arguments: tuple) -> None:
    """Raise OfflineError for an audit event that would leave this machine."""
    if event in SENDING and isinstance(arguments[1], tuple):  # a Unix socket has a text
        host = arguments[1][0]
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if not is_here(host):
        raise OfflineError(f"the tests run offline: refused to reach {host!r}")


sys.addaudithook(refuse)
