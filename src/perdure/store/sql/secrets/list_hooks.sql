-- Every sealed secret of hooks.
SELECT secret FROM hooks WHERE secret IS NOT NULL
