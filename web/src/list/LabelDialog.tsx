/** Labels of one chat, or of several at once. */

import { Plus, X } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import type { ChatCard } from "../api/types.ts";
import { useCards } from "../chat/network/directory.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { type Labels, labelled, labelOf, sharedLabels, wordsOfLabel } from "./labels.ts";
import { useVerbs } from "./verbs.ts";

export default function LabelDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const cards = useCards();
  const verbsOf = useVerbs();
  const chosen = ids.flatMap((id) => cards.get(id) ?? []);
  const labels = sharedLabels(chosen.map((card) => card.labels ?? {}));
  const set = (change: (labels: Labels) => Labels) => {
    for (const card of chosen) verbsOf(card).label(change(card.labels ?? {}));
  };
  return (
    <Dialog
      title={
        ids.length > 1
          ? t("Labels of {count, plural, one {# chat} other {# chats}}", { count: ids.length })
          : t("Labels")
      }
      onClose={onClose}
    >
      <div className="stack">
        <ul className="labels">
          {Object.entries(labels).map(([name, value]) => (
            <li key={name} className="pill pill-accent">
              {wordsOfLabel(name, value)}
              <button
                type="button"
                aria-label={t("Remove label {name}", { name: wordsOfLabel(name, value) })}
                onClick={() => set((all) => labelled(all, name, null))}
              >
                <X aria-hidden />
              </button>
            </li>
          ))}
          {Object.keys(labels).length === 0 && (
            <li className="quiet">
              {ids.length > 1 ? t("These chats have no label in common.") : t("No labels yet.")}
            </li>
          )}
        </ul>
        <NewLabel cards={cards.values()} onAdd={(name, value) => set((all) => labelled(all, name, value))} />
      </div>
    </Dialog>
  );
}

interface NewLabelProps {
  cards: Iterable<ChatCard>;
  onAdd: (name: string, value: string) => void;
}

function NewLabel({ cards, onAdd }: NewLabelProps) {
  const id = useId();
  const [text, setText] = useState("");
  const found = labelOf(text);
  const known = new Set<string>();
  for (const card of cards)
    for (const [name, value] of Object.entries(card.labels ?? {})) known.add(wordsOfLabel(name, value));
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!found) return;
    onAdd(...found);
    setText("");
  };
  return (
    <form className="spread" onSubmit={add}>
      <input
        className="input"
        aria-label={t("New label")}
        placeholder={t("urgent, or team: docs")}
        list={id}
        maxLength={120}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody wants to type
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <datalist id={id}>
        {[...known].sort().map((label) => (
          <option key={label} value={label} />
        ))}
      </datalist>
      <Button look="primary" type="submit" disabled={!found}>
        <Plus /> {t("Add")}
      </Button>
    </form>
  );
}
