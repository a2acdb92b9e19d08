"""What secrets look like: keys and passwords in one line, and private keys in their armour.

`text.redact` is the door: it looks whether there can be any, and masks them.
"""

from __future__ import annotations
