-- Say that a replica lives.
INSERT INTO replicas (id, address, version, capacity) VALUES ($1, $2, $3, $4)
