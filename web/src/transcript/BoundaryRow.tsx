import { ChevronsDownUp } from "lucide-react";
import { type Call, structured } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { outputOf } from "../tools/renderer.ts";
import { tokens } from "../ui/format.ts";

const WHY: Record<string, string> = {
  automatic: t("automatically"),
  manual: t("on request"),
  overflow: t("because the context window was full"),
};

function numbersOf(call: Call): string {
  const fields = structured(outputOf(call));
  const before = fields?.tokens_before;
  const after = fields?.tokens_after;
  return typeof before === "number" && typeof after === "number"
    ? t("{before} → {after} tokens", { before: tokens(before), after: tokens(after) })
    : "";
}

/** Where older messages were summarised for the model. People keep the whole transcript. */
export function BoundaryRow({ call }: { call: Call }) {
  const busy = call.state.phase === "running" || call.state.phase === "writing";
  const source = structured(call.part.args)?.source;
  const why = typeof source === "string" ? (WHY[source] ?? "") : "";
  return (
    <div className="boundary">
      <span className="boundary-words">
        {busy ? (
          <span className="spinner" role="img" aria-label={t("running")} />
        ) : (
          <ChevronsDownUp aria-hidden />
        )}
        {busy
          ? t("Compacting the context…")
          : call.state.phase === "failed"
            ? t("Compaction failed")
            : t("Context compacted {why}", { why })}
        <span className="small">{busy ? outputOf(call) : numbersOf(call)}</span>
      </span>
    </div>
  );
}
