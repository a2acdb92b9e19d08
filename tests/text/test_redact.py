"""Secrets, found and masked."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.text.redact import Masked, mask

# Made up, and put together here so that no scanner takes them for real ones.
RUN = "a1B2c3D4e5F6g7H8i9J0"
AWS = "AKIA" + "2E0A8F3B244C9986"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzz1EYa"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n"
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"
SLACK = "xoxb-" + "123456789012-1234567890123-" + RUN
HOOK = "T024BE7LD/B024BE7LE/" + RUN + "wxyz"

SECRETS = [
    (AWS, "aws-access-key"),
    ("ASIA" + "2E0A8F3B244C9986", "aws-access-key"),
    ("AIza" + "SyA1234567890abcdefghijklmnopqrstuv", "google-api-key"),
    ("ya29." + RUN, "google-oauth"),
    ("GOCSPX-" + RUN, "google-oauth"),
    (JWT, "jwt"),
    (JWT.rpartition(".")[0], "jwt"),
    (PEM, "private-key"),
    ("sk-ant-api03-" + RUN, "anthropic-key"),
    ("sk-proj-" + RUN, "openai-key"),
    ("sk-" + RUN, "api-key"),
    ("sk-" + "a" * 48, "api-key"),
    (SLACK, "slack-token"),
    ("xoxp-" + "1234567890-" + RUN, "slack-token"),
    ("ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", "github-token"),
    ("ghp_" + "a" * 36, "github-token"),
    ("gho_" + RUN, "github-token"),
    ("ghs_" + RUN, "github-token"),
    ("github_pat_" + RUN * 2, "github-token"),
    ("glpat-" + RUN, "gitlab-token"),
    ("sk_live_" + RUN, "stripe-key"),
    ("rk_test_" + RUN, "stripe-key"),
    ("whsec_" + RUN, "webhook-secret"),
    ("npm_" + RUN + RUN, "npm-token"),
    ("pypi-AgEIcHlwaS5vcmc" + RUN, "pypi-token"),
    ("hf_" + RUN, "huggingface-token"),
    ("dckr_pat_" + RUN, "docker-token"),
    ("gsk_" + RUN, "groq-key"),
    ("AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "age-key"),
]

IN_PLACE = [
    (f"aws_secret_access_key = {AWS_SECRET}", AWS_SECRET, "aws-secret-key"),
    (f'"SecretAccessKey": "{AWS_SECRET}"', AWS_SECRET, "aws-secret-key"),
    ("fernet key zJ8r3oYt1c5Wm9Qv2xN7bK4hL6pD0sFgAeUiTyRqEw0=", "zJ8r3oYt1c5Wm9Qv2", "fernet-key"),
    (f"https://hooks.slack.com/services/{HOOK}", HOOK, "slack-webhook"),
    (f"Authorization: Bearer {RUN}", RUN, "authorization"),
    ("-H 'authorization: Basic dXNlcjpwYXNzd29yZDEyMw=='", "dXNlcjpwYXNz", "authorization"),
    (f"with Bearer {RUN}.", RUN, "authorization"),
    ("postgres://u:p@h", ":p@", "url-password"),
    ("postgres://admin:s3cr3t!@db.local:5432/x", "s3cr3t!", "url-password"),
    ("postgres://admin:pa@ss@db.local", "pa@ss", "url-password"),
    ("redis://:hunter2@cache", "hunter2", "url-password"),
    ("password=hunter2", "hunter2", "password"),
    ("PASSWORD: 12345678", "12345678", "password"),
    ("db_password_prod: Tr0ub4dor&3", "Tr0ub4dor&3", "password"),
    ("password: hunter2, user: bob", "hunter2", "password"),
    ('{"password":"abc123!","x":1}', "abc123!", "password"),
    ('{\\"password\\": \\"hunter2x\\"}', "hunter2x", "password"),
    ("password: str = 'hunter2x'", "hunter2x", "password"),
    ("password = 'it\"s5ecret'", 'it"s5ecret', "password"),
    ("passphrase=correcthorsebatterystaple", "correcthorse", "password"),
    ("mysql --password hunter22 -u root", "hunter22", "password"),
    ("the staging password is hunter2!", "hunter2!", "password"),
    ("the password for the staging db is hunter2", "hunter2", "password"),
    ("密码是hunter2，别说", "hunter2", "password"),
    ("密码：abc123xyz", "abc123xyz", "password"),
    ('api_key: "abcd1234efgh5678"', "abcd1234", "api-key"),
    ('os.environ["API_KEY"] = "abcd1234efgh"', "abcd1234", "api-key"),
    (f"FERNET_KEY={RUN}=", RUN, "api-key"),
    ("secret_key_base: 0123456789abcdef0123456789abcdef", "0123456789abcdef", "credential"),
    (f"CLIENT_SECRET => {RUN}", RUN, "credential"),
    (f"_authToken={RUN}", RUN, "token"),
    (f"令牌：{RUN}", RUN, "token"),
]

HARMLESS = [
    # Examples and placeholders
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "xoxb-your-token-here",
    "ghp_" + "x" * 36,
    "api_key: <your-key>",
    "api_key: YOUR_API_KEY_1",
    "password: ********",
    'password=""',
    'password: "changeme1"',
    "Authorization: Bearer <token>",
    # References
    "import.meta.env.VITE_KEY",
    "const apiKey = import.meta.env.VITE_KEY",
    'os.environ["API_KEY"]',
    'api_key = os.environ["API_KEY1"]',
    "process.env.OPENAI_API_KEY",
    "token: ${TOKEN}",
    "Authorization: Bearer ${TOKEN1}",
    "secret: ${{ secrets.TOKEN1 }}",
    "password=$DB_PASSWORD1",
    "password = user.password1",
    "password = hash256(x)",
    "password: Optional[str1] = None",
    "secret: /run/secrets/db1",
    "secret: arn:aws:secretsmanager:eu-1:1:x",
    "postgres://user:${PASS}@h",
    "postgres://user:<password>@h",
    # Words
    "No Firebase API key",
    "password: required",
    "The password must have 12 characters",
    "password is argon2id-hashed",
    "the token is refreshed every 15m by cron-job-7",
    "token budget: 2500, max_tokens=4096, tokens: 128000",
    "secretary: bob12345",
    "tokenizer: gpt2-xl-v3-large-model",
    "Bearer authentication",
    "key insight: use v2",
    "AKIA is the prefix, AIza another, eyJ a third",
    "sk-learn-contrib-package and risk-adjusted-returns-2024-report",
    "npm_config_registry, hf_hub_download, pypi-publish-action-v2",
    "https://example.com:8080/path@x and git@github.com:org/repo.git",
    "password: 见保险库",
    # Hashes and ids
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "token: 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "token: 550e8400-e29b-41d4-a716-446655440000",
    "token: 2026-05-08T10:00:00Z",
    "mem_abcdefghijklmnopqrstuvwxyz234567",
    "secret: mem_abcdefghijklmnopqrstuvwxyz234567",
    "integrity sha256-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG=",
    "We use fernet: " + "a" * 43 + "=",
]


@pytest.mark.parametrize(("secret", "kind"), SECRETS)
@pytest.mark.parametrize("frame", ["{}", "the key is {} there", '{{"k": "{}"}}', "({}),", "步{}步"])
def test_a_secret_known_by_its_form_is_masked_whole(secret: str, kind: str, frame: str) -> None:
    """Wherever it stands, nothing of it is left, and the kind is told."""
    assert mask(frame.format(secret)) == Masked(frame.format(f"[secret:{kind}]"), (kind,))


@pytest.mark.parametrize(("text", "secret", "kind"), IN_PLACE)
def test_a_secret_known_by_its_place_is_masked_whole(text: str, secret: str, kind: str) -> None:
    """Behind a name or in a URL, nothing of the value is left, and the rest stays."""
    masked = mask(text)
    assert masked.found == (kind,)
    assert secret not in masked.text
    before, mark, after = masked.text.partition(f"[secret:{kind}]")
    assert mark
    assert text.startswith(before)
    assert text.endswith(after)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    """Examples, references, words, hashes and ids stay as they are."""
    assert mask(text) == Masked(text, ())


def test_a_secret_key_beside_its_key_id_is_known() -> None:
    """What would pass for any run of letters is a secret beside an access key's id."""
    assert mask(AWS_SECRET).found == ()
    assert mask(f"{AWS} {AWS_SECRET}").text == "[secret:aws-access-key] [secret:aws-secret-key]"


