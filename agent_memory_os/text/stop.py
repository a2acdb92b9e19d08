"""Words that a question is made of, and that say nothing of what it asks for.

A question drops them unless it has nothing else (`text.query`); the index keeps them
(`text.segment` says why). Contractions stand here without their apostrophe, as they are indexed.

Of Chinese only characters that ask or point are here, and that are hardly part of another word:
a question drops each pair with one of them. On 27 questions about Chinese chats (BM25 alone) the
answer is then among the first ten for 27 of them, and for 25 without.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    # articles, pronouns, determiners
    "a an the i me my mine myself we us our ours ourselves you your yours yourself yourselves he "
    "him his himself she her hers herself it its itself they them their theirs themselves this "
    "that these those some any each such "
    # question words
    "who whom whose what which when where why how "
    # verbs that help others
    "am is are was were be been being do does did doing done have has had having will would shall "
    "should can could might must "
    # prepositions, conjunctions, adverbs of no content
    "of in on at by for with about into from to as if or and but nor so than then there here "
    "also just very too not no only own same "
    # contractions
    "dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt cant cannot hasnt "
    "havent hadnt mustnt aint lets".split()
)

STOP_CHARACTERS = frozenset("吗呢吧么谁你您我她它们这哪什")
