import { useState } from "react";
import { Colored } from "../markdown/Colored.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";

const SHOWN_LINES = 60;

/** What a tool printed: its tail while it runs, its head with a way to the rest when it is done. */
export function Output({
  text,
  language = null,
  live = false,
}: {
  text: string;
  language?: string | null;
  live?: boolean;
}) {
  const [whole, setWhole] = useState(false);
  if (!text) return null;
  const lines = text.split("\n");
  const cut = !whole && lines.length > SHOWN_LINES;
  const shown = cut ? (live ? lines.slice(-SHOWN_LINES) : lines.slice(0, SHOWN_LINES)).join("\n") : text;
  return (
    <div className="output">
      <div className="output-copy">
        <CopyButton text={() => text} label="Copy output" />
      </div>
      <pre tabIndex={0} aria-label="Output">
        <Colored code={shown} language={live ? null : language} />
      </pre>
      {cut && !live && (
        <button type="button" className="output-more" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </button>
      )}
    </div>
  );
}
