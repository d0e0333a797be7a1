import { useState } from "react";
import { api } from "../api/client.ts";
import type { Message } from "../api/types.ts";
import { contentOf, textOf } from "../chat/model/said.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useKeptText } from "../chat/network/keptText.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useFilesBack } from "./filesBack.tsx";

interface Props {
  message: Message;
  /** Where what is typed is kept. */
  place: string;
  onDone: () => void;
}

/** Say it differently: the conversation goes on from here, and what came after stays as a branch. */
export function EditBox({ message, place, onDone }: Props) {
  const live = useLiveChat();
  const { complain } = useToasts();
  const { text, setText, forget, fresh } = useKeptText(place, textOf(message.parts));
  const [saving, setSaving] = useState(false);
  const [ask, dialog] = useFilesBack(live.id);
  const done = () => {
    forget();
    onDone();
  };
  const save = async () => {
    setSaving(true);
    try {
      const wish = await ask(message.number);
      if (wish) {
        const content = contentOf(message.parts, text);
        await api.put(`/chats/${live.id}/messages/${message.number}`, { content, ...wish });
        done();
      } else setSaving(false);
    } catch (error) {
      setSaving(false);
      complain(error);
    }
  };
  return (
    <div className="edit-box">
      <textarea
        className="input"
        dir="auto"
        aria-label={t("Edit message")}
        rows={Math.min(16, text.split("\n").length + 1)}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to edit
        autoFocus={fresh}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") done();
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void save();
        }}
      />
      <div className="spread">
        <span className="quiet small grow">{t("The answers below stay available as another version.")}</span>
        <Button small onClick={done}>
          {t("Cancel")}
        </Button>
        <Button small look="primary" disabled={saving || !text.trim()} onClick={() => void save()}>
          {t("Send")}
        </Button>
      </div>
      {dialog}
    </div>
  );
}
