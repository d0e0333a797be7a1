import { Brain, ChevronRight } from "lucide-react";
import type { ReasoningPart } from "../api/types.ts";
import { between } from "../chat/model/calls.ts";
import { useOpen } from "../chat/network/opened.ts";
import { t } from "../language/catalogue.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { duration } from "../ui/format.ts";

/** The first line that looks like a heading says what the model is thinking about. */
const HEADING = /^(?:#{1,6}\s+.+|\*\*[^*\n]+\*\*)\s*$/m;

export function titleOf(text: string): string | null {
  return (
    HEADING.exec(text)?.[0]
      .replace(/^#+\s+|\*\*/g, "")
      .trim() || null
  );
}

/** What opens beneath the title: a thought that begins with its title does not say it again. */
export function bodyOf(text: string): string {
  const heading = HEADING.exec(text);
  return heading && text.slice(0, heading.index).trim() === ""
    ? text.slice(heading.index + heading[0].length).trimStart()
    : text;
}

export function ReasoningRow({ id, part, live }: { id: string; part: ReasoningPart; live: boolean }) {
  const [open, setOpen] = useOpen(id);
  const ms = between(part.started_at, part.completed_at);
  const title = titleOf(part.text) ?? t("Thinking");
  const body = bodyOf(part.text);
  return (
    <div className="tool">
      <button
        type="button"
        className="tool-line"
        aria-expanded={open}
        disabled={!body}
        onClick={() => setOpen(!open)}
      >
        <span className="tool-icon">
          <Brain aria-hidden />
        </span>
        <span className={`tool-words ${live ? "shimmer" : ""}`}>{title}</span>
        {ms !== null && ms >= 1_000 && <span className="tool-note">{duration(ms)}</span>}
        {body && <ChevronRight className="tool-chevron" aria-hidden />}
      </button>
      {open && (
        <div className="tool-body reasoning">
          <Markdown text={body} live={live} />
        </div>
      )}
    </div>
  );
}
