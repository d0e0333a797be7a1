-- Seal a secret of login_services anew, if nobody changed it meanwhile.
UPDATE login_services SET secret = $2 WHERE secret = $1
