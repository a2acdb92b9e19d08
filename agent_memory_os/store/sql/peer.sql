-- Peers: the devices that this node exchanges with, how far, and what could not be taken.

-- name: add: a peer
INSERT INTO peers (device, account, name, sign_key, seal_key, root_key, recovery_key, address, pin,
  ceiling, index_id, wants, clock_offset, added_at, fault, is_learned, under)
VALUES (:device, :account, :name, :sign_key, :seal_key, :root_key, :recovery_key, :address, :pin,
  :ceiling, '', '', NULL, :now, '', :is_learned,
  iif(:device IN (SELECT device FROM former_peers WHERE NOT is_whole), '',
    (SELECT incarnation FROM node)))

-- name: change: how a peer is reached, called and limited
UPDATE peers SET name = :name, address = :address, pin = :pin, ceiling = :ceiling,
  clock_offset = CASE WHEN address = :address THEN clock_offset END,
  failures = CASE WHEN address = :address THEN failures ELSE 0 END, is_learned = :is_learned
WHERE device = :device

-- name: remove: a peer; its cursors go with it
DELETE FROM peers WHERE device = ?

-- name: limit: the most that a peer is sent, and whether anybody added it
UPDATE peers SET ceiling = ?, is_learned = ? WHERE device = ?

-- name: refuse: a device that is not to be learned again
INSERT INTO unwanted (device) VALUES (?) ON CONFLICT DO NOTHING

-- name: allow: a device that somebody wants after all
DELETE FROM unwanted WHERE device = ?

-- name: unwanted: the devices that are not learned
SELECT device FROM unwanted

-- name: put_address: where a device says that it is reached, if that is newer
INSERT INTO addresses (device, account, stamp, url, called, line, number, source)
VALUES (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM addresses), ?)
ON CONFLICT (device) DO UPDATE SET account = excluded.account, stamp = excluded.stamp,
  url = excluded.url, called = excluded.called, line = excluded.line, number = excluded.number,
  source = excluded.source
WHERE excluded.stamp > addresses.stamp

-- name: addresses: where devices of some accounts (a JSON array) say that they are reached
SELECT device, account, stamp, url, called, line, number, source FROM addresses
WHERE account IN (SELECT value FROM json_each(?)) ORDER BY number

-- name: address_of: where a device says that it is reached
SELECT device, account, stamp, url, called, line, number, source FROM addresses WHERE device = ?

-- name: stray_addresses: what was said before a moment, of accounts (a JSON array) that are others,
-- or by a device that was revoked
SELECT device FROM addresses WHERE stamp < ?1 OR account NOT IN (SELECT value FROM json_each(?2))
  OR device IN (SELECT device FROM devices WHERE state = 'revoked')

-- name: drop_address: where a device said that it is reached
DELETE FROM addresses WHERE device = ?

-- name: count_addresses: how many devices of an account say where they are reached, but for one
SELECT count(*) FROM addresses WHERE account = ?1 AND device <> ?2

-- name: remember: somebody who is no peer any more, and may have what it was sent
INSERT INTO former_peers (device, account, name, said, said_at, removed_at, is_whole)
SELECT device, account, name, said, said_at, ?2, under = (SELECT incarnation FROM node)
FROM peers WHERE device = ?1
ON CONFLICT (device) DO UPDATE SET name = excluded.name, said = excluded.said,
  said_at = excluded.said_at, removed_at = excluded.removed_at, is_whole = excluded.is_whole

-- name: remember_unknown: somebody was given something that this file knows nothing of
INSERT INTO former_peers (device, account, name, said, said_at, removed_at, is_whole)
VALUES (?, ?, ?, '', NULL, ?, 0)
ON CONFLICT (device) DO UPDATE SET is_whole = 0

-- name: known_again: a device that is a peer is no former one
DELETE FROM former_peers WHERE device = ?

-- name: all: every peer, by name
SELECT id, device, account, name, sign_key, seal_key, root_key, recovery_key, address, pin, ceiling,
  index_id, wants, clock_offset, added_at, tried_at, seen_at, fault, greeted, told, heard,
  failures, is_learned, said, said_at, under
FROM peers ORDER BY name

