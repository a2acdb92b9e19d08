"""Bundles: what a node sends to other devices, sealed so that those alone can open it."""
