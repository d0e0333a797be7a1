-- Have every model of the simulator answer as fast as it can, at a price.
UPDATE model_settings SET model = 'swift', options = $1
