"""What a node keeps of its exchange with others."""
