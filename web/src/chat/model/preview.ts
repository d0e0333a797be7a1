/** The answer in flight: deltas folded into parts, in the order the server numbered them. */

import type { Delta, MessagePartEvent, Part, Role } from "../../api/types.ts";

export interface PreviewPart {
  index: number;
  part: Part;
  /** A tool result that is complete although its message is not committed yet. */
  done: boolean;
}

/** One episode's parts. An empty one remembers which episodes are over. */
export interface Preview {
  role: Role;
  history_version: number;
  attempt: number;
  seq: number;
  parts: readonly PreviewPart[];
}

export const NOTHING: Preview = { role: "assistant", history_version: 0, attempt: 0, seq: 0, parts: [] };

export type Folded = { kind: "taken"; preview: Preview } | { kind: "stale" } | { kind: "gap" };

/** Take a part that comes next, drop one that is not newer, and say so when something in between is missing. */
export function fold(preview: Preview, event: MessagePartEvent): Folded {
  const order = event.history_version - preview.history_version || event.attempt - preview.attempt;
  if (order < 0) return { kind: "stale" };
  const last = order === 0 ? preview.seq : 0;
  if (event.seq <= last) return { kind: "stale" };
  if ((event.seq_from ?? event.seq) !== last + 1) return { kind: "gap" };
  const parts = order === 0 ? preview.parts : [];
  const { role, history_version, attempt, seq } = event;
  return { kind: "taken", preview: { role, history_version, attempt, seq, parts: added(parts, event.part) } };
}

/** The preview after the history reached `revision`: whatever was in flight before is committed or gone. */
export function ended(preview: Preview, revision: number): Preview {
  if (revision <= preview.history_version) return preview;
  return { ...NOTHING, history_version: revision };
}

function added(parts: readonly PreviewPart[], delta: Delta): PreviewPart[] {
  const at = parts.findLastIndex((entry) => entry.index <= delta.index);
  const found = parts[at];
  if (found?.index !== delta.index) {
    const entry = { index: delta.index, part: grown(opened(delta), delta), done: isDone(delta) };
    return parts.toSpliced(at + 1, 0, entry);
  }
  return parts.with(at, { ...found, part: grown(found.part, delta), done: found.done || isDone(delta) });
}

function isDone(delta: Delta): boolean {
  return delta.type === "tool_result" && delta.done === true;
}

function opened(delta: Delta): Part {
  switch (delta.type) {
    case "text":
    case "reasoning":
      return { type: delta.type, text: "" };
    case "tool_call":
      return { type: "tool_call", call_id: "", tool: "", args: "" };
    case "tool_result":
      return { type: "tool_result", call_id: "", tool: "", result: "" };
    case "source":
      return { type: "source", id: delta.id ?? "", url: delta.url ?? "", title: delta.title };
    case "file":
      return {
        type: "file",
        file_id: delta.file_id ?? "",
        name: delta.name ?? "",
        media_type: delta.media_type ?? "",
      };
    case "notice":
      return { type: "notice", kind: delta.kind ?? "", text: delta.text ?? "" };
  }
}

/** The part with what a delta adds. Nothing that was known is forgotten, except by a reset of a result. */
function grown(part: Part, delta: Delta): Part {
  if (part.type === "text" && delta.type === "text") return { ...part, text: part.text + (delta.text ?? "") };
  if (part.type === "reasoning" && delta.type === "reasoning") {
    const text = part.text + (delta.text ?? "");
    const started_at = part.started_at ?? delta.started_at;
    return { ...part, text, started_at, completed_at: delta.completed_at ?? part.completed_at };
  }
  if (part.type === "tool_call" && delta.type === "tool_call") {
    return {
      ...part,
      call_id: delta.call_id || part.call_id,
      tool: delta.tool || part.tool,
      args: part.args + (delta.args_delta ?? ""),
      provider_executed: delta.provider_executed ?? part.provider_executed,
      created_at: part.created_at ?? delta.created_at,
    };
  }
  if (part.type === "tool_result" && delta.type === "tool_result") {
    return {
      ...part,
      call_id: delta.call_id || part.call_id,
      tool: delta.tool || part.tool,
      result: (delta.result_reset ? "" : part.result) + (delta.result_delta ?? ""),
      is_error: delta.is_error ?? part.is_error,
      media: delta.media ?? part.media,
      provider_executed: delta.provider_executed ?? part.provider_executed,
      created_at: delta.created_at ?? part.created_at,
    };
  }
  return part;
}
