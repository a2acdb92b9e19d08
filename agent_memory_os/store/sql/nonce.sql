-- Nonces of signed requests.

-- name: drop: those whose requests are too old to be taken
DELETE FROM nonces WHERE until < ?

-- name: take: keep one, unless it was there
INSERT INTO nonces (device, nonce, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
