"""The store: the only floor that speaks SQL. One SQLite file is the source of truth."""
