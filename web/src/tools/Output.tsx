import { useState } from "react";
import { Colored } from "../markdown/Colored.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";

const SHOWN_LINES = 60;
const SHOWN_CHARACTERS = 12_000;
/** More than this stays off the page, which it would make slow: whoever wants it copies it. */
const MOST_CHARACTERS = 300_000;

/** What a tool printed: its tail while it runs, its head with a way to the rest when it is done. */
export function Output({
  text,
  language = null,
  live = false,
  label = "Output",
}: {
  text: string;
  language?: string | null;
  live?: boolean;
  label?: string;
}) {
  const [whole, setWhole] = useState(false);
  if (!text) return null;
  const shown = whole ? text.slice(0, MOST_CHARACTERS) : partOf(text, live);
  const lines = text.split("\n").length;
  const size =
    lines > SHOWN_LINES ? `${lines.toLocaleString()} lines` : `${text.length.toLocaleString()} characters`;
  return (
    <div className="output">
      <div className="output-copy">
        <CopyButton text={() => text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} aria-label={label}>
        <Colored code={shown} language={live ? null : language} />
      </pre>
      {!whole && !live && shown.length < text.length && (
        <button type="button" className="output-more" onClick={() => setWhole(true)}>
          {text.length > MOST_CHARACTERS ? `Show more of ${size}` : `Show all ${size}`}
        </button>
      )}
      {whole && shown.length < text.length && (
        <p className="output-more">
          The first {MOST_CHARACTERS.toLocaleString()} of {text.length.toLocaleString()} characters. Copy
          takes all of them.
        </p>
      )}
    </div>
  );
}

/** The head of what was printed, or its tail while more comes. */
function partOf(text: string, live: boolean): string {
  const lines = text.split("\n");
  const part = (live ? lines.slice(-SHOWN_LINES) : lines.slice(0, SHOWN_LINES)).join("\n");
  return live ? part.slice(-SHOWN_CHARACTERS) : part.slice(0, SHOWN_CHARACTERS);
}
