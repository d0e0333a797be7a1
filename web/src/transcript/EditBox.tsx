import { useState } from "react";
import { api } from "../api/client.ts";
import type { Content, Message } from "../api/types.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { textOf } from "../chat/said.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

/** Say it differently: the conversation goes on from here, and what came after stays as a branch. */
export function EditBox({ message, onDone }: { message: Message; onDone: () => void }) {
  const live = useLiveChat();
  const { complain } = useToasts();
  const [text, setText] = useState(textOf(message.parts));
  const [saving, setSaving] = useState(false);
  const save = async () => {
    const others = message.parts.filter(
      (part) => part.type === "file" || part.type === "file_reference",
    ) as Content[];
    setSaving(true);
    try {
      await api.put(`/chats/${live.id}/messages/${message.number}`, {
        content: [...others, { type: "text", text }],
      });
      onDone();
    } catch (error) {
      setSaving(false);
      complain(error);
    }
  };
  return (
    <div className="edit-box">
      <textarea
        className="input"
        aria-label="Edit message"
        rows={Math.min(16, text.split("\n").length + 1)}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to edit
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone();
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void save();
        }}
      />
      <div className="spread">
        <span className="quiet small grow">The answers below move to a branch.</span>
        <Button small onClick={onDone}>
          Cancel
        </Button>
        <Button small look="primary" disabled={saving || !text.trim()} onClick={() => void save()}>
          Send
        </Button>
      </div>
    </div>
  );
}
