-- No words are due for this turn any more: no model finds them, or nobody pays for it.
UPDATE chat_cards SET described_turns = turns WHERE id = $1 AND turns = $2
