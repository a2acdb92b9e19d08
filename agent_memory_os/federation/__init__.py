"""Federation: whose node this is, and in what form it sends to others what it holds.

``identity`` has the keys; ``statement`` and ``signing`` what is signed, as lines; ``bundle`` seals
lines to devices; ``hello`` agrees on a protocol; ``requests`` signs what is asked and answered;
``transport`` carries bundles. Nothing here decides what anybody may have.
"""
