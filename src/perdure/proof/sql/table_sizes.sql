-- How much room the tables that grow with messages take, by table: rows, their own bytes, those of their indexes.
SELECT c.relname AS name, c.reltuples::bigint AS rows, pg_table_size(c.oid) AS own, pg_indexes_size(c.oid) AS indexes
FROM pg_class c
WHERE c.relname IN ('messages', 'search_documents', 'chats', 'chat_cards') AND c.relkind = 'r'
ORDER BY c.relname
