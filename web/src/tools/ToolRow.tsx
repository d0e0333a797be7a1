import { ChevronRight, CircleAlert } from "lucide-react";
import { memo, useMemo } from "react";
import type { Author } from "../api/types.ts";
import { argumentsOf, type Call } from "../chat/model/calls.ts";
import { RowContext, useOpen } from "../chat/network/opened.ts";
import { t } from "../language/catalogue.ts";
import { useMe } from "../page/session.ts";
import { duration } from "../ui/format.ts";
import { rendererOf } from "./registry.ts";
import { ToolMedia } from "./ToolMedia.tsx";
import "./tools.css";

/** One call: a line that opens, or a card where there is something to read or decide. */
export const ToolRow = memo(function ToolRow({ call }: { call: Call }) {
  const renderer = rendererOf(call.part);
  const fields = useMemo(() => argumentsOf(call.part.args), [call.part.args]);
  const [open, setOpen] = useOpen(call.key);
  const { verb, object, prose, note, timed } = renderer.line(fields, call);
  const Icon = renderer.icon;
  const phase = call.state.phase;
  const shown = open || renderer.open === true;
  return (
    <div className={`tool tool-${phase} ${renderer.open ? "tool-card" : ""}`} data-tool={call.part.tool}>
      <button
        type="button"
        className="tool-line"
        aria-expanded={shown}
        disabled={renderer.open}
        onClick={() => setOpen(!open)}
      >
        <span className="tool-icon">
          {phase === "failed" ? <CircleAlert aria-label={t("Failed")} /> : <Icon aria-hidden />}
        </span>
        <span className="tool-words">
          <span>{verb}</span>{" "}
          {object &&
            (prose ? (
              <span className="tool-prose">{object}</span>
            ) : (
              <code className="tool-object">{object}</code>
            ))}
        </span>
        {note && <span className="tool-note">{note}</span>}
        <DecidedBy people={call.deciders ?? []} />
        {phase === "running" || phase === "writing" ? (
          <span className="spinner" aria-label={t("running")} role="img" />
        ) : null}
        {phase === "waiting" && <span className="pill pill-accent">{t("needs you")}</span>}
        {phase === "failed" && <span className="pill pill-bad">{t("failed")}</span>}
        {call.ms !== null && !renderer.open && !timed && call.ms >= 1_000 && (
          <span className="tool-note">{duration(call.ms)}</span>
        )}
        {!renderer.open && <ChevronRight className="tool-chevron" aria-hidden />}
      </button>
      {shown && (
        <RowContext value={call.key}>
          <div className="tool-body">
            {phase === "failed" && !renderer.open && (
              <p className="call-failed">{call.state.phase === "failed" && call.state.reason}</p>
            )}
            {(phase !== "failed" || renderer.open) && <renderer.Body call={call} fields={fields} />}
            {call.state.phase === "done" && <ToolMedia media={call.state.media} />}
          </div>
        </RowContext>
      )}
    </div>
  );
});

/** Who let it run or refused it. Whoever did so alone knows. */
function DecidedBy({ people }: { people: readonly Author[] }) {
  const me = useMe().id;
  if (people.every((person) => person.id === me)) return null;
  const names = people.map((person) => person.name).join(", ");
  return <span className="tool-note">{t("decided by {names}", { names })}</span>;
}
