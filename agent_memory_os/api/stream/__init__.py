"""Streams of events: who follows what happens, and what each is told."""
