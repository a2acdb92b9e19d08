"""What goes to whom: what a store keeps, serves, asks for and drops, as pure decisions."""
