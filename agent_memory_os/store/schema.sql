-- What all migrations together give; made from them by `make generate`, do not edit.
-- The files in migrations/ say what a row means.

PRAGMA application_id = 1095585619;
PRAGMA user_version = 1;

CREATE TABLE node (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  account TEXT NOT NULL,
  device TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  last_stamp INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  chain_head TEXT NOT NULL,
  home_mark TEXT NOT NULL,
  fleet_mark TEXT NOT NULL,
  fleet_fault TEXT NOT NULL,
  settings_mark TEXT NOT NULL,
  settings_fault TEXT NOT NULL,
  default_agent TEXT NOT NULL,
  index_form INTEGER NOT NULL,
  -- Whether node.toml lets devices of a team's members become peers by themselves.
  acquaints INTEGER NOT NULL DEFAULT 1,
  -- How many erased memories may still have bytes in the file.
  unswept INTEGER NOT NULL DEFAULT 0,
  -- Up to which register records are placed on the routes that peers are served.
  placed INTEGER NOT NULL DEFAULT 0,
  -- When the next register of the organisation is due that lies ahead of the clock; NULL: none does.
  ripens_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL UNIQUE,
  root_key TEXT NOT NULL,
  recovery_key TEXT NOT NULL,
  name TEXT NOT NULL
) STRICT;

CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL UNIQUE,
  account INTEGER NOT NULL REFERENCES accounts (id),
  sign_key TEXT NOT NULL,
  seal_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('certified', 'revoked'))
) STRICT;

CREATE TABLE reliances (
  id INTEGER PRIMARY KEY,
  relies TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE registers (
  lseq INTEGER PRIMARY KEY AUTOINCREMENT,
  object TEXT NOT NULL,
  grp TEXT NOT NULL,
  author INTEGER NOT NULL REFERENCES accounts (id),
  device INTEGER NOT NULL REFERENCES devices (id),
  slot INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  value TEXT,
  digest BLOB,
  reliance INTEGER REFERENCES reliances (id),
  chain TEXT,
  edits INTEGER,
  unknown TEXT,
  signature BLOB,
  source INTEGER,
  UNIQUE (object, grp, author, device, slot)
) STRICT;

CREATE TABLE arrivals (
  lseq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE proofs (
  object TEXT PRIMARY KEY,
  proof TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX proofs_of_links_from ON proofs (substr(proof, 3, 36))
  WHERE object >= 'lnk_' AND object < 'lnk~';

CREATE INDEX proofs_of_links_to ON proofs (substr(proof, 42, 36))
  WHERE object >= 'lnk_' AND object < 'lnk~';

CREATE TABLE agents (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  first_name TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  display_name TEXT NOT NULL,
  notes TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'removed')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX agents_by_name ON agents (name);

CREATE TABLE teams (
  id INTEGER PRIMARY KEY,
  team TEXT NOT NULL UNIQUE,
  founder TEXT NOT NULL,
  nonce TEXT NOT NULL,
  admin TEXT NOT NULL,
  charge TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL,
  notes TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'removed')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  project TEXT NOT NULL UNIQUE,
  team INTEGER NOT NULL REFERENCES teams (id),
  nonce TEXT NOT NULL,
  name TEXT NOT NULL,
  notes TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'removed')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX projects_by_team ON projects (team);

CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'team', 'project', 'global')),
  ref INTEGER NOT NULL,
  documents INTEGER NOT NULL DEFAULT 0,
  words INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE memberships (
  scope INTEGER NOT NULL REFERENCES scopes (id),
  agent INTEGER NOT NULL REFERENCES agents (id),
  add_digest TEXT NOT NULL,
  under TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (scope, agent, add_digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX memberships_by_agent ON memberships (agent);

CREATE TABLE memories (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner INTEGER NOT NULL REFERENCES agents (id),
  nonce BLOB NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  summary TEXT,
  tags TEXT,
  source TEXT,
  author TEXT,
  session TEXT,
  position INTEGER,
  event_at INTEGER,
  confidence INTEGER NOT NULL,
  importance INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  valid_from INTEGER,
  valid_to INTEGER,
  expires_at INTEGER,
  half_life_days INTEGER,
  editor TEXT,
  reason TEXT,
  life INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  version INTEGER NOT NULL,
  same BLOB,
  changed INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'forgotten')),
  forgotten_at INTEGER
) STRICT;

CREATE INDEX memories_by_created ON memories (created_at);

CREATE INDEX memories_by_updated ON memories (updated_at);

CREATE INDEX memories_by_event ON memories (coalesce(event_at, created_at));

CREATE INDEX memories_by_valid ON memories (coalesce(valid_from, event_at, created_at));

CREATE INDEX memories_by_type ON memories (type);

CREATE INDEX memories_by_owner ON memories (owner, created_at);

CREATE INDEX memories_by_author ON memories (author COLLATE NOCASE, created_at)
  WHERE author IS NOT NULL;

CREATE INDEX memories_by_session ON memories (session, owner, position) WHERE session IS NOT NULL;

CREATE INDEX memories_by_same ON memories (same) WHERE same IS NOT NULL;

CREATE INDEX memories_by_changed ON memories (changed);

CREATE INDEX memories_pinned ON memories (created_at) WHERE pinned = 1;

CREATE INDEX memories_forgotten ON memories (forgotten_at) WHERE state = 'forgotten';

CREATE TABLE grants (
  memory INTEGER NOT NULL REFERENCES memories (rowid) ON DELETE CASCADE,
  scope INTEGER NOT NULL REFERENCES scopes (id),
  since INTEGER NOT NULL,
  until INTEGER,
  granted_by TEXT NOT NULL,
  revoked_by TEXT,
  PRIMARY KEY (memory, scope, since)
) STRICT, WITHOUT ROWID;

