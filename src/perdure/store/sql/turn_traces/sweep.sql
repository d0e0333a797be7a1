-- Forget the traces of turns that are long over.
DELETE FROM turn_traces WHERE began_at < now() - $1::interval
