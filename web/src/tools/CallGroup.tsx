import { ChevronRight, Files, SquarePen, Terminal } from "lucide-react";
import { memo } from "react";
import { type Call, type Group, groupKey } from "../chat/calls.ts";
import { useOpen } from "../chat/opened.ts";
import { plural } from "../ui/format.ts";
import { ToolRow } from "./ToolRow.tsx";

const ICONS = { explore: Files, edit: SquarePen, run: Terminal, single: Terminal };

function wordsFor(group: Group, calls: readonly Call[]): string {
  const count = (tool: string) => calls.filter((call) => call.part.tool === tool).length;
  if (group === "edit") return `Changed files in ${plural(calls.length, "step")}`;
  if (group === "run") return `Ran ${plural(calls.length, "command")}`;
  const read = count("read_file");
  const searched = count("search_files");
  const listed = count("list_files");
  const rest = calls.length - read - searched - listed;
  const words = [
    read && `read ${plural(read, "file")}`,
    listed && `listed ${plural(listed, "folder")}`,
    searched && (searched === 1 ? "searched once" : `searched ${searched} times`),
    rest && `looked up ${plural(rest, "other item")}`,
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
        {failed > 0 && <span className="pill pill-bad">{failed} failed</span>}
        {busy.length > 0 && <span className="spinner" role="img" aria-label="running" />}
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
