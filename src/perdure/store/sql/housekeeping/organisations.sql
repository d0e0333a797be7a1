-- Every organisation, whose settings say what is kept how long.
SELECT id FROM organisations ORDER BY id
