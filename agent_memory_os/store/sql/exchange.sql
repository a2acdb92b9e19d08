-- What goes between nodes: registers as they were signed, routes, lists and what waits.

-- name: accounts: the accounts by their rows
SELECT id, account FROM accounts

-- name: devices: the devices by their rows
SELECT id, device FROM devices

-- name: reliances: what writes rely on, by their rows
SELECT id, relies FROM reliances

-- name: registers_of: every register of some objects (a JSON array)
SELECT lseq, object, grp, author, device, stamp, seq, value, reliance, chain, edits, unknown,
  signature, source, slot
FROM registers WHERE object IN (SELECT value FROM json_each(?)) ORDER BY object, lseq

-- name: registers_of_organisation: every register of accounts, agents, teams and projects
SELECT lseq, object, grp, author, device, stamp, seq, value, reliance, chain, edits, unknown,
  signature, source, slot
FROM registers WHERE object >= 'acc_' AND object < 'acc~'
UNION ALL
SELECT lseq, object, grp, author, device, stamp, seq, value, reliance, chain, edits, unknown,
  signature, source, slot
FROM registers WHERE object >= 'agt_' AND object < 'agt~'
UNION ALL
SELECT lseq, object, grp, author, device, stamp, seq, value, reliance, chain, edits, unknown,
  signature, source, slot
FROM registers WHERE object >= 'prj_' AND object < 'prj~'
UNION ALL
SELECT lseq, object, grp, author, device, stamp, seq, value, reliance, chain, edits, unknown,
  signature, source, slot
FROM registers WHERE object >= 'team_' AND object < 'team~'

-- name: proofs_of: what the ids of some objects commit to, but for memories that are here
SELECT object, proof FROM proofs WHERE object IN (SELECT value FROM json_each(?))

-- name: rows_of: some memories, with what their ids commit to
SELECT m.id, a.account, a.agent, m.nonce, {{content_fields}}, m.rowid
FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE m.id IN (SELECT value FROM json_each(?))

-- name: simple: some memories with a content and one register more, if any; one of more comes again
SELECT m.id, m.nonce,
  c.value IS NULL
    AND coalesce(c.chain, c.edits, c.unknown, g.chain, g.edits, g.unknown) IS NULL,
  {{content_fields}},
  m.owner, c.author, c.device, c.reliance, g.grp, g.value, g.author, g.device, g.reliance,
  c.seq, c.stamp, c.lseq, c.signature, c.source, g.seq, g.stamp, g.lseq, g.signature, g.source
FROM json_each(?) AS j
CROSS JOIN memories AS m ON m.id = j.value
CROSS JOIN registers AS c ON c.object = m.id AND c.grp = 'memory.content'
LEFT JOIN registers AS g ON g.object = m.id AND g.grp <> 'memory.content'

-- name: owner: an agent that owns memories, with its account
SELECT account, agent FROM agents WHERE id = ?

-- name: buried: erased memories, with what their ids commit to
SELECT t.id, a.account, a.agent, t.nonce FROM tombstones AS t JOIN agents AS a ON a.id = t.owner
WHERE t.id IN (SELECT value FROM json_each(?))

-- name: keep_signature: the signature of a register, made when it is first sent
UPDATE registers SET signature = ? WHERE lseq = ?

-- name: drop_register: a version that need not be kept
DELETE FROM registers WHERE lseq = ?

-- name: keep_number: a number that was given to a record, and to no register
UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'registers'

-- name: top: the number of what is newest on a route
SELECT coalesce(max(lseq), 0) FROM records WHERE route = ?

-- name: last_number: the newest number that a register was given, though it may be gone
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'registers'), 0)

-- name: set_value: what a content register says; NULL where the memory's row says it
UPDATE registers SET value = ? WHERE lseq = ?

-- name: keep_proof: what an id commits to, of a memory that has no row
INSERT INTO proofs (object, proof) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: drop_proof: the memory's row says it
DELETE FROM proofs WHERE object = ?

