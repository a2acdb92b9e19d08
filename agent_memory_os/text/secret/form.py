"""What a secret looks like: its form, or its place and a value that is none of the harmless ones.

Each form has a kind, the hints one of which is in any text that has it (lower case), a pattern
whose group `s` is the secret, and a judgement. Patterns take the whole run of characters that a
secret may be part of, so that nothing of it is left and nothing new begins behind it.

By form, a value counts unless it is a placeholder. By place, it must look like a value: behind a
strong name ("password", "api_key", "secret") letters with digits or marks, or a long run; behind
"token", which is also a word of many trades, sixteen characters that are no UUID, hash or time.
Never: references (`${TOKEN}`, `os.environ[…]`, `import.meta.env.VITE_KEY`, `settings.key`), names
of variables, paths, and the ids of this system. What is not known: a password of plain words
joined by hyphens, one behind a name in a language other than English and Chinese, and one that
stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agent_memory_os.text.pattern import pattern
from agent_memory_os.value import NamedTuple

Judge = Callable[[re.Match[str]], bool]

_PLACEHOLDER = (
    "example|placeholder|change.?me|redacted|dummy|your[-_ ]|[-_]your|yourkey|yourtoken"
    r"|insert|replace|sample|\.\.\.|…|xxxx|\*\*\*"
)
_REFERENCE = (
    r"[<>={\[(]|%[(sA-Z]|\$[{(]|\$[A-Za-z_]\w*+\Z|~?\.{0,2}/[\w.~-]|&\w++\Z|arn:"
    r"|[A-Za-z_$]++\d{0,2}(?:\.[A-Za-z_$]++\d{0,2})++(?:\Z|[^\w.])"
    r"|[A-Za-z_$][\w$.]*+[(\[]|[a-z][a-z0-9+.-]*+://"
)
_VARIABLE = r"[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++|[a-z]++(?:[_-](?:[a-z]++\d{0,2}|\d{1,4}))++"
_TECHNIQUE = (
    r"(?:sha-?\d*|md5|argon2(?:id|i|d)?|bcrypt|scrypt|pbkdf2|base(?:64|32)(?:url)?|oauth2?|oidc"
    r"|utf-?8|aes-?\d*|rsa-?\d*|ed25519|hmac|[hre]s256|x509|1password|k8s|2fa|ec2)(?![A-Za-z0-9])"
)
_OWN_ID = "[a-z]{2,8}_[a-z2-7]{32}"
_UUID = "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_HASH = "[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9A-F]{32}|[0-9A-F]{40}|[0-9A-F]{64}"
_CLOCK = r"[\dTZ:.+/-]++"
_SHORTEST = 6
_SHORTEST_TOKEN = 16
_LONG = 20

_START = "(?<![A-Za-z0-9])"
_NAME = (
    r"(?<!\[)(?P<name>(?i:password|passwd|passphrase|passcode|pwd|api[_ -]?key|secret|token"
    r"|credential"
    r"|(?:access|account|auth|private|signing|encryption|fernet|master|service)[_ -]?key)"
    r"|密码|密碼|口令|密钥|密鑰|令牌)"
)
_MORE = (
    r"s?(?:[_ -]?(?i:access|key|base|hash|prod|production|dev|staging|test|live|value|old|new|root"
    r"|admin|db|\d{1,3})){0,3}"
)
_BLANK = r"[ \t]{0,4}"
_IS = (
    rf"(?:\\?[\"'`]\]?)?{_BLANK}"
    r"(?::[ \t]?(?:str|string|bytes|SecretStr|Optional\[str\]|str \| None)[ \t]?="
    r"|=>|:=|={1,2}|[:：]|是|为)"
    rf"{_BLANK}"
)
_QUOTED = r"[bfru]{0,2}(?P<q>\\?[\"'`])(?P<s>(?:(?!(?P=q))[^\n])++)"
_BARE = r"(?P<s>[^\s\"'`，。；、）】」]*[^\s\"'`，。；、）】」,;:.)\]}])"
_OF = r"(?:[ \t](?:for|of|to)(?:[ \t][\w.-]{1,30}){1,5}?)?[ \t](?:is|was)[ \t:]{1,3}[\"'`]?"
_TOKEN_NAMES = ("token", "令牌")
_NAMED = (
    *("passw", "passphrase", "passcode", "pwd", "key", "secret", "token", "credential"),
    *("密码", "密碼", "口令", "密钥", "密鑰", "令牌"),
)


class Form(NamedTuple):
    """One form of secret; see the module."""

    kind: str
    hints: tuple[str, ...]
    source: str
    is_real: Judge

    def kind_of(self, match: re.Match[str]) -> str:
        """Return what the secret is; by place, its name says so."""
        if self.kind:
            return self.kind
        name = match["name"].lower()
        if name.startswith(("pass", "pwd", "密码", "密碼", "口令")):
            return "password"
        if name.endswith(("key", "密钥", "密鑰")):
            return "api-key"
        return "token" if name in _TOKEN_NAMES else "credential"


def _is_given(match: re.Match[str]) -> bool:
    """Judge what is known by its form: anything but a placeholder."""
    return not _is_placeholder(match["s"])


def _is_keylike(match: re.Match[str]) -> bool:
    """Judge what begins as words may begin: it must have a digit and a letter, or be long."""
    value = match["s"]
    is_run = "-" not in value[3:] and len(value) >= 2 * _LONG
    return (is_run or _is_mixed(value)) and not _is_placeholder(value)


def _is_random(match: re.Match[str]) -> bool:
    """Judge what only its context makes a key: it must have letters of both cases and a digit."""
    value = match["s"]
    is_both = value.lower() != value != value.upper()
    return is_both and _is_mixed(value) and not _is_placeholder(value)


def _is_credential(match: re.Match[str]) -> bool:
    """Judge what stands in a header."""
    value = match["s"]
    return _is_mixed(value) and not _is_placeholder(value) and not _is_harmless(value)


def _is_in_url(match: re.Match[str]) -> bool:
    value = match["s"]
    is_reference = pattern(r"[<>{\[(]|%[(sA-Z]|\$[{(A-Z_]").match(value)
    return not is_reference and not _is_placeholder(value)


def _is_assigned(match: re.Match[str]) -> bool:
    """Judge a value by the name before it."""
    value = match["s"]
    if _is_placeholder(value) or _is_harmless(value):
        return False
    if match["name"].lower() in _TOKEN_NAMES:
        return _is_token(value)
    return _is_password(value)


def _is_placeholder(value: str) -> bool:
    lower = value.lower()
    return bool(pattern(_PLACEHOLDER).search(lower)) or set(lower) <= set("x*.-_#?0 ")


def _is_harmless(value: str) -> bool:
    """A reference, a variable's name, an id of this system, or the name of a technique."""
    return bool(
        pattern(_REFERENCE).match(value)
        or pattern(f"(?:{_VARIABLE}|{_OWN_ID})").fullmatch(value)
        or pattern(_TECHNIQUE).match(value.lower())
    )


