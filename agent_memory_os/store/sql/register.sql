-- Registers: the log of small facts that everything else is a view of.

-- name: node: this node's numbers
SELECT account, device, incarnation, last_stamp, last_seq, chain_head FROM node

-- name: advance: keep the last stamp, number and chain head that were given out
UPDATE node SET last_stamp = ?, last_seq = ?, chain_head = ?

-- name: at_place: the version that a register's place holds, and whether it was signed
SELECT lseq, signature IS NOT NULL FROM registers
WHERE object = ? AND grp = ? AND author = ? AND device = ? AND slot = ?

-- name: clear_place: take away the version that a register's place held
DELETE FROM registers WHERE lseq = ?

-- name: move_aside: keep a version beside the one that takes its place
UPDATE registers SET slot = (
  SELECT min(0, min(slot)) - 1 FROM registers
  WHERE object = ?1 AND grp = ?2 AND author = ?3 AND device = ?4
) WHERE lseq = ?5

-- name: any_list: whether there is any list of what remains
SELECT 1 FROM lists LIMIT 1

-- name: log_content: log a content register; the row of the memory is its value
INSERT INTO registers (object, grp, author, device, slot, stamp, seq, digest, reliance, edits)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, 0))

-- name: log_value: log a register that says something else of a memory, or a link
INSERT INTO registers (object, grp, author, device, slot, stamp, seq, value, reliance)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0))

-- name: log_link: log a register that stands in the chain
INSERT INTO registers (object, grp, author, device, slot, stamp, seq, value, reliance, digest, chain)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?)

-- name: keep_proof: what an id commits to, once
INSERT INTO proofs (object, proof) VALUES (?, ?) ON CONFLICT (object) DO NOTHING

-- name: account_row: the row of an account
SELECT id FROM accounts WHERE account = ?

-- name: device_row: the row of a device
SELECT id FROM devices WHERE device = ?

-- name: reliance_row: the row of a set of add registers
SELECT id FROM reliances WHERE relies = ?

-- name: add_reliance: keep a set of add registers once
INSERT INTO reliances (relies) VALUES (?)

-- name: versions: every version that is held of an object and group
SELECT r.object, r.grp, a.account, d.device, r.stamp, r.seq, r.value, r.digest, l.relies, r.chain,
  r.unknown
FROM registers AS r
JOIN accounts AS a ON a.id = r.author
JOIN devices AS d ON d.id = r.device
LEFT JOIN reliances AS l ON l.id = r.reliance
WHERE r.object = ? AND r.grp = ?

-- name: drop_content: an erased memory keeps no trace of its content, not even a digest
DELETE FROM registers WHERE object = ? AND grp = 'memory.content'

-- name: count: how many registers are held
SELECT count(*) FROM registers

-- name: made_from: the stamp of the content that the present one of a memory was made from
SELECT r.edits FROM registers AS r JOIN memories AS m ON m.id = r.object AND m.stamp = r.stamp
WHERE r.object = ? AND r.grp = 'memory.content' LIMIT 1
