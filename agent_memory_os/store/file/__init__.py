"""The file itself: connections to it, its raw bytes, and copies of it."""
