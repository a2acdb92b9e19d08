"""Words and identifiers, whole and in parts."""

from __future__ import annotations

import pytest

from agent_memory_os.text.word import cut_words


def cut(text: str, *, drop: bool = False) -> list[str]:
    """The terms of a text in a script that parts words by spaces."""
    found: list[str] = []
    cut_words(text, found, drop=drop)
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # Codes and compounds
        ("POL-358", ["pol-358", "pol", "358"]),
        ("POL_358", ["pol-358", "pol", "358"]),
        ("error:timeout", ["error:timeout", "error", "timeout"]),
        ("std::vector", ["std::vector", "std", "vector"]),
        ("state-of-the-art", ["stateoftheart", "state", "of", "the", "art"]),
        ("gen-itgc", ["genitgc", "gen", "itgc"]),
        ("and/or", ["and/or", "and", "or"]),
        ("key#7", ["key#7", "key", "7"]),
        ("a+b", ["a+b", "a", "b"]),
        # Case and digits
        ("camelCase", ["camelcas", "camel", "case"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("iPhone", ["iphon"]),
        ("snake_case", ["snakecas", "snake", "case"]),
        ("__init__", ["init"]),
        ("gpt4", ["gpt4", "gpt", "4"]),
        ("30days", ["30days", "30", "day"]),
        ("sha256Sum", ["sha256sum", "sha", "sum"]),
        ("s3", ["s3"]),
        ("a3f9c1d", ["a3f9c1d"]),
        ("deadbeef12", ["deadbeef12", "deadbeef", "12"]),
        # Marks that belong to a name
        ("C++", ["c++"]),
        ("C#", ["c#"]),
        ("(C++),", ["c++"]),
        ("C++17", ["c++", "c++17", "17"]),
        ("notepad++", ["notepad++", "notepad"]),
        (".NET", [".net", "net"]),
        ("ASP.NET", ["asp.net", "asp", "net"]),
        ("#123", ["123"]),
        ("$5", ["5"]),
        # Places
        (
            "/etc/nginx/nginx.conf",
            ["etc/nginx/nginx.conf", "etc", "nginx", "nginx.conf", "nginx", "conf"],
        ),
        ("C:\\Users\\x", ["c:/users/x", "c", "user", "x"]),
        (".github/ci.yml", ["github/ci.yml", ".github", "github", "ci.yml", "ci", "yml"]),
        ("@scope/pkg", ["scope/pkg", "scope", "pkg"]),
        ("@alice", ["alic"]),
        (
            "a.doe@example.com",
            ["a.doe@example.com", "a.doe", "a", "doe", "example.com", "exampl", "com"],
        ),
        ("https://ex.org/a?x=1", ["https", "ex.org/a", "ex.org", "ex", "org", "a", "x", "1"]),
        ("import.meta.env", ["import.meta.env", "import", "meta", "env"]),
        # Numbers, versions, dates
        ("1,234,567", ["1234567"]),
        ("1,2", ["1", "2"]),
        ("3.14", ["3.14"]),
        ("v1.2.3", ["v1.2.3", "1.2.3", "1.2"]),
        ("1.2.3-rc1", ["1.2.3", "1.2", "1.2.3-rc1", "rc1", "rc", "1"]),
        ("2.0x", ["2.0x", "2", "0x"]),
        ("2026-05-08", ["2026-05-08", "2026-05", "2026"]),
        ("2026/5/8", ["2026-05-08", "2026-05", "2026"]),
        ("2026-05-08T10:00:00Z", ["2026-05-08", "2026-05", "2026", "10:00"]),
        ("2026-05-08/x", ["2026-05-08", "2026-05", "2026", "x"]),
        ("2026-13-08", ["2026-13-08", "2026"]),
        ("10:30", ["10:30"]),
        ("555-1234", ["555-1234", "555", "1234"]),
        ("192.168.1.10", ["192.168.1.10", "192.168"]),
        ("550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"]),
        # Apostrophes
        ("don't", ["dont"]),
        ("DON'T", ["dont"]),
        ("Caroline's", ["carolin"]),
        ("users'", ["user"]),
        ("we've", ["we"]),
        ("O'Brien", ["obrien", "brien"]),
        ("l'avion", ["lavion", "avion"]),
        # What holds nothing together
        ("word--word", ["word", "word"]),
        ("foo...bar", ["foo", "bar"]),
        ('{"key":"value"}', ["key", "valu"]),
        ("a\0b", ["a", "b"]),
        ("A\\.", ["a"]),
        ("-/a.-", ["a"]),
        ("-_'.:/@", []),
        ('"', []),
        ("", []),
    ],
)
def test_what_is_cut_from_what(text: str, found: list[str]) -> None:
    """Each form gives its whole, where there is one, and its parts."""
    assert cut(text) == found


def test_one_word_is_one_term_however_it_is_joined() -> None:
    """A hyphen, an underscore or the case between letters makes no other word."""
    assert cut("e-mail")[0] == cut("email")[0]
    assert cut("user_id")[0] == cut("userId")[0] == cut("userid")[0]


def test_a_question_drops_stop_words_also_in_compounds() -> None:
    """Of "state-of-the-art" a question asks for what says something."""
    assert cut("state-of-the-art", drop=True) == ["stateoftheart", "state", "art"]
    assert cut("the", drop=True) == []
    assert cut("don't", drop=True) == []
    assert cut("can-not", drop=True) == []
    assert cut("toString", drop=True) == ["tostr", "string"]


def test_what_is_not_written_in_words_gives_no_parts() -> None:
    """Keys and encoded bytes are cut to the longest term, and are not cut at their capitals."""
    assert cut("aB3dE7fG9hJ") == ["ab3de7fg9hj"]
    assert cut("QUJDREVGR0hJSktM" * 8) == [("QUJDREVGR0hJSktM" * 8).lower()[:64]]
    assert cut("x" * 200) == ["x" * 64]
    assert cut("-".join(["ab"] * 50))[0] == "ab" * 32
