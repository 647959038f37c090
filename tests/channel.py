"""The channel between a widget and the page, listened to."""

from __future__ import annotations

import comm
import pytest
from comm.base_comm import BaseComm


@pytest.fixture
def sent(monkeypatch):
    """Return the list of messages to the page: (kind, state)."""
    messages = []

    class Channel(BaseComm):
        def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
            messages.append((msg_type, (data or {}).get("state", {})))

    monkeypatch.setattr(comm, "create_comm", Channel)
    return messages