CREATE INDEX grants_by_scope ON grants (scope, memory) WHERE until IS NULL;

CREATE TABLE memory_versions (
  memory INTEGER NOT NULL REFERENCES memories (rowid) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  value TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (memory, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  link TEXT NOT NULL UNIQUE,
  src INTEGER NOT NULL REFERENCES memories (rowid) ON DELETE CASCADE,
  dst INTEGER NOT NULL REFERENCES memories (rowid) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  weight INTEGER NOT NULL,
  asserted_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX links_by_src ON links (src);

CREATE INDEX links_by_dst ON links (dst);

CREATE TABLE documents (
  memory INTEGER PRIMARY KEY REFERENCES memories (rowid) ON DELETE CASCADE,
  scopes TEXT NOT NULL,
  terms TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE terms USING fts5 (
  text, content = '', columnsize = 0, detail = none,
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES agents (id),
  nonce BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX audit_by_time ON audit (at);

CREATE INDEX audit_by_actor ON audit (actor, at);

CREATE INDEX audit_by_action ON audit (action, at);

CREATE TABLE files (
  name TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  is_applied INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE usage (
  day INTEGER NOT NULL,
  key TEXT NOT NULL,
  agent INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  writes INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, key, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE nonces (
  device TEXT NOT NULL,
  nonce BLOB NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (device, nonce)
) STRICT, WITHOUT ROWID;

CREATE INDEX nonces_by_until ON nonces (until);

CREATE TABLE invitations (
  number INTEGER PRIMARY KEY,
  words TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  device TEXT,
  joined_at INTEGER
) STRICT;

CREATE TABLE lists (
  digest TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE parked (
  digest TEXT PRIMARY KEY,
  due INTEGER NOT NULL,
  object TEXT NOT NULL,
  grp TEXT NOT NULL,
  value TEXT NOT NULL,
  line BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX parked_by_due ON parked (due);

CREATE INDEX parked_by_object ON parked (object);

CREATE TABLE stale (
  object TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE hidden (
  object TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE peers (
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  sign_key TEXT NOT NULL,
  seal_key TEXT NOT NULL,
  root_key TEXT NOT NULL,
  recovery_key TEXT NOT NULL,
  address TEXT NOT NULL,
  pin TEXT NOT NULL,
  ceiling TEXT NOT NULL,
  index_id TEXT NOT NULL,
  wants TEXT NOT NULL,
  clock_offset INTEGER,
  added_at INTEGER NOT NULL,
  tried_at INTEGER,
  seen_at INTEGER,
  fault TEXT NOT NULL,
  greeted TEXT NOT NULL DEFAULT '',
  told TEXT NOT NULL DEFAULT '',
  heard TEXT NOT NULL DEFAULT '',
  failures INTEGER NOT NULL DEFAULT 0,
  is_learned INTEGER NOT NULL DEFAULT 0,
  said TEXT NOT NULL DEFAULT '',
  said_at INTEGER,
  under TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE unwanted (
  device TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE addresses (
  device TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  stamp INTEGER NOT NULL,
  url TEXT NOT NULL,
  called TEXT NOT NULL,
  line BLOB NOT NULL,
  number INTEGER NOT NULL,
  source TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE served (
  device TEXT NOT NULL,
  route TEXT NOT NULL,
  origin TEXT NOT NULL,
  lseq INTEGER NOT NULL,
  PRIMARY KEY (device, route)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_peers (
  device TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  said TEXT NOT NULL,
  said_at INTEGER,
  removed_at INTEGER NOT NULL,
  is_whole INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE dropped (
  device TEXT NOT NULL,
  object TEXT NOT NULL,
  at INTEGER NOT NULL,
  lseq INTEGER NOT NULL,
  PRIMARY KEY (device, object)
) STRICT, WITHOUT ROWID;

CREATE TABLE drops (
  peer INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  object TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (peer, object)
) STRICT, WITHOUT ROWID;

CREATE TABLE introductions (
  peer INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  agent TEXT NOT NULL,
  PRIMARY KEY (peer, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE cursors (
  peer INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  route TEXT NOT NULL,
  origin TEXT NOT NULL,
  token TEXT NOT NULL,
  lseq INTEGER NOT NULL,
  PRIMARY KEY (peer, route)
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL,
  index_id TEXT NOT NULL,
  UNIQUE (device, index_id)
) STRICT;

CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY,
  peer TEXT NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  size INTEGER NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  line BLOB NOT NULL
) STRICT;

CREATE TABLE routes (
  id INTEGER PRIMARY KEY,
  route TEXT NOT NULL UNIQUE,
  count INTEGER NOT NULL DEFAULT 0,
  total BLOB NOT NULL,
  sketch BLOB NOT NULL
) STRICT;

CREATE TABLE records (
  route INTEGER NOT NULL REFERENCES routes (id),
  object TEXT NOT NULL,
  lseq INTEGER NOT NULL,
  mark BLOB NOT NULL,
  source INTEGER,
  first INTEGER,
  PRIMARY KEY (object, route)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_by_lseq ON records (route, lseq, mark, source);

CREATE INDEX records_taken_back ON records (route) WHERE first < 0;

CREATE TABLE heads (
  scope TEXT NOT NULL,
  account TEXT NOT NULL,
  stamp INTEGER NOT NULL,
  records INTEGER NOT NULL,
  mark BLOB NOT NULL,
  line BLOB NOT NULL,
  differs_since INTEGER,
  number INTEGER NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (scope, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE shelf (
  id INTEGER PRIMARY KEY,
  memory TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  value TEXT NOT NULL,
  device TEXT NOT NULL,
  stamp INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX shelf_by_memory ON shelf (memory);
