import { Pencil, RotateCw, X } from "lucide-react";
import { useState } from "react";
import type { Part } from "../api/types.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { useReading } from "../chat/reading.ts";
import type { Row } from "../chat/rows.ts";
import { textOf } from "../chat/said.ts";
import type { Send } from "../chat/state.ts";
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
  const [editing, setEditing] = useState(false);
  const reading = useReading();
  const { message, send, parts } = row;
  if (editing && message) return <EditBox message={message} onDone={() => setEditing(false)} />;
  return (
    <div className="said">
      <div className={`bubble ${send ? `bubble-${send.state.phase}` : ""}`}>
        {parts.map((part, at) => (
          <SaidPart key={at} part={part} />
        ))}
      </div>
      {send && <SendState send={send} />}
      {message && (
        <div className="said-buttons">
          <time dateTime={message.created_at} title={fullTime(message.created_at)}>
            {clockTime(message.created_at)}
          </time>
          <CopyButton text={() => textOf(parts)} label="Copy message" />
          {!reading && (
            <Button look="ghost" small label="Edit message" onClick={() => setEditing(true)}>
              <Pencil />
            </Button>
          )}
          <VersionSwitch message={message} />
        </div>
      )}
    </div>
  );
}

function SaidPart({ part }: { part: Part }) {
  if (part.type === "text") return <Folding text={part.text} />;
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
function Folding({ text }: { text: string }) {
  const lines = text.split("\n");
  const long = lines.length > FOLD_OVER_LINES || text.length > FOLD_OVER_LETTERS;
  const [open, setOpen] = useState(false);
  const shown = long && !open ? lines.slice(0, FOLD_OVER_LINES).join("\n").slice(0, FOLD_OVER_LETTERS) : text;
  return (
    <div className="said-text">
      {shown}
      {long && (
        <button type="button" className="said-more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all ${lines.length.toLocaleString()} lines`}
        </button>
      )}
    </div>
  );
}

function SendState({ send }: { send: Send }) {
  const live = useLiveChat();
  if (send.state.phase !== "failed") return <span className="only-spoken">Sending</span>;
  return (
    <div className="send-failed" role="alert">
      <span>Not sent: {send.state.reason}</span>
      <Button small onClick={() => void live.send(send)}>
        <RotateCw /> Send again
      </Button>
      <Button
        look="ghost"
        small
        label="Discard"
        onClick={() => live.dispatch({ type: "send_dropped", client_id: send.client_id })}
      >
        <X />
      </Button>
    </div>
  );
}
