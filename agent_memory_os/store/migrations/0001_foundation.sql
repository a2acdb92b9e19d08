-- The first schema. One row of `registers` is one register (or, in a log group, one entry), in the
-- order in which this node applied it; every other table but `audit` and `node` is the
-- materialised view of them, written in the same transaction and rebuilt from them. The row
-- of `memories` is the value of its content register, which is stored nowhere else.

PRAGMA application_id = 1095585619;

-- This node: whose it is, the last stamp and number that it gave out, what it was made on.
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

-- Which add registers a write relies on, as canonical JSON; few distinct ones, so kept once.
CREATE TABLE reliances (
  id INTEGER PRIMARY KEY,
  relies TEXT NOT NULL UNIQUE
) STRICT;

-- slot: 0 or the reliance for groups that keep the newest; the entry's seq for logs.
-- value is NULL for the content that the row of `memories` is the value of; digest is the SHA-256 of
-- a content's canonical value, or of a chained register's signed bytes. edits is the stamp of the
-- content that a content was made from. unknown holds the fields of a newer version that this one
-- does not know. source tells which peer brought it, with the index that the peer then had.
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

-- When what peers sent came: whatever has the number lseq or a higher one came at that time or later.
-- A person who dates a theft is asked when something came, for a thief writes what stamps it likes.
CREATE TABLE arrivals (
  lseq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;

-- What the id of an agent, team, project, link or account commits to, as canonical JSON: without it
-- a register could neither be sent nor shown again. A memory's is its owner and its nonce.
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

-- charge: the register by which the admin is in charge; empty, it founded the team.
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

-- Every audience that a grant can name, once: `agent:ID`, `team:ID`, `project:ID`, `global`.
-- Its number is what grants, memberships and the index carry. documents and words count the
-- active memories that a reader of this scope finds, and their index terms.
CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'team', 'project', 'global')),
  ref INTEGER NOT NULL,
  documents INTEGER NOT NULL DEFAULT 0,
  words INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A member of a team or project, once for each add register that stands; an add to a project
