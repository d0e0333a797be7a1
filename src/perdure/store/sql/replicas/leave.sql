-- A replica that drained is gone.
DELETE FROM replicas WHERE id = $1
