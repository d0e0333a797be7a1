import { Brain, ChevronRight } from "lucide-react";
import { useState } from "react";
import type { ReasoningPart } from "../api/types.ts";
import { between } from "../chat/calls.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { duration } from "../ui/format.ts";

/** The first line that looks like a heading says what the model is thinking about. */
export function titleOf(text: string): string | null {
  const headings = text.match(/^(?:#{1,6}\s+.+|\*\*[^*\n]+\*\*)\s*$/gm);
  return (
    headings
      ?.at(0)
      ?.replace(/^#+\s+|\*\*/g, "")
      .trim() || null
  );
}

export function ReasoningRow({ part, live }: { part: ReasoningPart; live: boolean }) {
  const [open, setOpen] = useState(false);
  const ms = between(part.started_at, part.completed_at);
  const title = titleOf(part.text) ?? "Thinking";
  return (
    <div className="tool">
      <button
        type="button"
        className="tool-line"
        aria-expanded={open}
        disabled={!part.text}
        onClick={() => setOpen(!open)}
      >
        <span className="tool-icon">
          <Brain aria-hidden />
        </span>
        <span className={`tool-words ${live ? "shimmer" : ""}`}>{title}</span>
        {ms !== null && ms >= 1_000 && <span className="tool-note">{duration(ms)}</span>}
        {part.text && <ChevronRight className="tool-chevron" aria-hidden />}
      </button>
      {open && (
        <div className="tool-body reasoning">
          <Markdown text={part.text} />
        </div>
      )}
    </div>
  );
}
