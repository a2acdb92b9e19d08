"""Scripts that write words without spaces."""

from __future__ import annotations

import pytest

from agent_memory_os.text.script import cut_runs


def cut(text: str, *, asked: bool = False) -> list[str]:
    """The terms of a text as it lies in the index, or as a question has them."""
    found: list[str] = []
    cut_runs(text, found, asked=asked, drop=asked)
    return found


@pytest.mark.parametrize(
    ("text", "indexed", "asked"),
    [
        ("空", ["空"], ["空"]),
        ("悬空", ["悬", "悬空", "空"], ["悬空"]),
        ("用户身份", ["用", "用户", "户", "户身", "身", "身份", "份"], ["用户", "户身", "身份"]),
        ("東京タワー", "東 東京 京 京タ タ タワ ワ ワー ー".split(), "東京 京タ タワ ワー".split()),
        ("한", ["한"], ["한"]),
        ("검색", ["검", "검색", "색"], ["검색"]),
        ("데이터", ["데이터", "데", "데이", "이", "이터", "터"], ["데이터", "데이", "이터"]),
        ("ภาษาไทย", "ภา ภาษา ษา ษาไท ไท ไทย ย".split(), "ภาษา ษาไท ไทย".split()),
        ("ខ្មែរ", ["ខ្មែ", "ខ្មែរ", "រ"], ["ខ្មែរ"]),
        ("မြန်မာ", ["မြ", "မြန်", "န်", "န်မာ", "မာ"], ["မြန်", "န်မာ"]),
        ("ລາວ", ["ລາ", "ລາວ", "ວ"], ["ລາວ"]),
        ("👍", ["👍"], ["👍"]),
        ("👍🏽", ["👍🏽", "👍"], ["👍🏽", "👍"]),
        ("🇯🇵🇫🇷", ["🇯🇵", "🇫🇷"], ["🇯🇵", "🇫🇷"]),
        ("✓ → ■ │", ["✓"], ["✓"]),
        ("Привет,мир", ["привет", "мир"], ["привет", "мир"]),
        ("हिन्दी", ["हिन्दी"], ["हिन्दी"]),
        ("имя_файла", ["имяфайла", "имя", "файла"], ["имяфайла", "имя", "файла"]),
        (
            "重跑gen-itgc后50条",
            "重 重跑 跑 genitgc gen itgc 后 50 条".split(),
            "重跑 genitgc gen itgc 后 50 条".split(),
        ),
        ("，。「」", [], []),
        ("a\ud800b", ["a", "b"], ["b"]),
        ("\ue000x", ["\ue000x"], ["\ue000x"]),
    ],
)
def test_runs_give_characters_and_pairs(text: str, indexed: list[str], asked: list[str]) -> None:
    """The index has characters and pairs, a question only pairs where there are any."""
    assert cut(text) == indexed
    assert cut(text, asked=True) == asked


def test_a_question_in_chinese_drops_what_only_asks() -> None:
    """Pairs with a character that only asks or points are left out of a question."""
    assert cut("我喜欢什么菜", asked=True) == ["喜欢"]
    assert "什么" in cut("我喜欢什么菜")


def test_noise_of_signs_keeps_terms_short() -> None:
    """No letter with a thousand signs on it makes a long term."""
    assert max(map(len, cut("ก" + "\u0e34" * 1000 + "ก"))) <= 64