-- name: of_device: one peer
SELECT id, device, account, name, sign_key, seal_key, root_key, recovery_key, address, pin, ceiling,
  index_id, wants, clock_offset, added_at, tried_at, seen_at, fault, greeted, told, heard,
  failures, is_learned, said, said_at, under
FROM peers WHERE device = ?

-- name: introduce: an agent that a peer's account is told of
INSERT INTO introductions (peer, agent) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: introduced: the agents that a peer's account is told of
SELECT agent FROM introductions WHERE peer = ? ORDER BY agent

-- name: set_wants: what a peer asked for last, and the index that it has
UPDATE peers SET wants = ?, index_id = ? WHERE id = ?

-- name: set_said: how far a peer itself said that it took in what is served here, and when
UPDATE peers SET said = ?, said_at = ? WHERE id = ?

-- name: said_again: a peer has just said what it had said before
UPDATE peers SET said_at = ? WHERE id = ?

-- name: set_greeted: under which terms the two said hello last
UPDATE peers SET greeted = ? WHERE id = ?

-- name: set_told: what this node wanted when the peer last answered
UPDATE peers SET told = ? WHERE id = ?

-- name: set_heard: what the peer said that stands until it says otherwise
UPDATE peers SET heard = ? WHERE id = ?

-- name: tried: a peer was tried, and what went wrong
UPDATE peers SET tried_at = ?1, fault = ?2, failures = iif(?2 = '', 0, failures + 1) WHERE id = ?3

-- name: seen: a peer answered, or had written when it was there
UPDATE peers SET tried_at = ?1, seen_at = max(coalesce(seen_at, 0), ?2),
  clock_offset = coalesce(?3, clock_offset), fault = '', failures = 0 WHERE id = ?4

-- name: offsets: by how much the clocks of peers are ahead that were seen since a moment
SELECT clock_offset FROM peers WHERE seen_at >= ? AND clock_offset IS NOT NULL ORDER BY clock_offset

-- name: cursors: how far each route of a peer was taken in
SELECT route, origin, token, lseq FROM cursors WHERE peer = ? ORDER BY route

-- name: set_cursor: how far a route was taken in
INSERT INTO cursors (peer, route, origin, token, lseq) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (peer, route) DO UPDATE SET origin = excluded.origin, token = excluded.token,
  lseq = excluded.lseq

-- name: set_frame: the frame of a route; its records as far as they were, and the peer believes
INSERT INTO cursors (peer, route, origin, token, lseq) VALUES (?1, ?2, ?3, ?4, 0)
ON CONFLICT (peer, route) DO UPDATE SET origin = ?3, token = ?4,
  lseq = iif(cursors.origin = ?3, min(cursors.lseq, ?5), 0)

-- name: move_cursor: a route was taken in further, from a number up to which it had been
UPDATE cursors SET lseq = ?1
WHERE peer = ?2 AND route = ?3 AND origin = ?4 AND token = ?5 AND lseq >= ?6 AND lseq < ?1

-- name: drop_cursor: what a peer served of a route is asked for anew
DELETE FROM cursors WHERE peer = ? AND route = ?

-- name: drop_shared_cursors: what accounts share with everybody is asked for anew
DELETE FROM cursors WHERE route >= 'global:' AND route < 'global;'

-- name: drop_cursors: what every peer served of a route is asked for anew
DELETE FROM cursors WHERE route = ?

-- name: put_aside: what could not be taken
INSERT INTO quarantine (peer, at, reason, size, hash, line) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: aside: what could not be taken, newest first
SELECT id, peer, at, reason, size, line FROM quarantine ORDER BY id DESC LIMIT ?

-- name: aside_for: what could not be taken for one reason
SELECT id, peer, at, reason, size, line FROM quarantine WHERE reason = ? ORDER BY id LIMIT ?

-- name: count_aside: how much could not be taken
SELECT count(*) FROM quarantine

-- name: let_go: what could not be taken is looked at
DELETE FROM quarantine WHERE id = ?

-- name: clear_aside: no more is kept than can be looked at
DELETE FROM quarantine WHERE id <= (SELECT max(id) FROM quarantine) - ?
