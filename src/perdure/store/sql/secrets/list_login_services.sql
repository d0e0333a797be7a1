-- Every sealed secret of login_services.
SELECT secret FROM login_services WHERE secret IS NOT NULL