def test_several_secrets_are_masked_and_each_kind_is_told_once() -> None:
    """A text may hold many."""
    masked = mask(f"{AWS}, {AWS}, password=hunter2 and {PEM}.")
    assert masked.text == (
        "[secret:aws-access-key], [secret:aws-access-key], password=[secret:password] "
        "and [secret:private-key]."
    )
    assert sorted(masked.found) == ["aws-access-key", "password", "private-key"]


PARTS = [
    *(secret for secret, _ in SECRETS),
    *(text for text, _, _ in IN_PLACE),
    *HARMLESS,
    *(
        "[secret:token]",
        "[secret:api-key]",
        "password",
        "secret",
        "token",
        ": ",
        "=",
        '"',
        "]",
        "\n",
    ),
    *("eyJ", "sk-", "://", "@", "Bearer ", "-----BEGIN PRIVATE KEY-----", "is ", "\\"),
]


@given(
    st.lists(st.sampled_from(PARTS) | st.text(st.characters(), max_size=3), max_size=8),
    st.sampled_from(["", " ", "\n"]),
)
def test_masking_what_is_masked_changes_nothing(parts: list[str], glue: str) -> None:
    """A mask holds no secret, and uncovers none."""
    masked = mask(glue.join(parts))
    assert mask(masked.text) == Masked(masked.text, ())


@given(st.text(st.characters()))
def test_what_is_found_is_in_the_text(text: str) -> None:
    """No text fails, and what names no kind has not changed."""
    masked = mask(text)
    assert bool(masked.found) == (masked.text != text)
    assert all(re.fullmatch("[a-z-]+", kind) for kind in masked.found)


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "A/", "sk-", "eyJ", "eyJaaaaaaaa.", "AKIA", "://", "://a:", "ghp_", "xox-", "-----"),
        *("password=", "password=;", 'password="', "password='\"", "password is ", "token token "),
        *("password for a b c d ", "secret access key", "authorization:", "Bearer ", "--token "),
        *("-----BEGIN PRIVATE KEY-----a: ", "-----BEGIN PRIVATE KEY-----", "[secret:", "密码是"),
        *("-----END PRIVATE KEY-----", "MIIEvQIBADANBgkq\n", "fernet aaaaaaaaaa", '{"password": "'),
    ],
)
def test_four_times_the_text_is_no_more_than_its_share_of_work(unit: str) -> None:
    """No repetition makes the work grow with the square of the length, which would be sixteen."""
    lengths = [8_000, 32_000]
    small, large = (
        min(spent(unit * (length // len(unit))) for _ in range(2)) for length in lengths
    )
    assert large < 10 * small + 0.02


def spent(text: str) -> float:
    """The processor time that masking takes."""
    begun = time.process_time()
    mask(text)
    return time.process_time() - begun
