"""Dates and times, as people write them and as they are shown."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidTime
from agent_memory_os.text.dates import age, find_dates, parse_duration, parse_instant

WEDNESDAY = date(2026, 11, 25)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOW = (datetime(2026, 11, 25, 12, 30, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


def found(text: str) -> list[tuple[str, str, str]]:
    """Each date of a text: its first day, its last day, its words."""
    return [
        (day(span.start_ms), day(span.end_ms - 1), span.text)
        for span in find_dates(text, WEDNESDAY)
    ]


def day(ms: int) -> str:
    """The day of an instant."""
    return str((EPOCH + timedelta(milliseconds=ms)).date())


@pytest.mark.parametrize(
    ("text", "first", "last", "words"),
    [
        # English, written out
        ("on 8 May 2023 we", "2023-05-08", "2023-05-08", "8 May 2023"),
        ("May 8, 2023", "2023-05-08", "2023-05-08", "May 8, 2023"),
        ("the 8th of May, 2023", "2023-05-08", "2023-05-08", "8th of May, 2023"),
        ("8-May-2023", "2023-05-08", "2023-05-08", "8-May-2023"),
        ("3 may 2023", "2023-05-03", "2023-05-03", "3 may 2023"),
        ("in May 2023", "2023-05-01", "2023-05-31", "May 2023"),
        ("Sept. 2023", "2023-09-01", "2023-09-30", "Sept. 2023"),
        ("March of 2020", "2020-03-01", "2020-03-31", "March of 2020"),
        ("May 3-5, 2023", "2023-05-03", "2023-05-05", "May 3-5, 2023"),
        ("30 February 2023", "2023-02-01", "2023-02-28", "February 2023"),
        ("Q3 2024", "2024-07-01", "2024-09-30", "Q3 2024"),
        ("in 2024-Q1", "2024-01-01", "2024-03-31", "2024-Q1"),
        ("summer of 2023", "2023-06-01", "2023-08-31", "summer of 2023"),
        ("winter 2023", "2023-12-01", "2024-02-29", "winter 2023"),
        ("in 2023", "2023-01-01", "2023-12-31", "2023"),
        ("early 2024", "2024-01-01", "2024-12-31", "2024"),
        ("Monday, 8 May 2023", "2023-05-08", "2023-05-08", "8 May 2023"),
        ("last May 2023", "2023-05-01", "2023-05-31", "May 2023"),
        # English, without a year
        ("May 8th", "2026-05-08", "2026-05-08", "May 8th"),
        ("on 26 November", "2025-11-26", "2025-11-26", "26 November"),
        ("29 February", "2024-02-29", "2024-02-29", "29 February"),
        ("Dec 3 to 5", "2025-12-03", "2025-12-05", "Dec 3 to 5"),
        ("in may", "2026-05-01", "2026-05-31", "may"),
        ("since December", "2025-12-01", "2025-12-31", "December"),
        ("by March", "2026-03-01", "2026-03-31", "March"),
        ("mid-October", "2026-10-01", "2026-10-31", "October"),
        # English, relative
        ("yesterday's standup", "2026-11-24", "2026-11-24", "yesterday"),
        ("tomorrow", "2026-11-26", "2026-11-26", "tomorrow"),
        ("tonight", "2026-11-25", "2026-11-25", "tonight"),
        ("last night", "2026-11-24", "2026-11-24", "last night"),
        ("this morning", "2026-11-25", "2026-11-25", "this morning"),
        ("last Tuesday", "2026-11-24", "2026-11-24", "last Tuesday"),
        ("next Friday", "2026-11-27", "2026-11-27", "next Friday"),
        ("this Monday", "2026-11-23", "2026-11-23", "this Monday"),
        ("on Thursday", "2026-11-19", "2026-11-19", "Thursday"),
        ("last week", "2026-11-16", "2026-11-22", "last week"),
        ("this weekend", "2026-11-28", "2026-11-29", "this weekend"),
        ("last month", "2026-10-01", "2026-10-31", "last month"),
        ("next quarter", "2027-01-01", "2027-03-31", "next quarter"),
        ("last year", "2025-01-01", "2025-12-31", "last year"),
        ("last summer", "2026-06-01", "2026-08-31", "last summer"),
        ("next spring", "2027-03-01", "2027-05-31", "next spring"),
        ("last May", "2026-05-01", "2026-05-31", "last May"),
        ("the last 10 days", "2026-11-16", "2026-11-25", "last 10 days"),
        ("past two weeks", "2026-11-12", "2026-11-25", "past two weeks"),
        ("the past month", "2026-10-26", "2026-11-25", "past month"),
        ("the next 3 days", "2026-11-26", "2026-11-28", "next 3 days"),
        ("3 days ago", "2026-11-22", "2026-11-22", "3 days ago"),
        ("two weeks ago", "2026-11-09", "2026-11-15", "two weeks ago"),
        ("a fortnight ago", "2026-11-09", "2026-11-15", "a fortnight ago"),
        ("a couple of days ago", "2026-11-23", "2026-11-23", "a couple of days ago"),
        ("four years ago", "2022-01-01", "2022-12-31", "four years ago"),
        ("in two days", "2026-11-27", "2026-11-27", "in two days"),
        ("two weeks from now", "2026-12-07", "2026-12-13", "two weeks from now"),
        ("the day before yesterday", "2026-11-23", "2026-11-23", "the day before yesterday"),
        ("the day after tomorrow", "2026-11-27", "2026-11-27", "the day after tomorrow"),
        # Digits
        ("at 2023-05-08T10:00", "2023-05-08", "2023-05-08", "2023-05-08"),
        ("2023/5/8", "2023-05-08", "2023-05-08", "2023/5/8"),
        ("2023.05.08", "2023-05-08", "2023-05-08", "2023.05.08"),
        ("by 2025-06", "2025-06-01", "2025-06-30", "2025-06"),
        ("May 2023-05-08", "2023-05-08", "2023-05-08", "2023-05-08"),
        ("25/12/2023", "2023-12-25", "2023-12-25", "25/12/2023"),
        ("12/25/2023", "2023-12-25", "2023-12-25", "12/25/2023"),
        ("8.5.2023", "2023-05-08", "2023-05-08", "8.5.2023"),
        # Chinese
        ("我们2023年5月8日去了", "2023-05-08", "2023-05-08", "2023年5月8日"),
        ("二〇二三年五月", "2023-05-01", "2023-05-31", "二〇二三年五月"),
        ("2023年", "2023-01-01", "2023-12-31", "2023年"),
        ("去年五月", "2025-05-01", "2025-05-31", "去年五月"),
        ("今年3月", "2026-03-01", "2026-03-31", "今年3月"),
        ("明年", "2027-01-01", "2027-12-31", "明年"),
        ("5月8号", "2026-05-08", "2026-05-08", "5月8号"),
        ("十一月二十三日", "2026-11-23", "2026-11-23", "十一月二十三日"),
        ("在十二月", "2025-12-01", "2025-12-31", "十二月"),
        ("昨天", "2026-11-24", "2026-11-24", "昨天"),
        ("大后天", "2026-11-28", "2026-11-28", "大后天"),
        ("今晚", "2026-11-25", "2026-11-25", "今晚"),
        ("上周", "2026-11-16", "2026-11-22", "上周"),
        ("上上周三", "2026-11-11", "2026-11-11", "上上周三"),
        ("下个星期天", "2026-12-06", "2026-12-06", "下个星期天"),
        ("这周末", "2026-11-28", "2026-11-29", "这周末"),
        ("周五", "2026-11-20", "2026-11-20", "周五"),
        ("上个月", "2026-10-01", "2026-10-31", "上个月"),
        ("下个月5号", "2026-12-05", "2026-12-05", "下个月5号"),
        ("三天前", "2026-11-22", "2026-11-22", "三天前"),
        ("两个月后", "2027-01-01", "2027-01-31", "两个月后"),
        ("20个星期前", "2026-07-06", "2026-07-12", "20个星期前"),
        ("最近7天", "2026-11-19", "2026-11-25", "近7天"),
        ("过去两周", "2026-11-12", "2026-11-25", "过去两周"),
        ("十年前", "2016-01-01", "2016-12-31", "十年前"),
    ],
)
def test_each_way_of_writing_a_date(text: str, first: str, last: str, words: str) -> None:
    """A date gives its days and the words that said it."""
    assert found(text) == [(first, last, words)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no date at all",
        "I may go, they march on, spring into action, fall down",
        "this may be; next may come",
        "and may",
        "the 2023 things on port 2024",
        "in 2000-2001",
        "option 3 may be used",
        "every Monday",
        "in 5 minutes",
        "next day, this day",
        "a week",
        "one day before the release",
        "9999 years ago",
        "q5 2024, 2024 q",
        "2023-14 2023-02-30 99/99/2023 08-05-23 10.0.0.1",
        "每周一 一周一次 5000年历史 以前天气 2023年13月 13月 31月40日",
        "二月三十日 上个月40号 9999年前",
        "last",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    """Verbs, numbers, repetitions and impossible dates give nothing."""
    assert found(text) == []


def test_a_date_that_can_be_two_gives_both() -> None:
    """Day first, then month first; they are one where they agree."""
    assert found("08/05/2023") == [
        ("2023-05-08", "2023-05-08", "08/05/2023"),
        ("2023-08-05", "2023-08-05", "08/05/2023"),
    ]
    assert found("5/5/23") == [("2023-05-05", "2023-05-05", "5/5/23")]


@pytest.mark.parametrize(
    ("text", "beside", "itself"),
    [
        ("the week before August 3, 2023", ("2023-07-27", "2023-08-02"), "August 3, 2023"),
        ("the week after 3 August 2023", ("2023-08-04", "2023-08-10"), "3 August 2023"),
        ("two weeks before August 11, 2023", ("2023-07-24", "2023-07-30"), "August 11, 2023"),
        ("last weekend before April 10, 2023", ("2023-04-08", "2023-04-09"), "April 10, 2023"),
        ("the weekend after April 10, 2023", ("2023-04-15", "2023-04-16"), "April 10, 2023"),
        ("the weekend after April 15, 2023", ("2023-04-22", "2023-04-23"), "April 15, 2023"),
        ("the month prior to June 2023", ("2023-05-01", "2023-05-31"), "June 2023"),
        ("the day after May 31, 2023", ("2023-06-01", "2023-06-01"), "May 31, 2023"),
    ],
)
def test_a_date_beside_another_gives_both(text: str, beside: tuple[str, str], itself: str) -> None:
    """What lies before or after a date comes first, then the date itself."""
    first, second = found(text)
    assert first == (*beside, text)
    assert second[2] == itself


def test_dates_come_in_the_order_of_the_text() -> None:
    """However they are written, they are listed as they stand."""
    text = "2023-05-08, then yesterday; 昨天 and on 3 June 2023 (5月8号)"
    words = [words for _, _, words in found(text)]
    assert words == ["2023-05-08", "yesterday", "昨天", "3 June 2023", "5月8号"]


FRAGMENTS = (
    "may May 3 31 2023 99 9999 last next this the in on of a couple week weeks month day year ago "
    "before after Monday yesterday Q3 q 3 - , . / 年 月 日 5月 上 下 个 周 三 天 前 去年 最近 "
    "2023-05-08 0"
).split()


@given(
    st.lists(st.sampled_from(FRAGMENTS) | st.text(st.characters(), max_size=4), max_size=12),
    st.sampled_from(["", " "]),
    st.dates(),
)
def test_any_text_on_any_day_gives_sound_spans(parts: list[str], glue: str, today: date) -> None:
    """No text and no day fails; a span is not empty, and its words are in the text."""
    text = glue.join(parts)
    for span in find_dates(text, today):
        assert span.start_ms < span.end_ms
        assert span.start_ms % DAY == span.end_ms % DAY == 0
        assert span.text
        assert span.text in text


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-05-08", "2026-05-08T00:00:00+00:00"),
        (" 2026-05-08T10:00 ", "2026-05-08T10:00:00+00:00"),
        ("2026-05-08 10:00:30.5+02:00", "2026-05-08T08:00:30.500000+00:00"),
        ("2026-05-08T10:00Z", "2026-05-08T10:00:00+00:00"),
        ("20260508", "2026-05-08T00:00:00+00:00"),
        ("2026", "2026-01-01T00:00:00+00:00"),
        ("1780000000000", "2026-05-28T20:26:40+00:00"),
        ("-1780000000000", "1913-08-06T03:33:20+00:00"),
        ("3d", "2026-11-22T12:30:00+00:00"),
        ("2h ago", "2026-11-25T10:30:00+00:00"),
        ("90 Minutes Ago", "2026-11-25T11:00:00+00:00"),
        ("1h30m ago", "2026-11-25T11:00:00+00:00"),
        ("in 3d", "2026-11-28T12:30:00+00:00"),
        ("+3d", "2026-11-28T12:30:00+00:00"),
        ("now", "2026-11-25T12:30:00+00:00"),
        ("yesterday", "2026-11-24T00:00:00+00:00"),
        ("last week", "2026-11-16T00:00:00+00:00"),
        ("8 May 2023", "2023-05-08T00:00:00+00:00"),
        ("昨天", "2026-11-24T00:00:00+00:00"),
    ],
)
def test_each_way_of_naming_an_instant(text: str, instant: str) -> None:
    """An argument names one instant."""
    assert parse_instant(text, NOW) == (datetime.fromisoformat(instant) - EPOCH) // timedelta(
        milliseconds=1
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "0000", "-123", "1780000000", "9" * 30, "9" * 15, "2026-02-30", "\0", "\ud800"),
        *("2026-05-08T25:00", "3 d and more", "-3d", "5", "99999y", "see you yesterday"),
        "a" * 1000,
    ],
)
def test_what_is_no_instant_is_refused_in_one_sentence(text: str) -> None:
    """The error shows what was written, shortened, and says what can be."""
    with pytest.raises(InvalidTime, match=r"is no time: write a date \(2026-05-08\)") as caught:
        parse_instant(text, NOW)
    assert len(str(caught.value)) < 300


def test_an_instant_that_can_be_two_is_refused() -> None:
    """An argument may not be ambiguous."""
    with pytest.raises(InvalidTime, match="can be two dates"):
        parse_instant("08/05/2023", NOW)


@given(st.integers(-(10**14), 10**14).filter(lambda ms: len(str(abs(ms))) > 10))
def test_milliseconds_are_read_back(ms: int) -> None:
    """An instant in milliseconds is itself."""
    assert parse_instant(str(ms), NOW) == ms


@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_times_are_read_back(instant: datetime) -> None:
    """An instant in ISO 8601 is itself, to the millisecond."""
    assert parse_instant(instant.isoformat(), NOW) == (instant - EPOCH) // timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("90s", 90 * SECOND),
        ("1h", HOUR),
        ("30d", 30 * DAY),
        ("2w", 14 * DAY),
        ("1h30m", 90 * MINUTE),
        (" 1d 2h ", 26 * HOUR),
        ("1.5h", 90 * MINUTE),
        ("500ms", 500),
        ("2 minutes", 2 * MINUTE),
        ("3 months", 90 * DAY),
        ("3mo", 90 * DAY),
        ("1 Year", 365 * DAY),
        ("0s", 0),
    ],
)
def test_durations(text: str, duration: int) -> None:
    """A duration is numbers with units."""
    assert parse_duration(text) == duration


@pytest.mark.parametrize("text", ["", "5", "5x", "-3d", "h", "3 d ago", "999999999999y", "1e5s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    """The error says what a duration is."""
    with pytest.raises(InvalidTime, match="is no duration: write a number and a unit"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("away", "shown"),
    [
        (0, "just now"),
        (59 * SECOND, "just now"),
        (61 * SECOND, "1 min ago"),
        (HOUR, "1 h ago"),
        (3 * DAY + HOUR, "3 d ago"),
        (13 * DAY, "13 d ago"),
        (20 * DAY, "2 w ago"),
        (70 * DAY, "2 mo ago"),
        (400 * DAY, "1 y ago"),
        (-2 * HOUR - 5, "in 2 h"),
        (-3 * DAY, "in 3 d"),
    ],
)
def test_ages(away: int, shown: str) -> None:
    """An age has one unit, rounded down."""
    assert age(NOW - away, NOW) == shown
