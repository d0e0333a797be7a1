-- Seal a secret of provider_keys anew, if nobody changed it meanwhile.
UPDATE provider_keys SET secret = $2 WHERE secret = $1
