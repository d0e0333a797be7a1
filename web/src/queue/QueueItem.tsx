import { CornerDownRight, GripVertical, Pencil, SendHorizontal, Trash2 } from "lucide-react";
import { type HTMLAttributes, useEffect } from "react";
import { api } from "../api/client.ts";
import type { Content, QueuedMessage } from "../api/types.ts";
import { textOf } from "../chat/model/said.ts";
import { EMPTY_DRAFT } from "../chat/network/drafts.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useEditing, useKeptText } from "../chat/network/keptText.ts";
import { useAuthorName } from "../chat/network/people.ts";
import { useMine } from "../chat/network/reading.ts";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";
import { useMe } from "../page/session.ts";
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
  const place = `queue:${live.id}:${item.number}`;
  const [editing, setEditing] = useEditing(place);
  const path: QueuePath = `/chats/${live.id}/queue/${item.number}`;
  const text = textOf(item.parts);
  const author = useAuthorName(item.author, item.created_by);
  const me = useMe();
  const mine = useMine();
  const own = !item.created_by || item.created_by === me.id;
  if (editing) return <Editor item={item} place={place} path={path} onDone={() => setEditing(false)} />;
  return (
    <li className={`queue-item ${dragging ? "queue-dragging" : ""}`} data-reorder={item.number}>
      {movable && (
        <button
          type="button"
          className="grip"
          aria-label={t("Move: drag, or use the arrow keys")}
          {...handle}
        >
          <GripVertical aria-hidden />
        </button>
      )}
      {item.steer && <CornerDownRight className="steer" aria-label={t("Delivered at the next step")} />}
      <span className="truncate grow" dir="auto">
        {author && <strong>{author}: </strong>}
        {text || t("Files")}
      </span>
      <Button
        look="ghost"
        small
        label={t("Send now")}
        onClick={() => void live.inOrder(() => api.post(`${path}/promote`)).catch(complain)}
      >
        <SendHorizontal />
      </Button>
      {own && (
        <Button look="ghost" small label={t("Edit queued message")} onClick={() => setEditing(true)}>
          <Pencil />
        </Button>
      )}
      {(own || mine) && (
        <Button
          look="ghost"
          small
          label={t("Delete queued message")}
          onClick={() => void live.inOrder(() => api.delete(path)).catch(complain)}
        >
          <Trash2 />
        </Button>
      )}
    </li>
  );
}

type QueuePath = `/chats/${string}/queue/${number}`;

interface EditorProps {
  item: QueuedMessage;
  /** Where what is typed is kept. */
  place: string;
  path: QueuePath;
  onDone: () => void;
}

function Editor({ item, place, path, onDone }: EditorProps) {
  const live = useLiveChat();
  const { text, setText, forget, fresh } = useKeptText(place, textOf(item.parts));
  const { complain } = useToasts();
  useTakenAway(place, item.number);
  const done = () => {
    forget();
    onDone();
  };
  const save = () => {
    const others = item.parts.filter(
      (part) => part.type === "file" || part.type === "file_reference",
    ) as Content[];
    const content = [...others, { type: "text", text }];
    live.inOrder(() => api.put(path, { content })).then(done, complain);
  };
  return (
    <li className="queue-item queue-editing">
      <textarea
        className="input"
        rows={2}
        dir="auto"
        aria-label={t("Queued message")}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked to edit
        autoFocus={fresh}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") done();
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            save();
          }
        }}
      />
      <Button small look="primary" disabled={!text.trim()} onClick={save}>
        {t("Save")}
      </Button>
      <Button small look="ghost" onClick={done}>
        {t("Cancel")}
      </Button>
    </li>
  );
}

/** A message that is sent or deleted while somebody changes it takes its box along: the words go to the composer. */
function useTakenAway(place: string, number: number): void {
  const live = useLiveChat();
  const { drafts } = useStores();
  const { say } = useToasts();
  useEffect(
    () => () => {
      const { text } = drafts.get(place);
      if (!text || live.state.queue.some((item) => item.number === number)) return;
      drafts.change(place, () => EMPTY_DRAFT);
      drafts.change(live.id, (draft) => ({
        ...draft,
        text: [draft.text, text].filter(Boolean).join("\n\n"),
      }));
      say(t("That message was already sent. Your edit is in the composer."));
    },
    [place, number, live, drafts, say],
  );
}
