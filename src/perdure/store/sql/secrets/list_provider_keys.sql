-- Every sealed secret of provider_keys.
SELECT secret FROM provider_keys WHERE secret IS NOT NULL
