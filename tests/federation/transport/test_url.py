"""The URL of a node is what requests can be sent to, in one form, and has no secret in it."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.transport.url import node_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://localhost:8765", "http://localhost:8765"),
        (" http://localhost:8765/ ", "http://localhost:8765"),
        ("HTTPS://Node.example", "https://Node.example"),
        ("Http://[::1]:1/behind/a/proxy//", "http://[::1]:1/behind/a/proxy"),
    ],
)
def test_a_url_has_one_form(text: str, url: str) -> None:
    """Its scheme is in lower case, so that HTTPS is verified however it was written."""
    assert node_url(text) == url


@pytest.mark.parametrize(
    "text",
    ["", "localhost", "http://", "http://localhost:0", "http://[::1", "http://a b", "ftp://a"],
)
def test_what_is_none_is_refused(text: str) -> None:
    """What no request can be sent to is refused, and told back."""
    with pytest.raises(InvalidInput, match="is no URL of a node"):
        node_url(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://u:secret@a",
        "http://a?secret",
        "http://a#secret",
        "amk_secret",
        "http://a/amk_secret",
    ],
)
def test_a_secret_is_not_repeated(text: str) -> None:
    """What may hold a password or a key is refused without a word of it."""
    with pytest.raises(InvalidInput) as raised:
        node_url(text)
    assert "secret" not in str(raised.value)


def test_the_path_of_the_api_is_added_later() -> None:
    """A URL that ends with the path of the API would have it twice."""
    with pytest.raises(InvalidInput, match="ends before /v1"):
        node_url("http://localhost/v1/")
