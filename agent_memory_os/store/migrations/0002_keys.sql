-- Keys of the API. The secret is not here: `hash` is the SHA-256 of it. A name is free again once
-- its key was revoked.
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'reader', 'operator', 'metrics')),
  agent INTEGER REFERENCES agents (id),
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER,
  max_requests INTEGER,
  max_writes INTEGER,
  max_bytes INTEGER,
  max_memories INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX keys_by_name ON keys (name) WHERE revoked_at IS NULL;

-- What was used through the API, by day (of UTC, counted from 1970), key and agent. No content.
CREATE TABLE usage (
  day INTEGER NOT NULL,
  key TEXT NOT NULL,
  agent INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  writes INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, key, agent)
) STRICT, WITHOUT ROWID;
