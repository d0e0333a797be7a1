-- A database user for one replica. Names cannot be parameters.
CREATE ROLE replica_{number} SUPERUSER LOGIN
