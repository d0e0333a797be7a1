import { ChevronRight, Wrench } from "lucide-react";
import type { Row } from "../chat/model/rows.ts";
import { durationOf } from "../chat/model/turn.ts";
import { useCards } from "../chat/network/directory.ts";
import { useOpen } from "../chat/network/opened.ts";
import { t } from "../language/catalogue.ts";
import { childId, isAtWork } from "../tools/agents.tsx";
import { duration } from "../ui/format.ts";

/** The work of a turn that is over: one line, which opens to all of it. */
export function WorkRow({ row }: { row: Extract<Row, { kind: "work" }> }) {
  const [open, setOpen] = useOpen(row.key);
  const calls = row.rows.flatMap((entry) => (entry.kind === "calls" ? entry.calls : []));
  const failed = calls.filter((call) => call.state.phase === "failed").length;
  const cards = useCards();
  const working = calls.filter((call) => isAtWork(cards.get(childId(call)))).length;
  const ms = row.turn && durationOf(row.turn);
  return (
    <div className="tool work">
      <button type="button" className="tool-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="tool-icon">
          <Wrench aria-hidden />
        </span>
        <span className="tool-words">
          {ms !== null && ms >= 1_000 ? t("Worked for {ms}", { ms: duration(ms) }) : t("Worked")}
        </span>
        {calls.length > 0 && (
          <span className="tool-note">
            {t("{count, plural, one {# tool call} other {# tool calls}}", { count: calls.length })}
          </span>
        )}
        {working > 0 && (
          <span className="pill pill-accent">
            {t("{count, plural, one {# agent working} other {# agents working}}", { count: working })}
          </span>
        )}
        {failed > 0 && <span className="pill pill-bad">{t("{failed} failed", { failed })}</span>}
        <ChevronRight className="tool-chevron" aria-hidden />
      </button>
    </div>
  );
}
