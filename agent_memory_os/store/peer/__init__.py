"""Peers: who they are, how far they were served, what could not be taken, what edits lost."""
