-- Seal a secret of hooks anew, if nobody changed it meanwhile.
UPDATE hooks SET secret = $2 WHERE secret = $1
