-- Budgets of people and organisations: what was spent in a month, and what replicas have set aside for their calls.

-- Nothing was ever written to their first form.
DROP TABLE budget_slices;
DROP TABLE budgets;

CREATE TABLE budgets (
    -- A user or an organisation.
    payer uuid NOT NULL,
    month date NOT NULL,
    spent bigint NOT NULL DEFAULT 0,
    -- The sum of this payer's slices. It is kept here so that two replicas that take one at once meet at this row.
    held bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (payer, month)
) WITH (fillfactor = 50);

CREATE TABLE budget_slices (
    payer uuid NOT NULL,
    month date NOT NULL,
    replica_id uuid NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (payer, month, replica_id)
) WITH (fillfactor = 50);
