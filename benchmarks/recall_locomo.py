"""How much of the evidence for a question is recalled, on conversations in LoCoMo's form.

    python benchmarks/recall_locomo.py --data DIR

DIR holds the conversations as LoCoMo-10 publishes them, one JSON file each (Maharana et al., ACL
2024). Each gets a store of its own, made through the SDK. A turn is a memory: its text with the
caption of its photo, its speaker as author, its session, position and date. A question's evidence
is the turns that it names; one that names none is left out. recall@k is the share of a question's
evidence among the first k memories, averaged over the questions of categories 1 to 4. A turn that
is named and is not there counts as missed.

Told apart: category 5, whose questions are put to the wrong person (the evidence is that of the
right one); and questions put to the other conversations' stores, which have no answer there, and
how many of them are answered with nothing.

``--undated`` leaves out the dates, ``--anonymous`` the authors.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from agent_memory_os.client import MemoryClient

ANSWERABLE = (1, 2, 3, 4)
MISATTRIBUTED = 5
DEPTH = 10


class Question(NamedTuple):
    """A question, its category, and the turns that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


class Conversation(NamedTuple):
    """A conversation: its turns as memories, by the turn's id, and its questions."""

    name: str
    turns: dict[str, dict[str, object]]
    questions: tuple[Question, ...]


class Answer(NamedTuple):
    """The turns found for a question, best first, and the CPU time it took, in milliseconds."""

    question: Question
    found: tuple[str, ...]
    cost: float


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of conversations (*.json)")
    parser.add_argument("--undated", action="store_true", help="leave out the dates of the turns")
    parser.add_argument("--anonymous", action="store_true", help="leave out who says a turn")
    options = parser.parse_args()
    dropped = {"event_at"} if options.undated else set()
    dropped |= {"author"} if options.anonymous else set()
    conversations = [read(path, dropped) for path in sorted(options.data.glob("*.json"))]
    if not conversations:
        parser.error(f"{options.data} holds no *.json")
    own: list[Answer] = []
    foreign: list[Answer] = []
    for conversation in conversations:
        others = [other for other in conversations if other is not conversation]
        asked = [question for other in others for question in other.questions]
        with tempfile.TemporaryDirectory() as home, MemoryClient(home, agent="reader") as client:
            turns = store(client, conversation)
            answers = [ask(client, turns, question) for question in conversation.questions]
            foreign += [ask(client, turns, question) for question in asked]
        print(f"{conversation.name}: {len(turns)} memories, recall@10 {recall(answers, DEPTH):.3f}")
        own += answers
    report(own, foreign)


def read(path: Path, dropped: Iterable[str]) -> Conversation:
    """Return a conversation from its file, its turns without the fields that are dropped."""
    data = json.loads(path.read_text(encoding="utf-8"))
    turns = {}
    for turn_id, fields in _turns(data):
        turns[turn_id] = {name: value for name, value in fields.items() if name not in dropped}
    questions = tuple(
        Question(item["question"], item["category"], evidence)
        for item in data["qa"]
        if (evidence := frozenset(re.findall(r"D\d+:\d+", " ".join(item.get("evidence", ())))))
    )
    return Conversation(path.stem, turns, questions)


def _turns(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, object]]]:
    for session in sorted((key for key in data if re.fullmatch(r"session_\d+", key)), key=_number):
        written = data[f"{session}_date_time"]
        at = datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for position, turn in enumerate(data[session]):
            caption = turn.get("blip_caption")
            photo = f" [shares a photo: {caption}]" if caption else ""
            yield (
                turn["dia_id"],
                {
                    "content": turn["text"] + photo,
                    "author": turn["speaker"],
                    "session": session,
                    "position": position,
                    "event_at": int(at.timestamp() * 1000),
                    "key": turn["dia_id"],
                },
            )


def _number(session: str) -> int:
    return int(session.removeprefix("session_"))


def store(client: MemoryClient, conversation: Conversation) -> dict[str, str]:
    """Store the turns, and return each one's id by its memory's."""
    outcomes = client.add_many(conversation.turns.values())
    return {
        outcome.memory.id: turn_id
        for outcome, turn_id in zip(outcomes, conversation.turns, strict=True)
    }


def ask(client: MemoryClient, turns: dict[str, str], question: Question) -> Answer:
    """Search for a question."""
    start = time.process_time()
    hits = client.search(question.text, limit=DEPTH)
    cost = 1000 * (time.process_time() - start)
    return Answer(question, tuple(turns[hit.memory.id] for hit in hits), cost)


def recall(answers: Iterable[Answer], depth: int, categories: Iterable[int] = ANSWERABLE) -> float:
    """Return the mean share of the evidence among the first ``depth``, over some categories."""
    shares = [
        len(answer.question.evidence.intersection(answer.found[:depth]))
        / len(answer.question.evidence)
        for answer in answers
        if answer.question.category in categories
    ]
    return sum(shares) / max(len(shares), 1)


def reciprocal(answer: Answer) -> float:
    """Return 1 / the rank of the first evidence, 0 if there is none."""
    ranks = [rank for rank, turn in enumerate(answer.found, 1) if turn in answer.question.evidence]
    return 1 / ranks[0] if ranks else 0.0


def report(own: list[Answer], foreign: list[Answer]) -> None:
    """Print the figures as a table."""
    answerable = [answer for answer in own if answer.question.category in ANSWERABLE]
    unanswerable = [answer for answer in foreign if answer.question.category in ANSWERABLE]
    costs = sorted(answer.cost for answer in own)
    rows = [
        ("questions of categories 1 to 4", f"{len(answerable)}"),
        ("recall@5", f"{recall(own, 5):.3f}"),
        ("recall@10", f"{recall(own, DEPTH):.3f}"),
        ("MRR@10", f"{sum(map(reciprocal, answerable)) / len(answerable):.3f}"),
    ]
    rows += [
        (f"recall@10, category {category}", f"{recall(own, DEPTH, (category,)):.3f}")
        for category in (*ANSWERABLE, MISATTRIBUTED)
    ]
    empty = sum(not answer.found for answer in answerable) / len(answerable)
    rows.append(("answered with nothing", f"{empty:.3f}"))
    if unanswerable:
        empty = sum(not answer.found for answer in unanswerable) / len(unanswerable)
        rows.append(("the same, asked of another conversation", f"{empty:.3f}"))
    rows.append(
        ("CPU of a search, median and 95%, ms", f"{_at(costs, 0.5)} and {_at(costs, 0.95)}")
    )
    width = max(len(name) for name, _ in rows)
    for name, figure in rows:
        print(f"{name:<{width}}  {figure}")


def _at(costs: list[float], share: float) -> str:
    return f"{costs[int(share * (len(costs) - 1))]:.1f}"


if __name__ == "__main__":
    main()
