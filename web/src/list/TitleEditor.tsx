import { useState } from "react";
import type { ChatCard } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { useChatVerbs } from "./verbs.ts";

export function TitleEditor({ card, onDone }: { card: ChatCard; onDone: () => void }) {
  const verbs = useChatVerbs(card);
  const [title, setTitle] = useState(card.title);
  const save = () => {
    if (title.trim() && title !== card.title) verbs.rename(title.trim());
    onDone();
  };
  return (
    <li className="chat-row">
      <input
        className="input"
        aria-label={t("Title")}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to rename
        autoFocus
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === "Enter") save();
          if (event.key === "Escape") onDone();
        }}
      />
    </li>
  );
}
