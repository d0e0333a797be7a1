import { ChevronRight, Files, SquarePen, Terminal } from "lucide-react";
import { memo } from "react";
import { type Call, type Group, groupKey } from "../chat/model/calls.ts";
import { useOpen } from "../chat/network/opened.ts";
import { t } from "../language/catalogue.ts";
import { ToolRow } from "./ToolRow.tsx";

const ICONS = { explore: Files, edit: SquarePen, run: Terminal, single: Terminal };

function wordsFor(group: Group, calls: readonly Call[]): string {
  const count = (tool: string) => calls.filter((call) => call.part.tool === tool).length;
  if (group === "edit")
    return t("Changed files in {count, plural, one {# step} other {# steps}}", { count: calls.length });
  if (group === "run")
    return t("Ran {count, plural, one {# command} other {# commands}}", { count: calls.length });
  const read = count("read_file");
  const searched = count("search_files");
  const listed = count("list_files");
  const rest = calls.length - read - searched - listed;
  const words = [
    read && t("read {count, plural, one {# file} other {# files}}", { count: read }),
    listed && t("listed {count, plural, one {# folder} other {# folders}}", { count: listed }),
    searched && t("{count, plural, one {searched once} other {searched # times}}", { count: searched }),
    rest && t("looked up {count, plural, one {# other item} other {# other items}}", { count: rest }),
  ].filter(Boolean);
  return words.join(", ").replace(/^./, (first) => first.toUpperCase());
}

/** A run of calls of one kind, folded into one line once there are more than two. */
export const CallGroup = memo(function CallGroup({ group, calls }: { group: Group; calls: readonly Call[] }) {
  const [shown, setOpen] = useOpen(groupKey(calls[0]?.key ?? ""));
  if (calls.length <= 2) return calls.map((call) => <ToolRow key={call.key} call={call} />);
  const busy = calls.filter((call) => call.state.phase === "running" || call.state.phase === "writing");
  const failed = calls.filter((call) => call.state.phase === "failed").length;
  const Icon = ICONS[group];
  return (
    <div className="tool">
      <button type="button" className="tool-line" aria-expanded={shown} onClick={() => setOpen(!shown)}>
        <span className="tool-icon">
          <Icon aria-hidden />
        </span>
        <span className="tool-words">{wordsFor(group, calls)}</span>
        {failed > 0 && <span className="pill pill-bad">{t("{failed} failed", { failed })}</span>}
        {busy.length > 0 && <span className="spinner" role="img" aria-label={t("running")} />}
        <ChevronRight className="tool-chevron" aria-hidden />
      </button>
      <div className="tool-group">
        {(shown ? calls : busy).map((call) => (
          <ToolRow key={call.key} call={call} />
        ))}
      </div>
    </div>
  );
});
