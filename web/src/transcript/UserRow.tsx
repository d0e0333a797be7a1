import { Clock, Pencil, RotateCw, X } from "lucide-react";
import type { Part } from "../api/types.ts";
import type { Row } from "../chat/model/rows.ts";
import { textOf } from "../chat/model/said.ts";
import type { Send } from "../chat/model/state.ts";
import { useLiveChat } from "../chat/network/hooks.ts";
import { useEditing } from "../chat/network/keptText.ts";
import { useOpen } from "../chat/network/opened.ts";
import { useAuthorName } from "../chat/network/people.ts";
import { useReading } from "../chat/network/reading.ts";
import { t } from "../language/catalogue.ts";
import { useMe } from "../page/session.ts";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { clockTime, fullTime } from "../ui/format.ts";
import { FileRow } from "./AsideRows.tsx";
import { EditBox } from "./EditBox.tsx";
import { VersionSwitch } from "./VersionSwitch.tsx";

const FOLD_OVER_LINES = 24;
const FOLD_OVER_LETTERS = 3_000;

/** What a person said. It can be edited now; earlier versions stay one click away, and stay as they were. */
export function UserRow({ row }: { row: Extract<Row, { kind: "user" }> }) {
  const live = useLiveChat();
  const { message, send, parts } = row;
  const place = `edit:${live.id}:${message?.number}`;
  const [editing, setEditing] = useEditing(place);
  const reading = useReading();
  const me = useMe();
  const author = useAuthorName(message?.author, message?.created_by);
  const editable = !reading && (!message?.created_by || message.created_by === me.id);
  if (editing && message && !reading)
    return <EditBox message={message} place={place} onDone={() => setEditing(false)} />;
  return (
    <div className="said">
      {author && <span className="author">{author}</span>}
      <div className={`bubble ${send ? `bubble-${send.state.phase}` : ""}`}>
        {parts.map((part, at) => (
          <SaidPart key={at} id={`${row.key}.${at}`} part={part} />
        ))}
      </div>
      {send && <SendState send={send} />}
      {message && (
        <div className="said-buttons">
          <time dateTime={message.created_at} title={fullTime(message.created_at)}>
            {clockTime(message.created_at)}
          </time>
          <CopyButton text={() => textOf(parts)} label={t("Copy message")} />
          {editable && (
            <Button look="ghost" small label={t("Edit message")} onClick={() => setEditing(true)}>
              <Pencil />
            </Button>
          )}
          <VersionSwitch message={message} />
        </div>
      )}
    </div>
  );
}

function SaidPart({ id, part }: { id: string; part: Part }) {
  if (part.type === "text") return <Folding id={id} text={part.text} />;
  if (part.type === "file") return <FileRow part={part} />;
  if (part.type !== "file_reference") return null;
  return (
    <div className="reference">
      <span className="mono small">
        {part.file_name}:{part.start_line}
      </span>
      <pre>{part.content}</pre>
    </div>
  );
}

/** A long message is folded: its beginning says what it is. */
function Folding({ id, text }: { id: string; text: string }) {
  const lines = text.split("\n");
  const long = lines.length > FOLD_OVER_LINES || text.length > FOLD_OVER_LETTERS;
  const [open, setOpen] = useOpen(id);
  const shown = long && !open ? lines.slice(0, FOLD_OVER_LINES).join("\n").slice(0, FOLD_OVER_LETTERS) : text;
  return (
    <div className="said-text" dir="auto">
      {shown}
      {long && (
        <button type="button" className="said-more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open
            ? t("Show less")
            : t("Show all {count, plural, one {# line} other {# lines}}", { count: lines.length })}
        </button>
      )}
    </div>
  );
}

/** How far a message is on its way. What is held goes by itself; what was refused waits for somebody to decide. */
function SendState({ send }: { send: Send }) {
  const live = useLiveChat();
  const { state, client_id } = send;
  if (state.phase === "sending" || state.phase === "accepted")
    return <span className="only-spoken">{t("Sending")}</span>;
  const discard = (
    <Button
      look="ghost"
      small
      label={t("Discard")}
      onClick={() => live.dispatch({ type: "send_dropped", client_id })}
    >
      <X />
    </Button>
  );
  if (state.phase === "held")
    return (
      <div className="send-held" role="status">
        <Clock aria-hidden />
        <span>{t("Will be sent when the server is back")}</span>
        {discard}
      </div>
    );
  return (
    <div className="send-failed" role="alert">
      <span>{t("Not sent: {reason}", { reason: state.reason })}</span>
      <Button small onClick={() => void live.send(send)}>
        <RotateCw /> {t("Send again")}
      </Button>
      {discard}
    </div>
  );
}
