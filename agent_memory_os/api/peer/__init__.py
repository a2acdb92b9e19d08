"""Peers: who comes in by a signature and not by a key, and what passes between."""
