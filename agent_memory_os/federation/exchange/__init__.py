"""An exchange between two nodes: what is asked for, what is served, and how it is taken in."""
