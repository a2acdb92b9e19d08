"""The mesh around a node: peers that nobody added, and nodes that are near."""
