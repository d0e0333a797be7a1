import { CornerDownRight, GripVertical, Pencil, SendHorizontal, Trash2 } from "lucide-react";
import { type HTMLAttributes, useState } from "react";
import { api } from "../api/client.ts";
import type { Content, QueuedMessage } from "../api/types.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { textOf } from "../chat/said.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";

interface Props {
  item: QueuedMessage;
  dragging: boolean;
  movable: boolean;
  handle: HTMLAttributes<HTMLButtonElement>;
}

export function QueueItem({ item, dragging, movable, handle }: Props) {
  const live = useLiveChat();
  const { complain } = useToasts();
  const [editing, setEditing] = useState(false);
  const path = `/chats/${live.id}/queue/${item.number}`;
  const text = textOf(item.parts);
  if (editing) return <Editor item={item} text={text} path={path} onDone={() => setEditing(false)} />;
  return (
    <li className={`queue-item ${dragging ? "queue-dragging" : ""}`} data-reorder={item.number}>
      {movable && (
        <button type="button" className="grip" aria-label="Move: drag, or use the arrow keys" {...handle}>
          <GripVertical aria-hidden />
        </button>
      )}
      {item.steer && <CornerDownRight className="steer" aria-label="Delivered at the next step" />}
      <span className="truncate grow">{text || "Files"}</span>
      <Button
        look="ghost"
        small
        label="Send now"
        onClick={() => void live.inOrder(() => api.post(`${path}/promote`)).catch(complain)}
      >
        <SendHorizontal />
      </Button>
      <Button look="ghost" small label="Edit queued message" onClick={() => setEditing(true)}>
        <Pencil />
      </Button>
      <Button
        look="ghost"
        small
        label="Delete queued message"
        onClick={() => void live.inOrder(() => api.delete(path)).catch(complain)}
      >
        <Trash2 />
      </Button>
    </li>
  );
}

function Editor({
  item,
  text,
  path,
  onDone,
}: {
  item: QueuedMessage;
  text: string;
  path: string;
  onDone: () => void;
}) {
  const live = useLiveChat();
  const [value, setValue] = useState(text);
  const { complain } = useToasts();
  const save = () => {
    const others = item.parts.filter(
      (part) => part.type === "file" || part.type === "file_reference",
    ) as Content[];
    const content = [...others, { type: "text", text: value }];
    live.inOrder(() => api.put(path, { content })).then(onDone, complain);
  };
  return (
    <li className="queue-item queue-editing">
      <textarea
        className="input"
        rows={2}
        aria-label="Queued message"
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to edit
        autoFocus
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone();
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            save();
          }
        }}
      />
      <Button small look="primary" disabled={!value.trim()} onClick={save}>
        Save
      </Button>
      <Button small look="ghost" onClick={onDone}>
        Cancel
      </Button>
    </li>
  );
}
