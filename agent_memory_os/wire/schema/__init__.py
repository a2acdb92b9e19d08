"""The schema of the API: what a body may hold, and what an answer holds."""
