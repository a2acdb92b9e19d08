"""Pairing: two nodes that never met come to know each other by a code that people say aloud.

``code`` is what is said; ``handshake`` makes keys of it; ``message`` is what goes over the wire.
Nothing here decides what anybody is let into.
"""
