"""Keeping the file in order: sweeping, checking, rebuilding. None of it is on the way of a read."""