-- name: account_row: the row of an account
SELECT id FROM accounts WHERE account = ?

-- name: device_row: the row of a device
SELECT id FROM devices WHERE device = ?

-- name: raise_stamp: this node has seen a stamp
UPDATE node SET last_stamp = max(last_stamp, ?)

-- name: add_account: an account that is known here, by the keys that its id commits to
INSERT INTO accounts (account, root_key, recovery_key, name) VALUES (?, ?, ?, '')
ON CONFLICT (account) DO NOTHING

-- name: add_device: a device that is known here by its keys
INSERT INTO devices (device, account, sign_key, seal_key, state)
VALUES (?, (SELECT id FROM accounts WHERE account = ?), ?, ?, 'certified')
ON CONFLICT (device) DO NOTHING

-- name: device_keys: the public keys of a device
SELECT sign_key, seal_key FROM devices WHERE device = ?

-- name: lists: every list of what remains
SELECT digest, scope, body FROM lists

-- name: keep_list: a list of what remains
INSERT INTO lists (digest, scope, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: park: a register whose time has not come
INSERT INTO parked (digest, due, object, grp, value, line) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: parked_of: what waits of some objects
SELECT object, grp, value FROM parked WHERE object IN (SELECT value FROM json_each(?))

-- name: due: parked registers whose time has come
SELECT digest, line FROM parked WHERE due <= ? ORDER BY due LIMIT 500

-- name: unpark: a register that was taken in
DELETE FROM parked WHERE digest = ?

-- name: source: who brought a register
SELECT id FROM sources WHERE device = ? AND index_id = ?

-- name: add_source: somebody who brings registers
INSERT INTO sources (device, index_id) VALUES (?, ?)

-- name: mark_stale: an object has to be judged again
INSERT INTO stale (object) VALUES (?) ON CONFLICT DO NOTHING

-- name: stale_of_owner: the memories of an agent have to be judged again
INSERT INTO stale (object)
SELECT m.id FROM memories AS m JOIN agents AS a ON a.id = m.owner WHERE a.agent = ?
ON CONFLICT DO NOTHING

-- name: stale_of_asserters: the links that some agents assert have to be judged again
INSERT INTO stale (object)
SELECT object FROM proofs WHERE object >= 'lnk_' AND object < 'lnk~'
  AND json_extract(proof, '$[3]') IN (SELECT value FROM json_each(?))
ON CONFLICT DO NOTHING

-- name: stale_links_of_scope: the links that stand in a scope have to be judged again
INSERT INTO stale (object)
SELECT r.object FROM routes AS t JOIN records AS r ON r.route = t.id
WHERE t.route = ? AND r.object >= 'lnk_' AND r.object < 'lnk~'
ON CONFLICT DO NOTHING

-- name: stale_of_scope: what ever was granted to a scope has to be judged again
INSERT INTO stale (object)
SELECT DISTINCT m.id FROM grants AS g JOIN scopes AS s ON s.id = g.scope
JOIN memories AS m ON m.rowid = g.memory WHERE s.scope = ?
ON CONFLICT DO NOTHING

-- name: stale_hidden: what is not shown has to be judged again
INSERT INTO stale (object) SELECT object FROM hidden WHERE true ON CONFLICT DO NOTHING

-- name: stale: some objects that have to be judged again
SELECT object FROM stale LIMIT ?

-- name: settle: an object was judged
DELETE FROM stale WHERE object = ?

-- name: hide: something is held of a memory, and nothing is shown
INSERT INTO hidden (object) VALUES (?) ON CONFLICT DO NOTHING

-- name: unhide: a memory is shown, or nothing of it is held
DELETE FROM hidden WHERE object = ?

-- name: unplaced: what was written since records were last placed
SELECT object, lseq FROM registers
WHERE lseq > ? AND ((object >= 'mem_' AND object < 'mem~') OR (object >= 'lnk_' AND object < 'lnk~'))
ORDER BY lseq LIMIT ?

-- name: placed: up to which register records are placed
SELECT placed FROM node

-- name: set_placed: records are placed up to a register
UPDATE node SET placed = ?

-- name: ripens_at: when the next register of the organisation is due
SELECT ripens_at FROM node

-- name: set_ripens_at: when the next register of the organisation is due
UPDATE node SET ripens_at = ?

-- name: newest: the number of the newest register
SELECT coalesce(max(lseq), 0) FROM registers

-- name: route: a route by its name
SELECT id, count, total, sketch FROM routes WHERE route = ?

-- name: route_name: what a route is called, by its row
SELECT route FROM routes WHERE id = ?

-- name: add_route: a route on which nothing is yet
INSERT INTO routes (route, count, total, sketch) VALUES (?, 0, zeroblob(32), zeroblob(432))

-- name: set_route: how many records are on a route, the sum of their marks, and their sketch
UPDATE routes SET count = ?, total = ?, sketch = ? WHERE id = ?

-- name: met: of some objects, those of which anything is here
SELECT j.value FROM json_each(?) AS j
WHERE EXISTS (SELECT 1 FROM registers AS r WHERE r.object = j.value)
  OR EXISTS (SELECT 1 FROM memories AS m WHERE m.id = j.value)
  OR EXISTS (SELECT 1 FROM records AS p WHERE p.object = j.value)
  OR EXISTS (SELECT 1 FROM parked AS w WHERE w.object = j.value)
  OR EXISTS (SELECT 1 FROM hidden AS h WHERE h.object = j.value)
  OR EXISTS (SELECT 1 FROM stale AS s WHERE s.object = j.value)

-- name: records_of: where some objects are placed
SELECT object, route, mark, lseq, first FROM records WHERE object IN (SELECT value FROM json_each(?))

-- name: places: where some memories stand in the view
SELECT id, rowid, owner, life, stamp, version, state, updated_at FROM memories
WHERE id IN (SELECT value FROM json_each(?))

-- name: hidden_of: of some objects, those of which nothing is shown
SELECT object FROM hidden WHERE object IN (SELECT value FROM json_each(?))

-- name: stale_of: of some objects, those that have to be judged again
SELECT object FROM stale WHERE object IN (SELECT value FROM json_each(?))

-- name: chart_version: what changes with every register of the organisation that comes or goes
SELECT n.incarnation, n.device,
  (SELECT coalesce(max(lseq), 0) FROM registers WHERE object >= 'acc_' AND object < 'acc~'),
  (SELECT coalesce(max(lseq), 0) FROM registers WHERE object >= 'agt_' AND object < 'agt~'),
  (SELECT coalesce(max(lseq), 0) FROM registers WHERE object >= 'prj_' AND object < 'prj~'),
  (SELECT coalesce(max(lseq), 0) FROM registers WHERE object >= 'team_' AND object < 'team~'),
  (SELECT count(*) FROM lists),
  (SELECT group_concat(account) FROM peers WHERE ceiling = 'shared')
FROM node AS n

-- name: put_record: place an object on a route
INSERT INTO records (route, object, lseq, mark, source, first) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (object, route) DO UPDATE SET lseq = excluded.lseq, mark = excluded.mark,
  source = excluded.source, first = excluded.first

-- name: drop_record: take an object off a route
DELETE FROM records WHERE route = ? AND object = ?

-- name: served: the next records of a route after a number, oldest first
SELECT object, lseq, source FROM records WHERE route = ? AND lseq > ? ORDER BY lseq LIMIT ?

-- name: newer_records: the records of a route after a number, but for what one source brought
SELECT object FROM records WHERE route = ?1 AND lseq > ?2 AND (?3 IS NULL OR source IS NOT ?3)

-- name: marks: every record of a route, with its mark
SELECT object, mark FROM records WHERE route = ?

-- name: shelve: a version that a concurrent edit lost
INSERT INTO shelf (memory, digest, value, device, stamp, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: clear_shelf: what is too old, or too much, of a memory's lost versions
DELETE FROM shelf WHERE memory = ?1 AND (at < ?2 OR id NOT IN (
  SELECT id FROM shelf WHERE memory = ?1 ORDER BY at DESC, id DESC LIMIT ?3))

-- name: trusted: accounts whose memories for everybody are shown here
SELECT account FROM peers WHERE ceiling = 'shared'

-- name: shelf: what edits lost, newest first
SELECT id, memory, value, device, stamp, at FROM shelf WHERE at >= ? ORDER BY at DESC, id DESC

-- name: shelved: one lost version
SELECT id, memory, value, device, stamp, at FROM shelf WHERE id = ?

-- name: unshelve: a lost version was looked at, and put back or let go
DELETE FROM shelf WHERE id = ?

-- name: stale_links: the links that lead from or to a memory have to be judged again
INSERT INTO stale (object)
SELECT object FROM proofs WHERE object >= 'lnk_' AND object < 'lnk~'
  AND (substr(proof, 3, 36) = :memory OR substr(proof, 42, 36) = :memory)
ON CONFLICT DO NOTHING

-- name: any_link: whether any link is held
SELECT 1 FROM proofs WHERE object >= 'lnk_' AND object < 'lnk~' LIMIT 1

-- name: set_device_state: whether a device is certified or revoked
UPDATE devices SET state = ?1 WHERE device = ?2 AND state <> ?1

-- name: set_team: who is in charge of a team, and whether it lives
UPDATE teams SET admin = :admin, charge = :charge, state = :state WHERE team = :team

-- name: memberships: the adds that are shown to hold
SELECT s.scope, a.agent, x.add_digest, x.under
FROM memberships AS x JOIN scopes AS s ON s.id = x.scope JOIN agents AS a ON a.id = x.agent

-- name: drop_membership: an add that does not hold any more
DELETE FROM memberships WHERE scope = (SELECT id FROM scopes WHERE scope = ?)
  AND agent = (SELECT id FROM agents WHERE agent = ?) AND add_digest = ?

-- name: put_membership: an add that holds
INSERT INTO memberships (scope, agent, add_digest, under, since)
SELECT s.id, a.id, ?1, ?2, ?3 FROM scopes AS s, agents AS a WHERE s.scope = ?4 AND a.agent = ?5

-- name: owners_on: whose memories are on a route
SELECT DISTINCT a.account, a.agent FROM routes AS t JOIN records AS r ON r.route = t.id
JOIN memories AS m ON m.id = r.object JOIN agents AS a ON a.id = m.owner WHERE t.route = ?

-- name: named: the records of a route whose ids begin so (a JSON array), each with its mark
SELECT r.object, r.mark FROM json_each(?2) AS n
CROSS JOIN records AS r ON r.route = ?1 AND r.object >= n.value AND r.object < n.value || '~'

-- name: heads: the number of what is newest in each scope
SELECT t.route, (SELECT max(r.lseq) FROM records AS r WHERE r.route = t.id) FROM routes AS t
WHERE t.route NOT LIKE 'by:%' AND t.route NOT LIKE 'of:%' AND t.count > 0

-- name: foreign: memories of others with contents here in some scopes, and all that is not shown
SELECT DISTINCT r.object FROM routes AS t JOIN records AS r ON r.route = t.id
JOIN memories AS m ON m.id = r.object JOIN agents AS a ON a.id = m.owner
WHERE t.route IN (SELECT value FROM json_each(:scopes)) AND a.account <> :account
UNION
SELECT object FROM hidden
LIMIT :limit

-- name: foreign_scopes: the scopes in which memories of other accounts are held, shown or not
SELECT substr(route, instr(route, '|') + 1) FROM routes
WHERE route LIKE 'of:%' AND count > 0 AND substr(route, 4, instr(route, '|') - 4) <> ?
UNION
SELECT iif(h.scope = 'global', 'global:' || h.account, h.scope) FROM (
  SELECT substr(r.grp, length('memory.grant:') + 1) AS scope, a.account
  FROM hidden AS h CROSS JOIN registers AS r ON r.object = h.object
  JOIN accounts AS a ON a.id = r.author
  WHERE r.grp >= 'memory.grant:' AND r.grp < 'memory.grant;'
  UNION
  SELECT j.key, a.account
  FROM hidden AS h CROSS JOIN registers AS r ON r.object = h.object
  JOIN accounts AS a ON a.id = r.author
  JOIN reliances AS l ON l.id = r.reliance, json_each(l.relies) AS j
  WHERE r.grp = 'memory.content'
) AS h

-- name: owned_scopes: the scopes in which memories of one account are held, shown or not
SELECT substr(route, length('of:|' || ?1) + 1) FROM routes
WHERE route >= 'of:' || ?1 || '|' AND route < 'of:' || ?1 || '}' AND count > 0
UNION
SELECT route FROM routes WHERE route = 'global:' || ?1 AND count > 0
UNION
SELECT t.route FROM routes AS t
WHERE t.route >= 'agent:' AND t.route < 'agent;' AND EXISTS (
  SELECT 1 FROM records AS r JOIN memories AS m ON m.id = r.object
  JOIN agents AS a ON a.id = m.owner WHERE r.route = t.id AND a.account = ?1
)
UNION
SELECT iif(h.scope = 'global', 'global:' || h.account, h.scope) FROM (
  SELECT substr(r.grp, length('memory.grant:') + 1) AS scope, a.account
  FROM hidden AS h CROSS JOIN registers AS r ON r.object = h.object
  JOIN accounts AS a ON a.id = r.author
  WHERE r.grp >= 'memory.grant:' AND r.grp < 'memory.grant;'
  UNION
  SELECT j.key, a.account
  FROM hidden AS h CROSS JOIN registers AS r ON r.object = h.object
  JOIN accounts AS a ON a.id = r.author
  JOIN reliances AS l ON l.id = r.reliance, json_each(l.relies) AS j
  WHERE r.grp = 'memory.content'
) AS h WHERE h.account = ?1

-- name: written_by: the memories of an agent that were ever shared, and the links that it asserts
SELECT m.id FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE a.agent = ?1 AND EXISTS (SELECT 1 FROM grants AS g WHERE g.memory = m.rowid)
UNION ALL
SELECT object FROM proofs WHERE object >= 'lnk_' AND object < 'lnk~'
  AND json_extract(proof, '$[3]') = ?1

-- name: scope_number: the row of a scope
SELECT id FROM scopes WHERE scope = ?

-- name: agent_number: the row of an agent
SELECT id FROM agents WHERE agent = ?

-- name: heads_of: the newest heads of some scopes (a JSON array)
SELECT scope, account, stamp, records, mark, line, differs_since, number, source FROM heads
WHERE scope IN (SELECT value FROM json_each(?)) ORDER BY scope, account

-- name: all_heads: the newest head of each account in each scope
SELECT scope, account, stamp, records, mark, line, differs_since, number, source FROM heads
ORDER BY scope, account

-- name: put_head: a head that is newer than the one that is held
INSERT INTO heads (scope, account, stamp, records, mark, line, number, source)
VALUES (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM heads), ?)
ON CONFLICT (scope, account) DO UPDATE SET stamp = excluded.stamp, records = excluded.records,
  mark = excluded.mark, line = excluded.line, differs_since = NULL, number = excluded.number,
  source = excluded.source
WHERE excluded.stamp > heads.stamp

-- name: set_differs: since when what is held differs from what a head says; NULL: it does not
UPDATE heads SET differs_since = CASE WHEN ?1 THEN coalesce(differs_since, ?2) END
WHERE scope = ?3 AND account = ?4

-- name: account_of: the account of a device that is certified
SELECT a.account FROM devices AS d JOIN accounts AS a ON a.id = d.account
WHERE d.device = ? AND d.state = 'certified'

-- name: unshown: what an agent shared by a group of grants, and is not shown by it
SELECT m.id FROM agents AS a JOIN memories AS m ON m.owner = a.id
WHERE a.agent = ?2 AND m.state = 'active'
  AND (SELECT max(r.value ->> 'length') FROM registers AS r WHERE r.object = m.id AND r.grp = ?1) % 2 = 1
  AND NOT EXISTS (
    SELECT 1 FROM grants AS g JOIN scopes AS s ON s.id = g.scope
    WHERE g.memory = m.rowid AND g.until IS NULL AND 'memory.grant:' || s.scope = ?1)
ORDER BY m.id

-- name: device_state: whether a device that is known is certified or revoked
SELECT state FROM devices WHERE device = ?

-- name: scope_of: what kind of audience a scope is, and whom it names
SELECT kind, ref FROM scopes WHERE scope = ?

-- name: called: what people call an agent, a team or a project
SELECT name FROM agents WHERE agent = :id
UNION ALL SELECT name FROM teams WHERE team = :id
UNION ALL SELECT t.name || '/' || p.name FROM projects AS p JOIN teams AS t ON t.id = p.team
WHERE p.project = :id

-- name: cursor_routes: the routes that are taken in from anybody
SELECT DISTINCT route FROM cursors

-- name: held_after: memories and links of which a register is held, by their ids
SELECT DISTINCT object FROM registers
WHERE object > ? AND ((object >= 'lnk_' AND object < 'lnk~') OR (object >= 'mem_' AND object < 'mem~'))
ORDER BY object LIMIT 500

-- name: any_source: whether another device ever brought anything, or was revoked, or took a team over
SELECT EXISTS (SELECT 1 FROM sources)
  OR EXISTS (
    SELECT 1 FROM registers
    WHERE object >= 'team_' AND object < 'team~' AND grp = 'team.admin')
  OR EXISTS (
    SELECT 1 FROM registers
    WHERE object >= 'acc_' AND object < 'acc~' AND value ->> 'state' = 'revoked')

-- name: charge: by which register whoever is in charge of a team is that
SELECT charge FROM teams WHERE team = ?

-- name: keep_signature_of: the signature of a register of the organisation, made as it was written
UPDATE registers SET signature = ? WHERE object = ? AND grp = ? AND digest = ?

-- name: arrive: from which number on what comes now is numbered
INSERT INTO arrivals (lseq, at) VALUES (?, ?)
ON CONFLICT (lseq) DO UPDATE SET at = max(at, excluded.at)

-- name: come_after: from which number on what is held came after a time; NULL where nothing did
SELECT min(lseq) FROM arrivals WHERE at > ?

-- name: written_by_device: memories and links of which a device wrote something, oldest id first
SELECT DISTINCT object FROM registers
WHERE device = (SELECT id FROM devices WHERE device = ?) AND object > ?
  AND ((object >= 'lnk_' AND object < 'lnk~') OR (object >= 'mem_' AND object < 'mem~'))
ORDER BY object LIMIT 500

-- name: ended_since: memories and links of which others said something after a change
SELECT DISTINCT r.object FROM registers AS r
JOIN accounts AS a ON a.id = r.author
WHERE r.lseq > ? AND a.account <> (SELECT account FROM node)
  AND ((r.object >= 'mem_' AND r.object < 'mem~') OR (r.object >= 'lnk_' AND r.object < 'lnk~'))
  AND r.grp <> 'memory.content'

-- name: unsigned: memories and links of which a register was not signed yet
SELECT DISTINCT object FROM registers
WHERE signature IS NULL
  AND ((object >= 'lnk_' AND object < 'lnk~') OR (object >= 'mem_' AND object < 'mem~'))
