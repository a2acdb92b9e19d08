"""What a set of registers means: who has authority, who is a member, what counts, and why not."""
