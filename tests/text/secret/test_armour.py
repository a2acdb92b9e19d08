"""Private keys in their armour."""

from __future__ import annotations

import pytest

from agent_memory_os.text.secret import armour

BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\nqz8="
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
HEADERS = "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789\n\n"
PGP = """-----BEGIN PGP PRIVATE KEY BLOCK-----

lQdGBGXtest1234567
=a1b2
-----END PGP PRIVATE KEY BLOCK-----"""
SPELT = BODY.replace("\n", "\\n")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (f"a {BEGIN}\n{BODY}\n{END} b", [f"{BEGIN}\n{BODY}\n{END}"]),
        (f'"{BEGIN}\\n{SPELT}\\n{END}\\n"', [f"{BEGIN}\\n{SPELT}\\n{END}"]),
        (f"{BEGIN}{HEADERS}{BODY}\n{END}", [f"{BEGIN}{HEADERS}{BODY}\n{END}"]),
        (f"{BEGIN}\nab12\n{END}", [f"{BEGIN}\nab12\n{END}"]),
        (f"{PGP} after", [PGP]),
        # Cut off at the end, within a line, behind the headers, or before another key
        (f"a {BEGIN}\n{BODY}", [f"{BEGIN}\n{BODY}"]),
        (f"{BEGIN}\n{BODY[:50]}\n", [f"{BEGIN}\n{BODY[:50]}"]),
        (f"{BEGIN}{HEADERS}{BODY}", [f"{BEGIN}{HEADERS}{BODY}"]),
        (f"{BEGIN}\n{BODY[:32]}... and so on", [f"{BEGIN}\n{BODY[:32]}"]),
        (
            f"{BEGIN}\n{BODY}\n{BEGIN}\n{BODY}\n{END}",
            [f"{BEGIN}\n{BODY}", f"{BEGIN}\n{BODY}\n{END}"],
        ),
        # Cut off at the beginning
        (f"{BODY}\n{END}\nrest", [f"{BODY}\n{END}"]),
        (f"see: {BODY}\n{END}", [f"{BODY}\n{END}"]),
        (f"{END}\n{BODY}\n{END}", [f"{BODY}\n{END}"]),
        # No keys
        (f"{BEGIN}\n...\n{END}", []),
        (f"{BEGIN} and {END.replace('RSA ', '')} are <markers>", []),
        (f"it starts with {BEGIN}", []),
        (f"it ends with {END}", []),
        (f"(see above) {END}", []),
        ("-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEF\n-----END PUBLIC KEY-----", []),
        ("", []),
    ],
)
def test_keys_are_found_whole(text: str, keys: list[str]) -> None:
    """A key is all that belongs to it, and what only mentions the armour is none."""
    assert [text[begin:end] for begin, end in armour.find(text)] == keys
