import { ChevronRight, Wrench } from "lucide-react";
import { useOpen } from "../chat/opened.ts";
import type { Row } from "../chat/rows.ts";
import { durationOf } from "../chat/turn.ts";
import { duration, plural } from "../ui/format.ts";

/** The work of a turn that is over: one line, which opens to all of it. */
export function WorkRow({ row }: { row: Extract<Row, { kind: "work" }> }) {
  const [open, setOpen] = useOpen(row.key);
  const calls = row.rows.flatMap((entry) => (entry.kind === "calls" ? entry.calls : []));
  const failed = calls.filter((call) => call.state.phase === "failed").length;
  const ms = row.turn && durationOf(row.turn);
  return (
    <div className="tool work">
      <button type="button" className="tool-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="tool-icon">
          <Wrench aria-hidden />
        </span>
        <span className="tool-words">
          {ms !== null && ms >= 1_000 ? `Worked for ${duration(ms)}` : "Worked"}
        </span>
        {calls.length > 0 && <span className="tool-note">{plural(calls.length, "tool call")}</span>}
        {failed > 0 && <span className="pill pill-bad">{failed} failed</span>}
        <ChevronRight className="tool-chevron" aria-hidden />
      </button>
    </div>
  );
}
