-- What is to be pushed is found by its subscribers. An index on a time that every turn moves only made turns dearer.
DROP INDEX inbox_unpushed;