def _is_mixed(value: str) -> bool:
    return bool(pattern(r"\d").search(value) and pattern("[A-Za-z]").search(value))


def _is_token(value: str) -> bool:
    is_known = pattern(f"(?:{_UUID}|{_HASH}|{_CLOCK})").fullmatch(value)
    return len(value) >= _SHORTEST_TOKEN and not is_known and _is_mixed(value)


def _is_password(value: str) -> bool:
    if len(value) < _SHORTEST:
        return False
    has_mark = pattern("[A-Za-z]").search(value) and pattern("[!@#$%^&*+=?~]").search(value)
    is_long = value.isalpha() and value.isascii() and len(value) >= _LONG
    return bool(_is_mixed(value) or has_mark or is_long or value.isdigit())


def _form(kind: str, hints: str, source: str, judge: Judge = _is_given) -> Form:
    return Form(kind, tuple(hints.split()), f"{_START}(?P<s>{source})", judge)


FORMS = (
    Form(
        "aws-secret-key",
        ("secret",),
        r"(?i:secret.?access.?key|aws.?secret(?:.?key)?)[^A-Za-z0-9/+]{1,12}"
        r"(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        _is_given,
    ),
    Form(
        "aws-secret-key",
        ("akia", "asia"),
        r"(?<![A-Za-z0-9/+])(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        _is_random,
    ),
    _form("aws-access-key", "akia asia", "(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _form("google-api-key", "aiza", "AIza[A-Za-z0-9_-]{30,}+"),
    _form("google-oauth", "ya29 gocspx-", r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}+"),
    Form(
        "jwt",
        ("eyj",),
        r"(?<![A-Za-z0-9_-])(?P<s>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){0,3}+)",
        _is_given,
    ),
    _form("anthropic-key", "sk-", "sk-ant-[A-Za-z0-9_-]{8,}+"),
    _form("openai-key", "sk-", "sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{12,}+"),
    _form("api-key", "sk-", "sk-[A-Za-z0-9_-]{16,}+", _is_keylike),
    _form("slack-token", "xox xapp-", r"(?:xox[abeoprs](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}+"),
    Form(
        "slack-webhook",
        ("://",),
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9/_-]{20,}+)",
        _is_given,
    ),
    _form("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[oprsu]_[A-Za-z0-9_]{16,}+"),
    _form("github-token", "github_pat_", "github_pat_[A-Za-z0-9_]{20,}+"),
    _form("gitlab-token", "glpat- gldt- glrt-", "gl(?:pat|dt|rt)-[A-Za-z0-9_.=-]{16,}+"),
    _form(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_",
        "[rs]k_(?:live|test)_[A-Za-z0-9_]{10,}+",
    ),
    _form("webhook-secret", "whsec_", "whsec_[A-Za-z0-9+/=_-]{16,}+"),
    _form("npm-token", "npm_", "npm_[A-Za-z0-9]{30,}+"),
    _form("pypi-token", "pypi-", "pypi-Ag[A-Za-z0-9_-]{16,}+"),
    _form("huggingface-token", "hf_", "hf_[A-Za-z0-9]{20,}+", _is_keylike),
    _form("docker-token", "dckr_pat_", "dckr_pat_[A-Za-z0-9_-]{16,}+"),
    _form("groq-key", "gsk_", "gsk_[A-Za-z0-9]{20,}+", _is_keylike),
    _form("age-key", "secret", "AGE-SECRET-KEY-1[A-Z0-9]{20,}+"),
    Form(
        "fernet-key",
        ("fernet",),
        r"(?<![\w+/=-])(?P<s>[A-Za-z0-9_-]{43}=)(?![\w=])",
        _is_random,
    ),
    Form(
        "authorization",
        ("authorization",),
        rf"(?i:authorization)(?:\\?[\"'`])?{_BLANK}[:=,]{_BLANK}(?:\\?[\"'`])?"
        r"(?:(?i:bearer|basic|token|apikey)[ \t]{1,3})?(?P<s>[A-Za-z0-9._~+/=:-]{8,}+)",
        _is_credential,
    ),
    Form(
        "authorization",
        ("bearer",),
        rf"{_START}(?i:bearer)[ \t]{{1,3}}(?P<s>[A-Za-z0-9._~+/=-]{{16,}}+)",
        _is_credential,
    ),
    Form(
        "url-password",
        ("://",),
        r"://[^\s/:@\"'<>]{0,256}:(?P<s>[^\s/\"'<>]{1,256}(?=@))",
        _is_in_url,
    ),
    Form("", _NAMED, _NAME + _MORE + _IS + _QUOTED, _is_assigned),
    Form("", _NAMED, _NAME + _MORE + _IS + _BARE, _is_assigned),
    Form("", _NAMED, _NAME + _OF + _BARE, _is_assigned),
    Form("", _NAMED, "--" + _NAME + r"[ \t]+[\"']?" + _BARE, _is_assigned),
)
