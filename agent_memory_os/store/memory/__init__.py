"""What is kept of one memory beside what it says now."""