-- stands on the team's add that `under` names, and ends with it.
CREATE TABLE memberships (
  scope INTEGER NOT NULL REFERENCES scopes (id),
  agent INTEGER NOT NULL REFERENCES agents (id),
  add_digest TEXT NOT NULL,
  under TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (scope, agent, add_digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_agent ON memberships (agent);

-- state 'forgotten' keeps the content for an undo; an erased memory has no row at all.
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
-- An index for each order of time, so that a page in it looks at a page's worth of rows.
CREATE INDEX memories_by_created ON memories (created_at);
CREATE INDEX memories_by_updated ON memories (updated_at);
CREATE INDEX memories_by_event ON memories (coalesce(event_at, created_at));
CREATE INDEX memories_by_valid ON memories (coalesce(valid_from, event_at, created_at));
CREATE INDEX memories_by_type ON memories (type);
CREATE INDEX memories_by_owner ON memories (owner, created_at);
CREATE INDEX memories_by_author ON memories (author COLLATE NOCASE, created_at)
  WHERE author IS NOT NULL;
CREATE INDEX memories_by_session ON memories (session, owner, position) WHERE session IS NOT NULL;
-- same: the first bytes of a hash of owner, text and circumstances, to find an exact duplicate. What
-- belongs to another account has none: nobody adds anything for its agents here.
CREATE INDEX memories_by_same ON memories (same) WHERE same IS NOT NULL;
-- changed: the lseq of the register by which the content or the life last changed. Whoever follows
-- what changes is told of that alone: content is logged again where a memory is shared, and that is
-- its owner's business.
CREATE INDEX memories_by_changed ON memories (changed);
CREATE INDEX memories_pinned ON memories (created_at) WHERE pinned = 1;
CREATE INDEX memories_forgotten ON memories (forgotten_at) WHERE state = 'forgotten';

-- The audience, and whoever was in it: a grant holds while until is NULL.
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

-- A version that was superseded by an edit: what it said, from when until when.
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

-- What the index holds of a memory: its terms in order, and the scopes that they were entered
-- under. Both are needed word for word to take it out of the index again.
CREATE TABLE documents (
  memory INTEGER PRIMARY KEY REFERENCES memories (rowid) ON DELETE CASCADE,
  scopes TEXT NOT NULL,
  terms TEXT NOT NULL
) STRICT;

-- The lexical index: each term once for each scope that may see the memory, as `scope:term`, so
-- that the gate is part of the term. It stores no text and keeps no statistics of its own.
CREATE VIRTUAL TABLE terms USING fts5 (
  text, content = '', columnsize = 0, detail = none,
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
-- Small segments are merged early: each term of a search is looked up in each of them.
INSERT INTO terms (terms, rank) VALUES ('crisismerge', 6);

-- What is left of a memory whose content is gone: enough to keep it forgotten, and to prove the id.
CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES agents (id),
  nonce BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who looked or acted beyond what an agent may: never any content.
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

-- In a backup, what the files held that people edit in the home, and whether that was applied; in a
-- node there is nothing here.
CREATE TABLE files (
  name TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  is_applied INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

-- Nonces of requests that devices signed, each kept for as long as its request would be taken.
CREATE TABLE nonces (
  device TEXT NOT NULL,
  nonce BLOB NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (device, nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX nonces_by_until ON nonces (until);

-- Invitations that this node gave out, by the number of their code; words is the secret of it, and
-- is gone once nobody can join by it any more. scope is 'team:ID', or empty for a further device.
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

-- Lists of what remains of somebody's writes, by the digest that a register names. body is canonical.
CREATE TABLE lists (
  digest TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What was signed for a time that has not come: the line of a register, taken in when it is due.
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

-- Memories and links that have to be judged again, since what was said of the organisation changed;
-- and those of which something is held and nothing is shown.
CREATE TABLE stale (
  object TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE hidden (
  object TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Devices that this node exchanges with. index_id is the index that the peer had last, account its
-- account, ceiling the most that it is sent, wants what it asked for last (JSON), seen_at when it
-- last answered, offset by how many milliseconds its clock is ahead (NULL: the two have never spoken at
-- once), fault why the last try failed. greeted names the terms of both that the last hello told, told
-- is what this node wanted when the peer last answered (JSON), and heard what the peer said then that
-- stands until it says otherwise: so neither is said again while it is the same. failures counts how
-- often it could not be reached since it last was. is_learned tells that nobody added it here: it is a
-- device of somebody in a team of this account's, and goes when that ends. said is how far the peer
-- itself said last that it took in what this node serves (JSON), and said_at when; unlike wants it is
-- never moved by what was only sent. under is the index of this node when the peer was added.
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

-- Devices that a person removed from the peers: they are not learned again.
CREATE TABLE unwanted (
  device TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Where devices say that they are reached, and how they call themselves: the newest of each, as it
-- signed it; an empty url takes back what was said before. number only grows, and is higher the later
-- it came; source is the peer that brought it, nothing for this node's own.
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

-- How far the records of a route were given out to a device, in whatever way, under which index: kept
-- before anything goes, for what may have arrived counts as arrived. It stays when the peer is removed.
CREATE TABLE served (
  device TEXT NOT NULL,
  route TEXT NOT NULL,
  origin TEXT NOT NULL,
  lseq INTEGER NOT NULL,
  PRIMARY KEY (device, route)
) STRICT, WITHOUT ROWID;

-- Devices that were peers once, and what they were called: their copies are not forgotten with them.
-- is_whole tells that this file saw all that they were ever given: it was not restored meanwhile.
CREATE TABLE former_peers (
  device TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  said TEXT NOT NULL,
  said_at INTEGER,
  removed_at INTEGER NOT NULL,
  is_whole INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a device said that it dropped, of what it had asked about, and the newest number here by then.
CREATE TABLE dropped (
  device TEXT NOT NULL,
  object TEXT NOT NULL,
  at INTEGER NOT NULL,
  lseq INTEGER NOT NULL,
  PRIMARY KEY (device, object)
) STRICT, WITHOUT ROWID;

-- What this device dropped after it had asked a peer about it, which is still to be told so; tries
-- counts how often it was, in answers of which nobody knows that they arrived.
CREATE TABLE drops (
  peer INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  object TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (peer, object)
) STRICT, WITHOUT ROWID;

-- Which of the account's agents a peer's account is told of.
CREATE TABLE introductions (
  peer INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  agent TEXT NOT NULL,
  PRIMARY KEY (peer, agent)
) STRICT, WITHOUT ROWID;

-- How far a peer's route was taken in: which index of the peer numbered, and under which frame.
CREATE TABLE cursors (
  peer INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  route TEXT NOT NULL,
  origin TEXT NOT NULL,
  token TEXT NOT NULL,
  lseq INTEGER NOT NULL,
  PRIMARY KEY (peer, route)
) STRICT, WITHOUT ROWID;

-- Who brought a register: a device, with the index that it then had.
CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL,
  index_id TEXT NOT NULL,
  UNIQUE (device, index_id)
) STRICT;

-- What a peer sent and this node could not take: kept to be looked at, and sent to nobody.
CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY,
  peer TEXT NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  size INTEGER NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  line BLOB NOT NULL
) STRICT;

-- Routes: `by:ACCOUNT`, what an account wrote, and each scope of a grant. count and total are the
-- number of records on it and the sum of their marks, by which two nodes see whether they agree; sketch
-- is a summary of a fixed size, by which they find the few that differ.
CREATE TABLE routes (
  id INTEGER PRIMARY KEY,
  route TEXT NOT NULL UNIQUE,
  count INTEGER NOT NULL DEFAULT 0,
  total BLOB NOT NULL,
  sketch BLOB NOT NULL
) STRICT;

-- A memory or link on a route: the newest register of it, the sum of the digests of what is served
-- of it there, and who brought it, where one peer brought all of that. Those of one object lie
-- together, for they are written together; a route is read by numbers, and out of its index alone.
-- first tells under which number the record first stood there with its content: NULL, under lseq; 0, it
-- never did; below zero, under that number without its sign, and the content was taken back since.
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

-- How many records an account says that it put into a scope, and the sum of their marks: its newest
-- head of each, as its device signed it. differs_since tells since when less is held here, or more.
-- number only grows, and is higher the later a head came; source is the peer that brought it, nothing
-- for one of this node's own.
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

-- What a concurrent edit lost: a few versions of a memory, to be looked at and put back.
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
