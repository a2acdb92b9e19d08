"""The schema of what is about access: sessions of browsers, links to sign in, and use."""

from __future__ import annotations

from datetime import datetime

from agent_memory_os.wire.schema.memory import Shown


class Session(Shown):
    """A browser's session: until when, and the word that what changes something must carry."""

    csrf: str
    ends_at: datetime


class SignInLink(Shown):
    """A link that signs a browser in, once, and when it ends."""

    url: str
    ends_at: datetime
