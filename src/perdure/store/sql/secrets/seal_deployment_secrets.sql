-- Seal a secret of deployment_secrets anew, if nobody changed it meanwhile.
UPDATE deployment_secrets SET secret = $2 WHERE secret = $1
