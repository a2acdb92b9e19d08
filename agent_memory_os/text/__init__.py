"""What is known about text: its form, words, dates, secrets and length.

Nothing here reads a clock, a file or the network: the same text gives the same answer always, as
what lies in an index must. Only the standard library is imported, and what is heavy is made when
it is first needed, for every command passes through here.
"""

from __future__ import annotations
