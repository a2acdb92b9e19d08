"""Discovery: nodes that are near, on this machine and in its network."""
